"""Keys and commands."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets.control import open_sheet


def _label(now: Situation) -> str:
    return "" if now.running else "help"


@command(keys=("f1",), empty=("question_mark",), label=_label, rank=50)
def help(model: Model, _: str) -> Step:
    """Show all keys and commands. Type to find one, Enter runs it."""
    return open_sheet(model, "help")
