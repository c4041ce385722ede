"""A word for a turn."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(argument="[text]", rank=57)
def label(model: Model, args: str) -> Step:
    """Put a word of your own to the marked message (Ctrl+Up marks one), or else to the last turn; without a text it is
    taken away. The list of turns shows it, and a search over all sessions finds it."""
    return shelf.label(model, args)
