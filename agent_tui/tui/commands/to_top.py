"""Show the beginning of the transcript."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+home",), empty=("home",), slash=False, rank=70)
def to_top(model: Model, _: str) -> Step:
    """Go to the beginning of the transcript."""
    return reading.scroll(model, "top")
