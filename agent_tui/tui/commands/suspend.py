"""Ctrl+Z."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import Suspend
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+z",), rank=63)
def suspend(model: Model, _: str) -> Step:
    """Go back to the shell for a while; fg brings the screen back. What runs waits meanwhile."""
    return model, (Suspend(),)
