"""What commands share that switch one thing: `/name on`, `/name off`; by its name alone the other way round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast


def ways(_: object) -> tuple[str, ...]:
    return ("on", "off")


def switched(args: str, on: bool) -> bool | None:
    """Whether what is `on` or not is on after `/name args`; None: `args` does not say."""
    return {"": not on, "on": True, "off": False}.get(args)


def part_shown(model: Model, args: str, part: Literal["durations", "timestamps"], words: str) -> Step:
    """Show this part of the transcript, which `words` name, or show it no more."""
    shown = switched(args, getattr(model.look, part))
    if shown is None:
        return toast(model, f"no choice {args!r}; use on or off", "warning")
    changed: dict[str, Any] = {part: shown}
    return toast(replace(model, look=replace(model.look, **changed)), f"{words} are {'' if shown else 'not '}shown")
