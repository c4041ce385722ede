"""How much of the model's thoughts is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.look import THINKING, Thinking
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast

_WORDS: Final[dict[Thinking, str]] = {
    "live": "thoughts are shown while they are thought", "folded": "thoughts are one line", "hidden": "no thoughts",
}  # fmt: skip


@command(argument="[how]", choices=lambda _: THINKING, rank=57)
def thinking(model: Model, args: str) -> Step:
    """Show thoughts live, folded or hidden. Without a word: the next of these. Ctrl+O expands folded ones. It
    holds until you leave; the setting display.thinking keeps it."""
    wanted = next((how for how in THINKING if how == args), None)
    if args and wanted is None:
        return toast(model, f"no choice {args!r}; use {', '.join(THINKING)}", "warning")
    how = wanted or THINKING[(THINKING.index(model.look.thinking) + 1) % len(THINKING)]
    return toast(replace(model, look=replace(model.look, thinking=how)), f"{how}: {_WORDS[how]}")
