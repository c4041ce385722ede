"""A copy to go on in."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(rank=57)
def fork(model: Model, _: str) -> Step:
    """Fork: copy this session and continue in the copy. With a message selected (Ctrl+Up), copy only up to it.
    This session stays as it is. A selected prompt is put into the prompt of the copy."""
    return shelf.fork(model)
