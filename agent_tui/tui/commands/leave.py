"""Ctrl+D."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.commands.base import command, key_name
from agent_tui.tui.effects import Quit
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast

DELETING_SECONDS: Final = 1.0
"""So soon after it deleted, the same key is rather meant to delete more."""


@command(empty=("ctrl+d",), slash=False, rank=80)
def leave(model: Model, _: str) -> Step:
    """Quit if the prompt is empty."""
    if model.repeated:
        return model, ()  # a finger rests on it
    deleted = model.typed_at >= model.last_key - model.since_same
    if deleted and model.since_same < DELETING_SECONDS:
        return toast(model, f"press {key_name(model.last_name)} again to quit")
    return model, (Quit(),)
