"""The forks."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(rank=57)
def tree(model: Model, _: str) -> Step:
    """Show the forks of sessions as a tree, and open one."""
    return overlay.pick(model, "tree")
