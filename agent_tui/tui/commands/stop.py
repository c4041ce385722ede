"""Esc."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.registry import late
from agent_tui.tui.commands import find
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step
from agent_tui.tui.dialog import answering
from agent_tui.tui.prompt import composer, queue
from agent_tui.tui.transcript import state

with late():
    from agent_tui.tui.sheets import control

TWICE_SECONDS: Final = 1.0


def _label(now: Situation) -> str:
    if not now.running:
        return ""
    return "stop and pause" if now.queued else "stop"


@command(keys=("escape",), slash=False, label=_label, rank=15)
def stop(model: Model, _: str) -> Step:
    """Interrupt the running turn. What was written stays, and the queue pauses. If something is
    open, Esc closes that first. Twice: clear the prompt (it is in the history); on an empty prompt,
    rewind."""
    if model.composer.purpose is not None:
        return control.dismiss_purpose(model)
    if model.composer.editing is not None:
        return queue.leave_edit(model)
    if model.busy:
        return answering.stop(model)
    if model.reading.mark >= 0:
        return state.unmark(model), ()
    if model.repeated:
        return model, ()  # a finger rests on it
    if not len(model.transcript.marks) and not model.composer.draft:
        return model, ()
    if model.at - model.esc_at > TWICE_SECONDS:
        return replace(model, esc_at=model.at), ()
    model = replace(model, esc_at=float("-inf"))
    if not model.composer.draft:
        return find("rewind").run(model, "")
    return (
        (model, ()) if model.vim else composer.empty_prompt(model)
    )  # vim's own Esc may well come twice
