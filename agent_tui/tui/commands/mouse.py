"""Whose the mouse is."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import Mouse
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step


@command(keys=("f9",), rank=61)
def mouse(model: Model, _: str) -> Step:
    """Release the mouse, so that the terminal selects text and opens links. The same key takes it back."""
    taken = not model.mouse
    return replace(model, mouse=taken), (Mouse(taken),)
