"""`/undo`."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(rank=56)
def undo(model: Model, _: str) -> Step:
    """Undo the file changes of the last turn. First you see each file with its diff. A file that changed since
    then, or while a command ran, is kept unless you choose otherwise. /redo reverses it."""
    return overlay.go_back(model)
