"""Whether the prompt edits as vim does."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.tui.commands.base import command
from agent_tui.tui.model import Model, VimMode
from agent_tui.tui.update.step import Step, toast


def _choices(_: object) -> tuple[str, ...]:
    return ("on", "off")


@command(argument="[on|off]", choices=_choices, rank=64)
def vim(model: Model, args: str) -> Step:
    """Edit the prompt as vim does, or as a shell does. Esc leaves the insert mode; in normal mode it interrupts."""
    if args not in ("", "on", "off"):
        return toast(model, "vim is on or off", "warning")
    mode: VimMode = "insert" if args == "on" or (not args and not model.vim) else ""
    return toast(replace(model, vim=mode), "vim: Esc for its normal mode, i to type" if mode else "vim is off")
