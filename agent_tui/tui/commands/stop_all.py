"""Interrupt, and drop what waits."""

from __future__ import annotations

from agent_tui.protocol.ops import QueueEdit
from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.model import Model
from agent_tui.tui.update import dialog
from agent_tui.tui.update.step import Step, send


def _label(now: Situation) -> str:
    if not now.queued:
        return ""
    return "stop, clear the queue" if now.running else "clear the queue"


@command(keys=("ctrl+x",), slash=False, label=_label, rank=25)
def stop_all(model: Model, _: str) -> Step:
    """Interrupt the running turn and clear the queue."""
    if model.running:
        return dialog.stop(model, clear_queue=True)
    return send(model, QueueEdit("clear")) if model.queue else (model, ())
