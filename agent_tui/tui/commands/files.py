"""A file, for the prompt."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(argument="[search]", rank=58)
def files(model: Model, args: str) -> Step:
    """Choose a file with a preview. Its name goes into the prompt, as with @."""
    return overlay.pick(model, "files", args)
