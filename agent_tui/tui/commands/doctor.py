"""What is wrong, and how to mend it."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(argument="[search]", rank=59)
def doctor(model: Model, args: str) -> Step:
    """Check settings, servers, keys, terminal, commands and files, and say how to fix what is wrong. Enter
    copies all of it, F5 checks again."""
    return overlay.pick(model, "doctor", args)
