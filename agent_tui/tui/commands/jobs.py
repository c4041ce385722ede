"""What runs in the background."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(argument="[search]", rank=54)
def jobs(model: Model, args: str) -> Step:
    """List what commands left running in the background, with its last line of output. Enter stops one, F5 refreshes.
    The header counts them."""
    return overlay.pick(model, "jobs", args)
