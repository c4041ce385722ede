"""Lines of text whose spaces matter (code, output): all of them stay, and what goes on says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.tui.markdown.lines import (
    NOT_NARROW,
    RAGGED,
    Cells,
    Line,
    Segment,
    line_cells,
    narrowed,
    slices,
)

GOES_ON: Final = "↳ "
"""Stands in front of what goes on from the line above, in text whose spaces matter; no copy has it.
"""
GOES_ON_MARK: Final = Segment(GOES_ON, "diff.number indent")
HANGS: Final = Segment("", "diff.number indent")
"""Stands there where that mark is to hang in the margin, which is drawn later (`hung`)."""
_LEAST_ROOM: Final = 12
"""Cells below which words are not kept whole there."""


def chop(
    runs: Sequence[Segment],
    width: int,
    cells: Cells,
    first: tuple[Segment, ...] = (),
    rest: tuple[Segment, ...] = (),
    fill: str = "",
) -> list[Line]:
    """Like `wrap`, for text whose spaces matter (code): all stay, and a line is broken where it is
    about full."""
    before, after = line_cells(first, cells), line_cells(rest, cells)
    if width - max(before, after) < 1:
        first, rest, before, after = (), (), 0, 0
    text = "".join(run.text for run in runs)
    if NOT_NARROW.search(text) is None and len(text) <= max(1, width - before):
        return [Line((*first, *runs), fill=fill)]
    room = max(1, width - max(before, after))
    if room < 2:
        runs = narrowed(runs, cells)
        text = "".join(run.text for run in runs)
    if NOT_NARROW.search(text) is None:
        spans = _full_narrow(text, room)
    elif after > before and cells(text) <= width - before:
        spans = [(0, len(text), len(text))]
    else:
        spans = _full(text, room, cells)
    last = len(spans) - 1
    return [
        Line((first if number == 0 else rest) + piece, number < last, "", fill)
        for number, piece in enumerate(slices(runs, spans))
    ]


def hung(line: Line, margin: Segment) -> Line:
    """`line` behind `margin`, in which the mark of what goes on hangs."""
    if not line.segments:
        return line
    if line.segments[0] is HANGS:
        return Line((GOES_ON_MARK, *line.segments[1:]), line.soft, line.glue, line.fill)
    return Line((margin, *line.segments), line.soft, line.glue, line.fill)


def _full_narrow(text: str, room: int) -> list[tuple[int, int, int]]:
    """Where `text` breaks if a line is broken only where it is about full."""
    spans: list[tuple[int, int, int]] = []
    start = 0
    while len(text) - start > room:
        end = _between_words(text, start, start + room) if room >= _LEAST_ROOM else start + room
        spans.append((start, end, end))
        start = end
    return [*spans, (start, len(text), len(text))]


def _full(text: str, room: int, cells: Cells) -> list[tuple[int, int, int]]:
    """The same for text in which characters have other widths than one."""
    spans: list[tuple[int, int, int]] = []
    known: dict[str, int] = {}
    start = used = 0
    for index, character in enumerate(text):
        wide = known.get(character)
        if wide is None:
            wide = known[character] = cells(character)
        if used + wide > room and index > start:
            end = _between_words(text, start, index) if wide == 1 and room >= _LEAST_ROOM else index
            if not known.get(text[end]):  # a mark stays with its letter
                end = index
            spans.append((start, end, end))
            start, used = end, sum(known[c] for c in text[end:index])
        used += wide
    spans.append((start, len(text), len(text)))
    return spans


def _between_words(text: str, start: int, end: int) -> int:
    """Where the line from `start` breaks that is full at `end`: not far before, behind a space, or
    else at a word."""
    if text[end - 1] == " ":
        return end
    least = end - min(RAGGED, (end - start) // 3)
    space = text.rfind(" ", least, end)
    if space >= 0:
        return space + 1
    at = end
    while at > least and _in_word(text[at - 1]) and (at < end or _in_word(text[end])):
        at -= 1
    return at if at > least else end


def _in_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())
