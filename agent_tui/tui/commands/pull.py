"""A model for the local server."""

from __future__ import annotations

from agent_tui.protocol.ops import Pull
from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, send, toast


@command(argument="<name>", rank=54)
def pull(model: Model, args: str) -> Step:
    """Fetch a model onto the local Ollama server, and use it: /pull qwen3:8b."""
    return send(model, Pull(args)) if args else toast(model, "name the model, such as /pull qwen3:8b", "warning")
