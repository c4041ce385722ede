"""The session in figures."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step, toast

OFF: Final = "this session is off the record: it has no statistics"


@command(aliases=("cost",), argument="[search]", rank=58)
def stats(model: Model, args: str) -> Step:
    """Show the statistics of this session: tokens, time, calls and files, in total and for each model, tool and
    step."""
    if model.transcript.otr:
        return toast(model, OFF, "warning")
    return overlay.pick(model, "stats", args)
