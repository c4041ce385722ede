"""`/replay`."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import LookBack
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast


@command(rank=70)
def replay(model: Model, _: str) -> Step:
    """Replay this session: look at the screen, the request and the cost at any moment, and fork there. A
    running turn goes on meanwhile."""
    if model.transcript.otr:
        return toast(model, "this session is off the record: there is nothing to replay", "warning")
    return model, (LookBack(),)
