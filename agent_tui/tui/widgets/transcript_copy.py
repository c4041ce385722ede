"""What a selection in the transcript means as text: the source of whole rows, the unwrapped text of parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.geometry import Offset
from textual.selection import Selection

from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, UserBlock
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.lines import Line
from agent_tui.tui.markdown.styles import DECORATION
from agent_tui.tui.widgets.transcript_page import Page


@frozen
class _Part:
    """What is selected of one block: from character `start` of line `first` to `end` of line `last` (-1: its end)."""

    index: int
    block: Block
    whole: bool
    first: int
    last: int
    start: int
    end: int


def copied(page: Page, selection: Selection) -> str:
    """The text of `selection`. Costs the rows that are laid out: the first, the last, and those without a source."""
    text = ""
    before: Block | None = None
    for part in _parts(page, selection):
        source = _source(part.block, page.is_open(part.index)) if part.whole else None
        if (piece := source) is None:
            piece = unwrapped(page.lines(part.index), part.first, part.last, part.start, part.end)
        if before is not None:
            pieces_of_one = isinstance(before, TextBlock) and isinstance(part.block, TextBlock) and part.whole
            if not (pieces_of_one and text.endswith("\n")):
                text = text.rstrip("\n") + ("\n" if pieces_of_one else "\n\n")
        text += piece
        before = part.block
    return text.strip("\n")


def word_at(page: Page, x: int, line: int) -> Selection | None:
    """The word under cell `x` of `line`."""
    strip = page.strip(line)
    text, at = strip.text, len(strip.crop(0, x).text)
    if at >= len(text) or not text[at].strip():
        return None
    start = end = at
    while start and text[start - 1].strip():
        start -= 1
    while end < len(text) and text[end].strip():
        end += 1
    return Selection(Offset(start, line), Offset(end, line))


def row_at(page: Page, line: int) -> Selection | None:
    """All of the block that holds `line`."""
    index = page.index_at(line)
    if index is None:
        return None
    first, size = page.extent(index)
    last = first + size - 1
    return Selection(Offset(0, first), Offset(len(page.strip(last).text.rstrip()), last))


def _parts(page: Page, selection: Selection) -> Iterator[_Part]:
    total = page.total
    if not total:
        return
    start, end = selection
    first, left = (min(max(start.y, 0), total - 1), start.x) if start is not None else (0, 0)
    # A drag that ends on the scrollbar, or below the text, has no end, or one that does not exist.
    last, right = (end.y, end.x) if end is not None and end.y < total else (total - 1, -1)
    begin, finish = page.index_at(first), page.index_at(last)
    if begin is None or finish is None:
        return
    rows = page.shown.rows
    for index in range(begin, finish + 1):
        top, size = page.extent(index)
        if not size:
            continue
        block = rows[index] if index < len(rows) else page.row(index).block
        inner = begin < index < finish
        above = 0 if inner else page.row(index).gap
        starts = inner or index > begin or first < top + above or (first == top + above and left <= 2)
        ends = inner or index < finish or (last == top + size - 1 and (right < 0 or _at_end(page, last, right)))
        yield _Part(
            index, block, starts and ends and begin != finish,
            above if index > begin else max(first - top, above), size - 1 if index < finish else last - top,
            0 if index > begin or first < top + above else left, -1 if index < finish else right,
        )  # fmt: skip


def _at_end(page: Page, line: int, x: int) -> bool:
    return x >= len(page.strip(line).text.rstrip())


def _source(block: Block, open: bool) -> str | None:
    """What was written, where that is more use than what was drawn."""
    match block:
        case TextBlock() | UserBlock():
            return visible(block.text)
        case ThinkingBlock() if open:
            return visible(block.text)
        case _:
            return None


def unwrapped(lines: Sequence[Line], first: int, last: int, start: int, end: int) -> str:
    """The drawn text without margins, bars and numbers; what was wrapped is one line again.

    From character `start` of line `first` to `end` of line `last` (-1: its end).
    """
    left, right, last = start, end, min(last, len(lines) - 1)
    text = ""
    for number in range(first, last + 1):
        line = lines[number]
        start = left if number == first else 0
        end = right if number == last and right >= 0 else len(line.text)
        words = _words(line, start, end, number > 0 and lines[number - 1].soft)
        text += words if line.soft else words.rstrip()
        if number < last:
            text += line.glue if line.soft else "\n"
    return text


def _words(line: Line, start: int, end: int, continued: bool) -> str:
    kept: list[str] = []
    at = 0
    for segment in line.segments:
        decoration = segment.style.rpartition(" ")[2] in DECORATION and (segment.style != "indent" or continued)
        if not decoration:
            kept.append(segment.text[max(0, start - at) : max(0, end - at)])
        at += len(segment.text)
    return "".join(kept)
