"""After an interruption."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(aliases=("continue",), rank=57)
def go_on(model: Model, _: str) -> Step:
    """Continue an interrupted turn: the model is asked again, without a new prompt."""
    return shelf.go_on(model)
