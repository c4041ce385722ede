"""A provider with its key."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(rank=54)
def setup(model: Model, _: str) -> Step:
    """Set up a provider step by step: its name, its key or address, a test, and your model. Nothing is saved
    before the last step. Esc goes one step back."""
    return overlay.set_up(model)
