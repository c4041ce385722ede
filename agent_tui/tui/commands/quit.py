"""Leave the program."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import Quit
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step


@command(aliases=("exit", "q"), rank=58)
def quit(model: Model, _: str) -> Step:
    """Quit. Resume the session later with --continue."""
    return model, (Quit(),)
