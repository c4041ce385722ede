"""Finding words in the transcript, from the newest row back, a slice at a time: what one slice
costs is about the same at any length, so that the keys that come between two of them do not wait.

Case is ignored, and so are the marks of Markdown that an answer is drawn without (`*`, backticks),
unless the query has some.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import Final

from agent_tui.present.texts import reader
from agent_tui.protocol.transcript import Block
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vec import Vec

SLICE: Final = 4_000_000
"""What is searched at once, in about nanoseconds: `READ` and `LETTER` for each row and character
that is read, `KNOWN` for each row, and one for each character, whose text is known."""
READ: Final = 1_500
LETTER: Final = 8
KNOWN: Final = 150
ROW: Final = 200_000
"""Characters of one row that are read at once; such a row is read anew for each query."""
KEPT: Final = 16_000_000
"""Characters, of the newest rows, that are kept for the next query."""


@frozen
class Index:
    """What the rows from `first` on say, made plain. `size`: how many characters that is. `raw`:
    with Markdown's marks; `thinking`: thoughts are searched too."""

    rows: Vec[Block] = Vec()
    texts: tuple[str | None, ...] = ()
    """None: too long to be kept."""
    first: int = 0
    size: int = 0
    raw: bool = False
    thinking: bool = True


@frozen
class Found:
    """The rows that hold `query`, ascending, and how many times it was found up to and with each of
    them; as far as the search has come: down to row `first`, and in the one before it up to
    character `at`, with `count` hits in that."""

    query: str = ""
    rows: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    first: int = 0
    at: int = 0
    count: int = 0

    @property
    def total(self) -> int:
        return self.totals[-1] if self.totals else 0

    def place(self, number: int) -> tuple[int, int]:
        """The row of hit `number`, and which one of that row it is. Raises IndexError."""
        if not 0 <= number < self.total:
            raise IndexError(number)
        at = bisect_right(self.totals, number)
        return self.rows[at], number - (self.totals[at - 1] if at else 0)

    def number(self, row: int, nth: int) -> int:
        """The hit that is the `nth` of `row`, or the last of it; -1 if there is none in it."""
        at = bisect_left(self.rows, row)
        if at == len(self.rows) or self.rows[at] != row:
            return -1
        return min((self.totals[at - 1] if at else 0) + nth, self.totals[at] - 1)

    def nearest_hit(self, row: int) -> int:
        """The last hit at or above `row`, else the first below; -1 if there is none at all."""
        at = bisect_right(self.rows, row)
        return self.totals[at - 1] - 1 if at else 0 if self.rows else -1

    def has_nearest(self, row: int) -> bool:
        """Whether `nearest` will say the same once all is searched."""
        return not self.first or bool(self.rows and self.rows[0] <= row)


def fold_text(text: str) -> str:
    """`text` as it is looked for and looked through. Some letters become two (`ß`, `İ`)."""
    return text.casefold()


def has_marks(query: str) -> bool:
    """Whether `query` asks for marks that are not drawn of an answer."""
    return "`" in query or "*" in query


def renew_index(
    known: Index, rows: Vec[Block], raw: bool = False, thinking: bool = True
) -> tuple[Index, list[int] | None]:
    """`known` for what `rows` are now, and which of them changed; None: too much, and all is to be
    searched again."""
    if rows is known.rows and (known.raw, known.thinking) == (raw, thinking):
        return known, []
    changed = list(rows.changed_indices(known.rows))
    if (known.raw, known.thinking) != (raw, thinking) or len(changed) > len(rows) // 2:
        return Index(rows, (), len(rows), 0, raw, thinking), None
    texts, first, size = (
        list(known.texts[: max(0, len(rows) - known.first)]),
        min(known.first, len(rows)),
        known.size,
    )
    say, long = reader(raw, thinking), False
    for row in changed:
        if row < first:
            continue
        said = say(rows[row])
        long = long or len(said) > ROW
        texts[row - first : row - first + 1] = [None if len(said) > ROW else fold_text(said)]
        size += len(said)
    return Index(rows, tuple(texts), first, size, raw, thinking), None if long else changed


def begin_search(index: Index, query: str) -> Found:
    """`query` (made plain) is to be looked for in all rows."""
    return Found(query, first=len(index.rows) if query else 0)


def search_slice(index: Index, found: Found, most: int = SLICE) -> tuple[Index, Found]:
    """One slice more of what is not searched yet, of about `most`; and the texts that were read for
    it."""
    say = reader(index.raw, index.thinking)
    row, at, count, size = found.first, found.at, found.count, index.size
    hits: list[tuple[int, int]] = []
    read: list[str | None] = []
    while row and most > 0:
        known = index.texts[row - 1 - index.first] if row > index.first else None
        if known is not None:
            most -= KNOWN + len(known)
            count = known.count(found.query)
        else:
            said = say(index.rows[row - 1])
            most -= READ + LETTER * min(len(said), ROW)
            if len(said) > ROW:
                piece = fold_text(said[at : at + ROW + len(found.query) - 1])
                count, at = count + piece.count(found.query), at + ROW
                if at < len(said):
                    continue
                text = None
            else:
                text = fold_text(said)
                count, size = text.count(found.query), size + len(text)
            if row == index.first - len(read) and size <= KEPT:
                read.append(text)
        row -= 1
        if count:
            hits.append((row, count))
        at = count = 0
    if read:
        index = replace(
            index, texts=(*reversed(read), *index.texts), first=index.first - len(read), size=size
        )
    if not hits:
        return index, replace(found, first=row, at=at, count=count)
    hits.reverse()
    totals = list(accumulate(number for _, number in hits))
    more = [totals[-1] + total for total in found.totals]
    rows = (*(place for place, _ in hits), *found.rows)
    return index, Found(found.query, rows, (*totals, *more), row, at, count)


def count_hits(index: Index, found: Found, changed: list[int]) -> Found:
    """What is found after the rows `changed`, all of them as far down as was searched, say
    something else."""
    rows, first = index.rows, min(found.first, len(index.rows))
    changed = [row for row in changed if row >= first]
    cut = bisect_left(found.rows, min(changed[0], len(rows)) if changed else len(rows))
    new = dict(zip(found.rows[cut:], found.totals[cut:], strict=True))
    before = found.totals[cut - 1] if cut else 0
    for row in new:
        new[row], before = new[row] - before, new[row]
    say = reader(index.raw, index.thinking)
    for row in changed:
        known = index.texts[row - index.first] if row >= index.first else None
        new[row] = (fold_text(say(rows[row])) if known is None else known).count(found.query)
    kept = [row for row in sorted(new) if new[row] and row < len(rows)]
    totals = accumulate((new[row] for row in kept), initial=found.totals[cut - 1] if cut else 0)
    next(totals)
    begins = (found.at, found.count) if first == found.first else (0, 0)
    return Found(
        found.query, (*found.rows[:cut], *kept), (*found.totals[:cut], *totals), first, *begins
    )
