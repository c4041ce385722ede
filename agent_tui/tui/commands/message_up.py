"""To the message before."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+up",), empty=("shift+up",), slash=False, rank=66)
def message_up(model: Model, _: str) -> Step:
    """Select the previous message: a prompt or the beginning of an answer."""
    return reading.step(model, -1, reading.is_message)
