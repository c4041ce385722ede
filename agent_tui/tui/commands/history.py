"""Ctrl+R."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import recall
from agent_tui.tui.update.step import Step


@command(keys=("ctrl+r",), argument="[text]", rank=53)
def history(model: Model, args: str) -> Step:
    """Search earlier prompts while you type, those of this folder first. Ctrl+R or ↑ goes to an older one, ↓ to
    a newer one. Enter or Tab takes it, Esc cancels."""
    return recall.begin(model, args)
