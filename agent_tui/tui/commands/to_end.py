"""Show the end of the transcript, and follow it."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+end",), empty=("end",), slash=False, rank=70)
def to_end(model: Model, _: str) -> Step:
    """Go to the end of the transcript and follow it. Nothing stays selected. Away from the end, 12 new ↓ above
    the prompt counts the blocks that came since; a click on it goes there too."""
    return reading.scroll(reading.unmark(model), "end")
