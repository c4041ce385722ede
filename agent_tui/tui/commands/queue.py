"""Prompts that wait."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update import queue as waiting
from agent_tui.tui.update.step import Step, toast


@command(argument="[clear]", choices=lambda _: ("clear",), rank=54)
def queue(model: Model, args: str) -> Step:
    """Show the prompts that wait. With clear: drop them all."""
    if args == "clear":
        return waiting.clear(model)
    if args:
        return toast(model, "/queue shows the queue, /queue clear empties it", "warning")
    return (overlay.show(model, "queue"), ()) if model.queue else toast(model, "the queue is empty")
