"""A new session."""

from __future__ import annotations

from agent_tui.protocol.ops import Resume
from agent_tui.tui import commands
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, send, toast


@command(rank=54)
def new(model: Model, _: str) -> Step:
    """Start a new session with an empty transcript. The current one is kept: /resume returns to it."""
    if model.busy:
        key = commands.key_of("stop", model.keys)
        return toast(model, f"a turn is running: stop it first{key and f' ({key})'}, then /new", "warning")
    return send(model, Resume(""))
