"""What of Markdown is not worth its parser's time: how deep, how wide, how many open at once."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.structures import late

DEEPEST: Final = 60
"""Levels of quotes and lists; source that is nested deeper is drawn as it stands, since parsers drop it."""
BRACKETS: Final = 40
"""Square brackets open at once; where there are more, none is a link: looking for the end of each takes square time."""
COLUMNS: Final = 100
"""Columns of a table; source with more is drawn as it stands: no screen has room for them."""
_BRACKET: Final = late.pattern(r"\\.|[\[\]]", re.DOTALL)


def has_links(source: str) -> bool:
    """Whether `source` is looked through for links: not where its brackets are nested beyond all reason."""
    if source.count("[") <= BRACKETS:
        return True
    depth = 0
    for found in _BRACKET.finditer(source):
        mark = found.group()
        depth = depth + 1 if mark == "[" else max(0, depth - 1) if mark == "]" else depth
        if depth > BRACKETS:
            return False
    return True


def has_wide_rows(source: str) -> bool:
    """Whether `source` has lines that would be rows of more than `COLUMNS` cells."""
    return source.count("|") > COLUMNS and any(line.count("|") > COLUMNS + 1 for line in source.split("\n"))
