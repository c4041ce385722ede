"""A provider with its key."""

from __future__ import annotations

from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import SetUp
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast


@command(rank=54)
def setup(model: Model, _: str) -> Step:
    """Set up a provider step by step: its key, which is tried before it is kept, and your model. Ctrl+C leaves it."""
    if model.busy:
        return toast(model, "a turn is running: interrupt it first (Esc)", "warning")
    return model, (SetUp(),)
