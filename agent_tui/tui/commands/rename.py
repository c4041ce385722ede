"""A name for the session."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(argument="[title]", rank=57)
def rename(model: Model, args: str) -> Step:
    """Rename this session. Without a name it is called by its first prompt."""
    return shelf.rename(model, args)
