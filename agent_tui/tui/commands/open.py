"""Fold and unfold one."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("alt+o",), slash=False, rank=62)
def open(model: Model, _: str) -> Step:
    """Expand or collapse the selected block, or the last one in view."""
    return reading.open_one(model)
