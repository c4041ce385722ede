"""A copy to go on in."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import shelf
from agent_tui.tui.update.step import Step


@command(rank=57)
def fork(model: Model, _: str) -> Step:
    """Go on in a copy of this session: of what was before the marked prompt, or up to the marked answer (Ctrl+Up marks
    one), or else of everything. This session stays as it is. A marked prompt stands in the prompt of the copy."""
    return shelf.fork(model)
