"""What is set, and changing it."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import settings as sheet
from agent_tui.tui.update.step import Step


@command(aliases=("config",), argument="[search]", rank=56)
def settings(model: Model, args: str) -> Step:
    """Show and change all settings and keys. A change is saved in your config.toml at once."""
    return sheet.open_sheet(model, args)
