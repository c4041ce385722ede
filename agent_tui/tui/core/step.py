"""What every concern of `update` returns, and the small moves that all of them use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal

from agent_tui.protocol.ops import Op
from agent_tui.structures.tone import Tone
from agent_tui.tui.core.effects import Effect, ExpireToast, Send
from agent_tui.tui.core.model import Model, Toast

Step = tuple[Model, tuple[Effect, ...]]

TOAST_SECONDS: Final = 4.0


def send(model: Model, *ops: Op) -> Step:
    """Nothing changes here; the engine is asked."""
    return model, tuple(Send(op) for op in ops)


def toast(model: Model, text: str, tone: Tone = "normal", seconds: float = TOAST_SECONDS) -> Step:
    """Say `text` for a moment."""
    number = model.toasts + 1
    return replace(model, toast=Toast(number, text, tone), toasts=number), (
        ExpireToast(number, seconds),
    )


def then(first: Step, second: Step) -> Step:
    """The model of `second`, the effects of both."""
    return second[0], first[1] + second[1]


def ways(_: object) -> tuple[str, ...]:
    return ("on", "off")


def parse_switch(args: str, on: bool) -> bool | None:
    """Whether what is `on` or not is on after `/name args`; None: `args` does not say."""
    return {"": not on, "on": True, "off": False}.get(args)


def part_shown(
    model: Model, args: str, part: Literal["durations", "timestamps"], words: str
) -> Step:
    """Show this part of the transcript, which `words` name, or show it no more."""
    shown = parse_switch(args, getattr(model.look, part))
    if shown is None:
        return toast(model, f"no choice {args!r}; use on or off", "warning")
    changed: dict[str, Any] = {part: shown}
    return toast(
        replace(model, look=replace(model.look, **changed)),
        f"{words} are {'' if shown else 'not '}shown",
    )
