"""Leave the program."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.commands.base import command, key_name
from agent_tui.tui.core.effects import Quit, Suspend
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.step import Step, toast


@command(aliases=("exit", "q"), rank=58)
def quit(model: Model, _: str) -> Step:
    """Quit. Resume the session later with --continue."""
    return model, (Quit(),)


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


@command(keys=("ctrl+z",), rank=63)
def suspend(model: Model, _: str) -> Step:
    """Suspend the program and return to the shell. fg brings it back. Everything waits meanwhile.
    An open question must be answered first."""
    return model, (Suspend(),)
