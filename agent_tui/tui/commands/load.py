"""Another session, by its name."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay, shelf
from agent_tui.tui.update.step import Step


@command(argument="<name>", rank=55)
def load(model: Model, args: str) -> Step:
    """Resume the session with this name or the beginning of this id. If several match, they are listed."""
    return shelf.load(model, args) if args else overlay.pick(model, "sessions")
