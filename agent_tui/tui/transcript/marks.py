"""What is painted over the lines in view: the hits of a search and the marked row.

Nothing of it is kept with the painted rows: a query costs the lines that are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from rich.segment import Segment as RichSegment
from textual.strip import Strip

from agent_tui.registry import late
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.markdown.lines import Line, join_lines, paragraph
from agent_tui.tui.transcript.page import Page
from agent_tui.tui.transcript.painted_rows import mark_range

with late():
    from agent_tui.tui.transcript import search

Piece = tuple[int, int, int]
"""A line of a row, and from which of its characters to which."""
Hits = tuple[tuple[Piece, ...], ...]
_UNDRAWN: Final = "[`*\u00a0]*"
"""What an answer's source has between letters that are drawn side by side."""
_KEPT: Final = 200
MARK: Final = "▌"


class Marks:
    """The marks on one page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._query = ""
        self._pattern: re.Pattern[str] | None = None
        self._known: dict[tuple[int, int], tuple[Sequence[Line], Hits]] = {}
        """Hits by row and first line of the paragraph, with the lines they were found in."""
        self._current: Piece | None = None
        """Where the hit that is looked at begins, as row, line and character."""

    def show(self, view: TranscriptView) -> None:
        """From now on the marks are those of `view`."""
        if view.query != self._query:
            self._query = view.query
            self._known.clear()
            letters = _UNDRAWN.join(map(re.escape, view.query))
            self._pattern = re.compile(letters) if view.query else None
        if view.nth < 0:
            self._current = None

    @property
    def current_hit(self) -> int:
        """The line of the page where the hit that is looked at begins; negative: there is none."""
        return (
            self._page.extent(self._current[0])[0] + self._current[1]
            if self._current is not None
            else -1
        )

    def place(self) -> tuple[int, int]:
        """The row and the line in it that is to be seen: where the current hit begins, else where
        its words begin."""
        view = self._page.shown
        index = self._page.holder(view.mark)
        row = self._page.row(index)
        self._current = None
        if view.nth >= 0 and index == view.mark and self._pattern is not None:
            piece = self._nth(row.lines, view.nth)
            if piece is not None:
                self._current = (index, piece[0], piece[1])
                return index, piece[0]
        return index, min(row.gap, max(0, len(row.lines) - 1))

    def _nth(self, lines: Sequence[Line], nth: int) -> Piece | None:
        """Where hit `nth` begins, or the last one; what is drawn may hold fewer than the source."""
        last: Piece | None = None
        at = 0
        while at < len(lines):
            first, end = paragraph(lines, at)
            found = self._find(lines, first, end)
            if found:
                last = found[min(nth, len(found) - 1)][0]
                nth -= len(found)
                if nth < 0:
                    break
            at = end
        return last

    def _find(self, lines: Sequence[Line], first: int, end: int) -> Hits:
        """The hits in the lines of one paragraph, each in its pieces."""
        assert self._pattern is not None
        text, origins = join_lines(lines, first, end)
        words, places = fold_text(text)
        hits = (
            _pieces(origins, places[match.start()], places[match.end() - 1] + 1)
            for match in self._pattern.finditer(words)
            if match.group()
        )
        return tuple(hit for hit in hits if hit)

    def paint(self, strip: Strip, at: int) -> Strip:
        """`strip`, which is line `at` of the page, with its marks."""
        view, page = self._page.shown, self._page
        index = page.index_at(at) if view.query or view.mark >= 0 else None
        if index is None:
            return strip
        row, offset = page.row(index), at - page.extent(index)[0]
        if (
            view.mark >= 0
            and offset == row.gap + self._headed(index)
            and index == page.holder(view.mark)
        ):
            strip = self._marked(strip)
        if self._pattern is None or offset >= len(row.lines):
            return strip
        first, end = paragraph(row.lines, offset)
        known = self._known.get((index, first))
        if known is None or known[0] is not row.lines:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[index, first] = (row.lines, self._find(row.lines, first, end))
        style = page.painter.palette.style
        for hit in known[1]:
            current = self._current == (index, *hit[0][:2])
            for line, start, stop in hit:
                if line == offset:
                    strip = mark_range(
                        strip, start, stop, style("search.current" if current else "search")
                    )
        return strip

    def _headed(self, index: int) -> int:
        """Lines of a group's head above the first of its rows: what is found in that row is not
        found in the head."""
        if self._page.shown.nth < 0 or not self._page.begins_group(index):
            return 0
        return 2 if self._page.is_open(index) else 1

    def _marked(self, strip: Strip) -> Strip:
        """A bar in the second column, which is empty in every row that can be marked, and the row
        on another ground."""
        width = strip.cell_length
        look = self._page.painter.palette.style("place")
        strip = Strip(
            [RichSegment(text, style + look if style else look) for text, style, _ in strip], width
        )
        if width < 20 or strip.text[1:2] != " ":
            return strip
        bar = RichSegment(MARK, self._page.painter.style("accent") + look)
        return Strip([*strip.crop(0, 1), *_filtered(bar, self._page), *strip.crop(2, width)], width)


def fold_text(text: str) -> tuple[str, Sequence[int]]:
    """`text` as it is searched, and for each of its characters the one of `text` that it is (part)
    of."""
    words = search.fold_text(text)
    if len(words) == len(text):  # no letter becomes less than one
        return words, range(len(text))
    parts = [search.fold_text(character) for character in text]
    return "".join(parts), [at for at, part in enumerate(parts) for _ in part]


def _pieces(origins: Sequence[tuple[int, int, int]], start: int, stop: int) -> tuple[Piece, ...]:
    """Where the characters from `start` to `stop` of a paragraph are drawn. Spaces that a wrap took
    away are nothing at the end of their line."""
    found: list[Piece] = []
    beside: list[Piece] = []
    for (begin, line, at), (after, _, _) in pairwise(origins):
        left, right = max(start, begin), min(stop, after)
        if line >= 0 and begin <= start:
            end = at + min(start, after) - begin
            beside = [(line, end, end)]
        if left < right and line >= 0:
            piece = (line, at + left - begin, at + right - begin)
            joins = found and found[-1][0] == line and found[-1][2] == piece[1]
            found[-1:] = [(line, found[-1][1], piece[2])] if joins else [*found[-1:], piece]
    return tuple(found or beside)


def _filtered(segment: RichSegment, page: Page) -> list[RichSegment]:
    """As the rows themselves are: without colour, or in ASCII, where that is wanted."""
    segments = [segment]
    for each in page.painter.filters:
        segments = each.apply(segments, page.painter.background)
    return segments
