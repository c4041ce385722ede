"""Prompts that wait."""

from __future__ import annotations

from agent_tui.tui.commands.base import Situation, command
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.prompt import queue as waiting
from agent_tui.tui.sheets.control import open_sheet


def _label(now: Situation) -> str:
    return "queue" if now.queued else ""


@command(
    keys=("alt+q",),
    argument="[clear|pause|resume]",
    choices=lambda _: ("clear", "pause", "resume"),
    label=_label,
    rank=30,
)
def queue(model: Model, args: str) -> Step:
    """List the queued prompts: edit, move, remove, send or pause them. /queue clear removes all."""
    match args:
        case "":
            return (
                open_sheet(model, "queue") if model.listed else toast(model, "the queue is empty")
            )
        case "clear":
            return waiting.clear(model)
        case "pause" | "resume" if not model.queue:
            return toast(model, "the queue is empty")
        case "pause":
            return waiting.pause(model)
        case "resume":
            return waiting.resume(model)
        case _:
            return toast(model, "/queue lists what waits; /queue clear, pause, resume", "warning")
