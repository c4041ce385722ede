"""A question on the side."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model
from agent_tui.tui.update import aside
from agent_tui.tui.update.step import Step


@command(argument="[question]", rank=53)
def btw(model: Model, args: str) -> Step:
    """Ask a side question, also while the agent works. It knows the session, uses no tools, and stays out of
    the context. Esc cancels it; /btw alone shows the last answer again."""
    return aside.ask(model, args) if args else aside.again(model)
