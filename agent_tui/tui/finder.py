"""The list of files under an `@`, as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.structures.fuzzy import Matches
    from agent_tui.structures.mention import Typed


@frozen
class Finder:
    """The list of files under an `@`. `shown` are the paths that were found for the query `shown_for`: they stay until
    those for what is typed now are found."""

    typed: Typed
    recent: tuple[str, ...] = ()
    matches: Matches | None = None
    """None: the engine has not told the files yet."""
    shown: tuple[str, ...] = ()
    shown_for: str = ""
    selected: int = 0
    waiting: bool = False
    """A `Yielded` is on its way, after which the search goes on."""
    closed: bool = False
