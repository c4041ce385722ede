"""When things happened."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.tui.commands.base import command
from agent_tui.tui.core.display_options import THINKING, Thinking
from agent_tui.tui.core.effects import Mouse
from agent_tui.tui.core.model import Model, VimMode
from agent_tui.tui.core.step import Step, parse_switch, part_shown, toast, ways


@command(argument="[on|off]", choices=ways, rank=57)
def timestamps(model: Model, args: str) -> Step:
    """Show or hide when prompts, tool calls and turn ends happened. It holds until you leave; the
    setting display.timestamps keeps it."""
    return part_shown(model, args, "timestamps", "times")


@command(argument="[on|off]", choices=ways, rank=57)
def durations(model: Model, args: str) -> Step:
    """Show or hide how long turns, thoughts and tool calls took. It holds until you leave; the
    setting display.durations keeps it."""
    return part_shown(model, args, "durations", "durations")


_WORDS: Final[dict[Thinking, str]] = {
    "live": "thoughts are shown while they are thought",
    "folded": "thoughts are one line",
    "hidden": "no thoughts",
}


@command(argument="[how]", choices=lambda _: THINKING, rank=57)
def thinking(model: Model, args: str) -> Step:
    """Show thoughts live, folded or hidden. Without a word: the next of these. Ctrl+O expands
    folded ones. It holds until you leave; the setting display.thinking keeps it."""
    wanted = next((how for how in THINKING if how == args), None)
    if args and wanted is None:
        return toast(model, f"no choice {args!r}; use {', '.join(THINKING)}", "warning")
    how = wanted or THINKING[(THINKING.index(model.look.thinking) + 1) % len(THINKING)]
    return toast(replace(model, look=replace(model.look, thinking=how)), f"{how}: {_WORDS[how]}")


@command(keys=("f9",), rank=61)
def mouse(model: Model, _: str) -> Step:
    """Release the mouse, so that the terminal selects text and opens links. The same key takes it
    back."""
    taken = not model.mouse
    return replace(model, mouse=taken), (Mouse(taken),)


@command(argument="[on|off]", choices=ways, rank=64)
def vim(model: Model, args: str) -> Step:
    """Switch between vim keys and shell keys in the prompt. Esc leaves insert mode; in normal mode
    it interrupts."""
    on = parse_switch(args, bool(model.vim))
    if on is None:
        return toast(model, "vim is on or off", "warning")
    mode: VimMode = "insert" if on else ""
    return toast(
        replace(model, vim=mode),
        "vim is on: Esc for normal mode, i to type" if mode else "vim is off",
    )
