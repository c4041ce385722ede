"""How long things took."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step
from agent_tui.tui.update.switch import part_shown, ways


@command(argument="[on|off]", choices=ways, rank=57)
def durations(model: Model, args: str) -> Step:
    """Show or hide how long turns, thoughts and tool calls took. It holds until you leave; the setting
    display.durations keeps it."""
    return part_shown(model, args, "durations", "durations")
