"""What vim remembers between keys, and what comes of one."""

from __future__ import annotations

from typing import Literal

from agent_tui.structures.frozen import frozen
from agent_tui.tui.kinds import VimMode

Way = Literal["", "pass", "undo", "redo", "up", "down", "elsewhere"]


@frozen
class Vim:
    mode: VimMode = "insert"
    typed: str = ""
    """The keys of a command that is not complete."""
    register: str = ""
    whole: bool = False
    """The register holds whole lines."""
    found: str = ""
    """The last `f`, `t`, `F` or `T` with its character."""
    anchor: int = 0
    caret: int = 0
    """Where the visual mode began, and where it is."""
    change: str = ""
    inserted: str = ""
    """The last change as it was typed, and what was inserted after it."""
    began: tuple[str, int] = ("", 0)
    """The text and the caret when the insert mode began."""
    typing: str = ""
    """The command that began it; empty: none that `.` does again."""
    times: int = 1


@frozen
class Done:
    """What came of a key. `way`: what the prompt is to do by itself."""

    vim: Vim
    text: str
    caret: int
    way: Way = ""
