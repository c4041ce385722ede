"""What the running program is like."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(argument="[search]", rank=59)
def debug(model: Model, args: str) -> Step:
    """Show facts about the running program: versions, terminal, model, context, times. Enter copies all of
    them."""
    return overlay.pick(model, "debug", args)
