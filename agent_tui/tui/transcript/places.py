"""Letters of the transcript that are found again after it was laid out anew: those that are
selected, and those at the top of the screen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from textual.geometry import Offset

from agent_tui.protocol.transcript import Block
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import Line, joined, paragraph
from agent_tui.tui.transcript.page import Anchor, Page

_NEAR: Final = 8
"""Rows around its old place among which a block is looked for."""


@frozen
class Place:
    """A letter of a row: character `x` of line `offset` of `lines`, or, wherever lines begin and end
    by now, letter
    `letter` of the paragraph that says `text`; on a page of that `width`."""

    width: int
    index: int
    block: Block
    lines: tuple[Line, ...]
    offset: int
    x: int
    text: str
    letter: int


@frozen
class Top:
    """What is read at the top: paragraph `paragraph` of a row, and of it letter `letter`. It stays
    through however many resizes, as long as the line at the top is still the one of the last of
    them, `put`, on a page of `total` lines."""

    index: int
    paragraph: int
    letter: int
    put: Anchor
    total: int

    def put_at(self, page: Page, line: int) -> Top:
        return replace(self, put=page.anchor(line), total=page.total)

    def stays(self, page: Page, put: Anchor) -> bool:
        """Whether it is still meant. Where the end of the page kept it from the top, growth has
        made that another."""
        there = self.put == put and self.index < len(page.heights) + len(page.live)
        return there and (self.total == page.total or anchor_of(page, self) == put)


def top_of(page: Page, line: int, known: Top | None) -> Top | None:
    """What is read at `line`: what is `known`, unless another line has come to the top since; None:
    nothing."""
    index, put = page.index_at(line), page.anchor(line)
    if index is None:
        return None
    if known is not None and known.stays(page, put):
        return known
    lines, offset = page.lines(index), line - page.extent(index)[0]
    if offset >= len(lines):
        return None
    origins = joined(lines, *paragraph(lines, offset))[1]
    letter = next((begin for begin, number, _ in origins if number >= offset), 0)
    return Top(index, bisect_right(_firsts(lines), offset) - 1, letter, put, page.total)


def anchor_of(page: Page, top: Top) -> Anchor:
    """The line where that is read now; its row may be of an estimated height yet."""
    lines, offset, rows = page.lines(top.index), 0, len(page.heights)
    if firsts := _firsts(lines):
        offset = _drawn(lines, firsts[min(top.paragraph, len(firsts) - 1)], top.letter)[0]
    above = page.extent(top.index)[0] - page.heights.total
    return Anchor(top.index, offset) if top.index < rows else Anchor(rows, above + offset)


def _firsts(lines: Sequence[Line]) -> list[int]:
    """The lines that begin a paragraph."""
    return [at for at in range(len(lines)) if not at or not lines[at - 1].soft]


def place_of(page: Page, at: Offset | None) -> Place | None:
    """What is at `at`; below all there is, it is the end of that."""
    last = page.total - 1
    index = page.index_at(min(at.y, last)) if at is not None and last >= 0 else None
    if at is None or index is None:
        return None
    width, row, offset = (
        page.painter.width,
        page.row(index),
        min(at.y, last) - page.extent(index)[0],
    )
    if offset >= len(row.lines):
        return Place(width, index, row.block, row.lines, offset - row.gap, at.x, "", 0)
    x = at.x if at.y <= last else len(row.lines[offset].text)
    text, origins = joined(row.lines, *paragraph(row.lines, offset))
    letter = 0
    for (begin, number, start), (after, _, _) in pairwise(origins):
        if number >= 0 and (number, start) <= (offset, x):
            letter = min(begin + x - start, after) if number == offset else after
    return Place(width, index, row.block, row.lines, offset - row.gap, x, text, letter)


def offset_of(page: Page, place: Place | None, known: Offset | None, ends: bool) -> Offset | None:
    """Where `place` is now, or where it `ends`; `known` where that cannot be told, None where it is
    no more."""
    if place is None or known is None:
        return known
    if place.width != page.painter.width:
        return _anew(page, place, ends)
    index = _index(page, place)
    count = len(page.heights) + len(page.live)
    if index >= count:
        return known
    row = page.row(index)
    top = page.extent(index)[0]
    if row.lines is place.lines or not row.lines:
        return Offset(place.x, top + max(0, place.offset + row.gap) if row.lines else top)
    for near in range(
        index, min(index + 3, count)
    ):  # what is being written may have become several rows
        if (found := _found(page.row(near).lines, place)) is not None:
            return Offset(found[1], page.extent(near)[0] + found[0])
    return Offset(place.x, top + max(0, min(place.offset + row.gap, len(row.lines) - 1)))


def _anew(page: Page, place: Place, ends: bool) -> Offset | None:
    """Where `place` is in another width. None unless its line says what it said, but for the space
    between words; and as many lines do as before: of those that are alike it is the same one."""
    row, offset = page.row(place.index), place.offset + page.row(place.index).gap
    if offset >= len(place.lines):
        return None
    before, now = _saying(place.lines, place.text), _saying(row.lines, place.text)
    if len(before) != len(now):
        return None
    first = now[before.index(paragraph(place.lines, offset)[0])]
    said = joined(row.lines, *paragraph(row.lines, first))[0]
    letters: Sequence[int] = range(len(said))
    count = place.letter
    if said != place.text:
        letters, count = (
            [at for at, c in enumerate(said) if c != " "],
            len(_close(place.text[:count])),
        )
    after = int(ends and count > 0)  # behind the letter before, which may be on another line
    count -= after
    line, x = _drawn(row.lines, first, letters[count] if count < len(letters) else len(said))
    return Offset(x + after, page.extent(place.index)[0] + line)


def _saying(lines: Sequence[Line], text: str) -> list[int]:
    """The first lines of the paragraphs that say `text`, however far apart its words stand."""
    found: list[int] = []
    at, close = 0, _close(text)
    while at < len(lines):
        first, at = paragraph(lines, at)
        if _close(joined(lines, first, at)[0]) == close:
            found.append(first)
    return found


def _close(text: str) -> str:
    return text.replace(" ", "")


def _index(page: Page, place: Place) -> int:
    """The row of that block: notices go in above an answer that is being written."""
    rows = page.shown.rows
    near = sorted(
        range(max(0, place.index - _NEAR), min(len(rows), place.index + _NEAR + 1)),
        key=lambda index: abs(index - place.index),
    )
    return next((index for index in near if rows[index] is place.block), place.index)


def _found(lines: Sequence[Line], place: Place) -> tuple[int, int] | None:
    """The line and the character in it where the letter of `place` is drawn, in the nearest
    paragraph that says the same, or begins so."""
    at, best, said = 0, -1, ""
    while at < len(lines):
        first, end = paragraph(lines, at)
        text = joined(lines, first, end)[0]
        alike = text == place.text or (bool(place.text.strip()) and text.startswith(place.text))
        if alike and (best < 0 or abs(first - place.offset) < abs(best - place.offset)):
            best, said = first, text
        at = end
    if best < 0:
        return None
    return _drawn(lines, best, min(place.letter, len(said)))


def _drawn(lines: Sequence[Line], first: int, letter: int) -> tuple[int, int]:
    """The line and the character in it where `letter` of the paragraph from line `first` on is
    drawn."""
    line, start = first, 0
    for begin, number, character in joined(lines, *paragraph(lines, first))[1]:
        if number >= 0 and begin <= letter:
            line, start = number, character + letter - begin
    return line, start
