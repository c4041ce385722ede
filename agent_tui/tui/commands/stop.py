"""Esc."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.model import Model
from agent_tui.tui.update import composer, dialog, queue, reading
from agent_tui.tui.update.step import Step


def _label(now: Situation) -> str:
    if not now.running:
        return ""
    return "stop, pause the queue" if now.queued else "stop"


@command(keys=("escape",), slash=False, label=_label, rank=15)
def stop(model: Model, _: str) -> Step:
    """Interrupt the running turn. What was written stays, the queue pauses. Closes what is open first."""
    if model.composer.purpose is not None:
        return composer.dismissed(model)
    if model.composer.editing is not None:
        return queue.leave_edit(model)
    return dialog.stop(model) if model.running else (reading.unmark(model), ())
