"""Esc."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.commands import find
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.model import Model
from agent_tui.tui.update import composer, dialog, queue, reading
from agent_tui.tui.update.step import Step

TWICE_SECONDS: Final = 1.0


def _label(now: Situation) -> str:
    if not now.running:
        return ""
    return "stop and pause" if now.queued else "stop"


@command(keys=("escape",), slash=False, label=_label, rank=15)
def stop(model: Model, _: str) -> Step:
    """Interrupt the running turn. What was written stays, and the queue pauses. If something is open, Esc
    closes that first. Twice: clear the prompt (it is in the history); on an empty prompt, rewind."""
    if model.composer.purpose is not None:
        return composer.dismissed(model)
    if model.composer.editing is not None:
        return queue.leave_edit(model)
    if model.busy:
        return dialog.stop(model)
    if model.reading.mark >= 0:
        return reading.unmark(model), ()
    if model.repeated:
        return model, ()  # a finger rests on it
    if not len(model.transcript.marks) and not model.composer.draft:
        return model, ()
    if model.at - model.esc_at > TWICE_SECONDS:
        return replace(model, esc_at=model.at), ()
    model = replace(model, esc_at=float("-inf"))
    if not model.composer.draft:
        return find("rewind").run(model, "")
    return (model, ()) if model.vim else composer.empty_prompt(model)  # vim's own Esc may well come twice
