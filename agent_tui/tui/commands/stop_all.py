"""Interrupt, and drop what waits."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, then
from agent_tui.tui.dialog import answering
from agent_tui.tui.prompt import queue


def _label(now: Situation) -> str:
    if not now.queued:
        return ""
    return "stop and clear" if now.running else "clear the queue"


@command(keys=("ctrl+x",), slash=False, label=_label, rank=25)
def stop_all(model: Model, _: str) -> Step:
    """Interrupt the running turn and clear the queue."""
    if model.busy:
        emptied = queue.emptied(model)
        return then(emptied, answering.stop(emptied[0], clear_queue=True))
    return queue.clear(model) if model.queue else (model, ())
