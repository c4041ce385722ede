"""The sheets: lists to choose from, and what is read, above the prompt.

A file in this folder is a sheet (see `base`): what it shows, what fills it, what can be done in it,
and the commands that open it. Nothing else has to be told of it. It is imported when it is first
asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from agent_tui import registry

if TYPE_CHECKING:
    from agent_tui.tui.sheets.base import Sheet

NOT_REGISTERED: Final = ("actions", "base", "control", "draw")


@cache
def find(kind: str) -> Sheet:
    """The sheet that is called as its file. Raises LookupError."""
    found: Sheet = registry.load(__name__, kind, "SHEET")
    return found


def names() -> tuple[str, ...]:
    """What the sheets are called."""
    return registry.names(__name__)
