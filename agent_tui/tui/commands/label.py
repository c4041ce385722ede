"""A word for a turn."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(argument="[text]", rank=57)
def label(model: Model, args: str) -> Step:
    """Label the selected message (Ctrl+Up selects one), or the last turn. Without a text the label is removed.
    The list of turns and the search over all sessions show it."""
    return shelf.label(model, args)
