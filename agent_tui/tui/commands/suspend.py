"""Ctrl+Z."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import Suspend
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+z",), rank=63)
def suspend(model: Model, _: str) -> Step:
    """Suspend the program and return to the shell. fg brings it back. Everything waits meanwhile."""
    return model, (Suspend(),)
