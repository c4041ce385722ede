"""Scroll the transcript down by a page."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import reading
from agent_tui.tui.update.step import Step


@command(keys=("pagedown",), slash=False, rank=71)
def page_down(model: Model, _: str) -> Step:
    """Scroll the transcript down by a page."""
    return reading.scroll(model, "page_down")
