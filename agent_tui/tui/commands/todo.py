"""What the model has set out to do."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import todo as sheet
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+t",), aliases=("todos",), rank=54)
def todo(model: Model, _: str) -> Step:
    """Show the model's todo list. The header counts it while something is open."""
    return sheet.show(model)
