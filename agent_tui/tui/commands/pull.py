"""A model for the local server."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import pulling
from agent_tui.tui.update.step import Step


@command(argument="<name>", rank=54)
def pull(model: Model, args: str) -> Step:
    """Download a model to the local Ollama server and use it: /pull qwen3:8b. Esc stops it; /pull alone shows
    the progress again."""
    return pulling.ask(model, args) if args else pulling.again(model)
