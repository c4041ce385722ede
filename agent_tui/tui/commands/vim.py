"""Whether the prompt edits as vim does."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.tui.commands.base import command
from agent_tui.tui.kinds import VimMode
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast
from agent_tui.tui.update.switch import switched, ways


@command(argument="[on|off]", choices=ways, rank=64)
def vim(model: Model, args: str) -> Step:
    """Switch between vim keys and shell keys in the prompt. Esc leaves insert mode; in normal mode it
    interrupts."""
    on = switched(args, bool(model.vim))
    if on is None:
        return toast(model, "vim is on or off", "warning")
    mode: VimMode = "insert" if on else ""
    return toast(replace(model, vim=mode), "vim is on: Esc for normal mode, i to type" if mode else "vim is off")
