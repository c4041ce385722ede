"""Fold and unfold."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+o",), slash=False, rank=60)
def expand(model: Model, _: str) -> Step:
    """Expand or collapse all tool calls."""
    return reading.expand_all(model), ()
