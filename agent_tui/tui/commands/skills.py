"""What can be called with a slash besides commands."""

from __future__ import annotations

from agent_tui.protocol.ops import Query
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step, send


@command(rank=55)
def skills(model: Model, _: str) -> Step:
    """List the skills: prompts kept in files, called with /name."""
    return send(overlay.show(model, "skills"), Query("skills", "skills"))
