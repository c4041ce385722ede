"""To the message after."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+down",), empty=("shift+down",), slash=False, rank=66)
def message_down(model: Model, _: str) -> Step:
    """Select the next message. After the last one: go to the end of the transcript."""
    return reading.step(model, 1, reading.is_message)
