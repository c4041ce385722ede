"""Ctrl+C."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui import commands
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.effects import CopySelection, Quit
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.dialog import answering
from agent_tui.tui.prompt import composer, queue

TWICE_SECONDS: Final = 1.0


def _label(now: Situation) -> str:
    if now.running:
        return ""
    return "clear" if now.draft else "quit (twice)"


@command(keys=("ctrl+c",), slash=False, label=_label, rank=40)
def interrupt(model: Model, _: str) -> Step:
    """Copy the selection, interrupt the turn, clear the prompt, or quit (press it twice): the first
    that applies. While a question is open, the words in the prompt are cleared first. The history
    keeps them."""
    if model.selection:
        return model, (CopySelection(),)
    if model.repeated:
        return model, ()  # a finger rests on it
    if model.composer.editing is not None and model.composer.purpose is None:
        return queue.leave_edit(model)
    if model.busy and not (model.dialog is not None and model.composer.draft):
        return answering.stop(model)
    if model.composer.draft:
        again = f"; {commands.key_of('interrupt', model.keys)} again stops"
        return composer.empty_prompt(model, again if model.busy else "")
    if model.at - model.quit_at <= TWICE_SECONDS:
        return model, (Quit(),)
    text = f"press {commands.key_of('interrupt', model.keys)} again to quit"
    return toast(replace(model, quit_at=model.at), text, seconds=TWICE_SECONDS)
