"""Ctrl+P."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.sheets.control import open_sheet


def _label(now: Situation) -> str:
    return "" if now.running or now.draft else "commands"


@command(keys=("ctrl+p",), argument="[search]", label=_label, rank=53)
def palette(model: Model, args: str) -> Step:
    """Find and run any command, skill or setting. The ones you used last come first."""
    return open_sheet(model, "palette", args)
