"""`/bug`."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import WriteBug
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast

OFF: Final = "this session is off the record: no report can be written"


@command(rank=70)
def bug(model: Model, _: str) -> Step:
    """Write this session to a file for a report: what was said and what the screen was told, without what looks like a
    secret, with the versions of the program and what is known of the terminal. It plays with the replay command."""
    if model.transcript.otr:
        return toast(model, OFF, "warning")
    return model, (WriteBug(),)
