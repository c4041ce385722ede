"""Answers and code, on the clipboard."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import copying
from agent_tui.tui.update.step import Step


@command(argument="[number]", rank=56)
def copy(model: Model, args: str) -> Step:
    """Copy an answer to the clipboard as Markdown: 1 is the last. Without a number: choose an answer or a piece
    of its code; w writes it to a file."""
    return copying.choose(model, args.strip())
