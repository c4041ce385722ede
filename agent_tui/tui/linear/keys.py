"""A keyboard of words: what a key does in the full screen is a typed line here, and hints name that
line."""

from __future__ import annotations

from typing import Final

from agent_tui.structures import late
from agent_tui.tui import commands
from agent_tui.tui.core.model import OwnKeys

REAL: Final = {"send": "enter", "interrupt": "ctrl+c", "leave": "ctrl+d"}
"""Keys that a terminal without a full screen has too."""
CALLED: Final = late.pattern(r"/([a-z][a-z-]*)(?:\s+(.*))?$")
UNSEEN: Final = frozenset(
    (
        "page-up",
        "page-down",
        "to-top",
        "to-end",
        "message-up",
        "message-down",
        "fold-up",
        "fold-down",
        "open",
        "mouse",
        "theme",
        "vim",
        "paste",
        "paste-image",
        "timestamps",
    )
)
"""Commands of the screen itself: what they move or draw is not there."""
AT_ONCE: Final = frozenset(("steer", "stop", "stop-all"))
"""What is for the running turn: a line in a pipe that does not wait for its end."""


def key_for(name: str) -> str:
    """The key that runs the command `name`."""
    return REAL.get(name, f"/{name}")


KEYS: Final[OwnKeys] = tuple((one.name, (key_for(one.name),)) for one in commands.COMMANDS)


def parse_call(text: str) -> tuple[str, str]:
    """The command that the line calls, and what follows it; empty where it calls none that is a key
    elsewhere."""
    match = CALLED.match(text.strip())
    if match is None:
        return "", ""
    name = match.group(1)
    known = next((one for one in commands.COMMANDS if one.name == name), None)
    return (
        (name, (match.group(2) or "").strip())
        if known is not None and not known.slash
        else ("", "")
    )


def first_word(text: str) -> str:
    """`stop` of `/stop now`; empty for what is no command."""
    words = text.split(maxsplit=1)
    return words[0][1:] if words and words[0].startswith("/") else ""
