"""Ctrl+F."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.transcript import search_prompt as searching


def _label(now: Situation) -> str:
    return "" if now.running else "search"


@command(keys=("ctrl+f", "f3"), argument="[text]", label=_label, rank=54)
def search(model: Model, args: str) -> Step:
    """Search the transcript while you type. Enter or ↓ shows the next hit, Shift+Enter or ↑ the
    previous one. Esc closes the search and stays there."""
    return searching.begin(model, args), ()
