"""A fresh context."""

from __future__ import annotations

from agent_tui.protocol.ops import Clear
from agent_tui.tui import commands
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, send, toast


@command(rank=53)
def clear(model: Model, _: str) -> Step:
    """Clear the context: the model forgets the conversation. The screen and the log keep it. /new begins with
    an empty screen."""
    if model.busy:
        key = commands.key_of("stop", model.keys)
        return toast(model, f"a turn is running: stop it first{key and f' ({key})'}, then /clear", "warning")
    return send(model, Clear())
