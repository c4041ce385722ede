"""Ctrl+C."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui import commands
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.effects import CopySelection, Quit
from agent_tui.tui.model import Model
from agent_tui.tui.update import composer, dialog, queue
from agent_tui.tui.update.step import Step, toast

TWICE_SECONDS: Final = 1.0


def _label(now: Situation) -> str:
    if now.running:
        return ""
    return "clear" if now.draft else "quit (twice)"


@command(keys=("ctrl+c",), slash=False, label=_label, rank=40)
def interrupt(model: Model, _: str) -> Step:
    """Copy what is selected; else interrupt the running turn; else clear the prompt (the history keeps it); else,
    pressed twice within a second, quit."""
    if model.selection:
        return model, (CopySelection(),)
    if model.busy:
        return dialog.stop(model)
    if model.composer.editing is not None:
        return queue.leave_edit(model)
    if model.composer.draft:
        return composer.emptied(model)
    if model.at - model.quit_at <= TWICE_SECONDS:
        return model, (Quit(),)
    text = f"press {commands.key_of('interrupt', model.keys)} again to quit"
    return toast(replace(model, quit_at=model.at), text, seconds=TWICE_SECONDS)
