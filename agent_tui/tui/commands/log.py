"""What the program wrote down."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(aliases=("logs",), argument="[search]", rank=59)
def log(model: Model, args: str) -> Step:
    """Show the program's log and the records of this session, newest last. Enter copies a line, F5
    refreshes."""
    return overlay.pick(model, "log", args)
