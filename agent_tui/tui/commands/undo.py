"""`/undo`."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(rank=56)
def undo(model: Model, _: str) -> Step:
    """Take back what the last turn changed in files. First you see each file and the differences; a file that changed
    since is left alone unless you say otherwise. The redo command takes it back again."""
    return overlay.go_back(model)
