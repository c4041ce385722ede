"""Ctrl+D."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import Quit
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step


@command(empty=("ctrl+d",), slash=False, rank=80)
def leave(model: Model, _: str) -> Step:
    """Quit if the prompt is empty."""
    return model, (Quit(),)
