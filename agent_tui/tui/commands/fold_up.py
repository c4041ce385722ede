"""To the line before that opens."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("alt+up",), slash=False, rank=64)
def fold_up(model: Model, _: str) -> Step:
    """Select the previous block that expands: a tool call, a thought, an expanded skill."""
    return reading.step(model, -1, reading.foldable)
