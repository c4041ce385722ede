"""Heights of all rows, exact where they were laid out and estimated elsewhere; and which row a line
belongs to."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

from agent_tui.registry import late

with late():
    from agent_tui.tui.transcript import truncation

HIDDEN: Final = (-1, 0)
"""The extent of a row of which nothing is drawn."""


class Heights:
    """Row heights and their running sum, which is made again, from the first change on, when it is
    asked for.

    An estimate is made of a row's extent: the line breaks it has at any width, and the characters
    that are wrapped. They are kept, so that another width costs a division a row.
    """

    def __init__(self) -> None:
        self._width = 1
        self._breaks, self._chars = array("i"), array("i")
        self._heights: list[int] = []
        self._exact = bytearray()
        self._starts: list[int] = [0]
        self._good = 0
        """Rows whose `_starts` (and that of the row after) are right."""

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> int:
        return self._heights[row]

    def is_exact(self, row: int) -> bool:
        return bool(self._exact[row])

    def fill(self, extents: Iterable[tuple[int, int]], width: int) -> None:
        """All rows anew, all estimated, for text of `width` cells."""
        self._breaks, self._chars = array("i"), array("i")
        for breaks, chars in extents:
            self._breaks.append(breaks)
            self._chars.append(chars)
        self.wrap(width)

    def wrap(self, width: int) -> None:
        """All rows are estimated for text of another `width`."""
        self._width = width = max(1, width)
        self._heights = [
            lines(*extent, width) for extent in zip(self._breaks, self._chars, strict=True)
        ]
        self._exact = bytearray(len(self._heights))
        self._good = 0

    def resize(self, length: int) -> None:
        """Cut, or lengthen with rows of one line."""
        more = length - len(self._heights)
        if more < 0:
            del (
                self._heights[length:],
                self._exact[length:],
                self._breaks[length:],
                self._chars[length:],
            )
            self._good = min(self._good, length)
        else:
            self._heights.extend([1] * more)
            self._exact.extend(bytes(more))
            self._breaks.extend([0] * more)
            self._chars.extend([0] * more)

    def guess(self, row: int, breaks: int, chars: int) -> None:
        """What `row` takes, about."""
        self._breaks[row], self._chars[row] = breaks, chars
        self.put(row, lines(breaks, chars, self._width), False)

    def put(self, row: int, height: int, exact: bool) -> int:
        """Set one height; returns by how much it grew."""
        grown = height - self._heights[row]
        self._heights[row] = height
        self._exact[row] = exact
        if grown:
            self._good = min(self._good, row)
        return grown

    def doubt(self, row: int) -> None:
        """What is known of `row` is an estimate again."""
        self._exact[row] = False

    @property
    def total(self) -> int:
        return self._sums()[len(self._heights)]

    def start(self, row: int) -> int:
        """The line on which `row` begins; of the row after the last: the total."""
        return self._sums()[row]

    def row_at(self, line: int) -> int:
        """The row that holds `line`; the last row for a line below all, 0 when there is none."""
        row = bisect_right(self._sums(), line, 0, len(self._heights) + 1) - 1
        return max(0, min(row, len(self._heights) - 1))

    def _sums(self) -> list[int]:
        size = len(self._heights)
        if self._good < size or len(self._starts) != size + 1:
            good = min(self._good, len(self._starts) - 1)
            tail = accumulate(self._heights[good:], initial=self._starts[good])
            self._starts[good:] = tail
            self._good = size
        return self._starts


def lines(breaks: int, chars: int, width: int) -> int:
    """About how many lines a row of that extent takes, with the blank one above."""
    if breaks < 0:
        return 0
    wrapped = chars // width
    most = (wrapped if wrapped > breaks else breaks) + 1
    return min(most, truncation.MOST_LINES) + 1
