"""Another session."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(aliases=("sessions",), argument="[search]", rank=55)
def resume(model: Model, args: str) -> Step:
    """Resume another session, or start a new one. The list shows the last prompt and answer of the selected
    one."""
    return overlay.pick(model, "sessions", args)
