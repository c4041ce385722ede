"""What in a text may name a file: whether there is one is looked at elsewhere, where a disk may be
waited for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from agent_tui.structures import late

LONGEST: Final = 400
"""Characters of a path that is looked for."""
MOST: Final = 50
"""Paths of one text: of a line that is a list of files, the first ones."""
_ENDING: Final = late.pattern(r"\.\w")
"""A name without a slash has one: most prose has none."""
_PATH: Final = late.pattern(
    r"(?<![\w./~@:+-])"
    r"((?:[\w.@+~-]*/)+[\w.@+-]*\w|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9})"
    r"(?:(?::|#L|\", line )(\d{1,7}))?"
)
"""A path with a slash, or a name with an ending; and the line that is said of it."""


class FileName(NamedTuple):
    """A stretch of a text that may name the file `path`, relative to any folder, and a `line` of it
    (0: none is said)."""

    start: int
    end: int
    path: str
    line: int


def file_names(text: str) -> Iterator[FileName]:
    """What in `text` may name a file, in its order. Takes linear time."""
    if "/" not in text and _ENDING.search(text) is None:
        return
    for found in islice(_PATH.finditer(text), MOST):
        if len(found[1]) <= LONGEST:
            yield FileName(found.start(), found.end(), found[1], int(found[2] or 0))
