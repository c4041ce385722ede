"""Which colours."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import overlay
from agent_tui.tui.update.step import Step


@command(argument="[name]", rank=57)
def theme(model: Model, args: str) -> Step:
    """Choose a theme: the list shows each at once, Enter keeps it, Esc cancels. /theme NAME takes it at
    once."""
    return overlay.pick(model, "themes", args)
