"""Programs that take over a terminal. A command of the session has none: some of them would wait for ever."""

from __future__ import annotations

from typing import Final

from agent_tui.safety import shell_programs
from agent_tui.safety.shell_words import simple_commands

_PROGRAMS: Final = frozenset((
    "vi", "vim", "nvim", "view", "vimdiff", "nvi", "elvis", "emacs", "nano", "pico", "micro", "hx", "helix", "kak",
    "joe", "mc", "ranger", "nnn", "lf", "htop", "btop", "tig", "lazygit", "gitui", "tmux", "screen",
))  # fmt: skip
_NEED_NONE: Final = frozenset((
    "-e", "-E", "-es", "-Es", "-s", "-h", "-b", "-V", "--batch", "-batch", "--version", "-version", "--help",
    "--headless", "--script", "-script", "kill-server", "ls", "-ls", "list-sessions",
))  # fmt: skip
"""Words with which such a program works without a terminal."""


def full_screen(command: str) -> str:
    """The program of `command` that needs a terminal of its own; empty if there is none."""
    try:
        for simple in simple_commands(command, lambda _: ""):
            call = shell_programs.unwrapped(simple)
            if call is not None and call.name in _PROGRAMS:
                words = {word.text for word in call.arguments}
                if not words & _NEED_NONE:
                    return call.name
    except RecursionError:  # too deep to be read; it is run as it is
        return ""
    return ""
