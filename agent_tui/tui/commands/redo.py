"""`/redo`."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(rank=56)
def redo(model: Model, _: str) -> Step:
    """Redo the last undo: the changed files, or the conversation, which opens as a new session."""
    return overlay.go_back(model, redo=True)
