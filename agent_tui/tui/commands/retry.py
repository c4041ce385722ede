"""After an answer broke off."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(rank=57)
def retry(model: Model, _: str) -> Step:
    """Retry an answer that broke off. Its text stays on the screen but is not sent; finished calls do not run
    again."""
    return shelf.go_on(model, again=True)
