"""How long things took."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast

_WAYS: Final = ("on", "off")


@command(argument="[on|off]", choices=lambda _: _WAYS, rank=57)
def durations(model: Model, args: str) -> Step:
    """Show how long turns, thoughts and tool calls took, or stop showing it."""
    if args and args not in _WAYS:
        return toast(model, f"no way {args!r} to show durations; there are: on, off", "warning")
    shown = args == "on" if args else not model.look.durations
    model = replace(model, look=replace(model.look, durations=shown))
    return toast(model, f"durations are {'' if shown else 'not '}shown")
