"""To the line after that opens."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("alt+down",), slash=False, rank=64)
def fold_down(model: Model, _: str) -> Step:
    """Select the next block that expands. After the last one: go to the end of the transcript."""
    return reading.step(model, 1, reading.foldable, stays=True)
