"""What skills there are."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(argument="[search]", rank=55)
def skills(model: Model, args: str) -> Step:
    """List the skills. Enter runs one."""
    return overlay.pick(model, "skills", args)
