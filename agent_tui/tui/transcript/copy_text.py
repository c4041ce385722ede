"""What a selection in the transcript means as text: the source of whole rows, the unwrapped text of
parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from textual.geometry import Offset
from textual.selection import Selection

from agent_tui.present.displays import diffs_of
from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, ToolBlock, UserBlock
from agent_tui.structures import chips
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import PAD, harmless, spacing
from agent_tui.tui.markdown.lines import Line, paragraph
from agent_tui.tui.transcript.diff_sides import (
    Origin,
    bar_of,
    both_text,
    range_on_side,
    side_at,
    side_text,
)
from agent_tui.tui.transcript.page import Page
from agent_tui.tui.transcript.source_map import (
    BORDER,
    Written,
    as_written,
    forms,
    unwrap_lines,
    written_lines,
)


@frozen
class _Part:
    """What is selected of one block: from character `start` of line `first` to `end` of line `last`
    (-1: its end)."""

    index: int
    block: Block
    whole: bool
    first: int
    last: int
    start: int
    end: int


def copy_selection(page: Page, selection: Selection, began: Origin | None = None) -> str:
    """The text of `selection`, which `began` on a side of a diff, or on none. Costs the rows that
    are laid out: the first, the last, and those without a source."""
    text = ""
    before: Block | None = None
    for part in _parts(page, selection):
        source = _source(part.block, page.is_open(part.index)) if part.whole else None
        if (piece := source) is None:
            piece = _drawn(page.lines(part.index), part, began)
            if isinstance(part.block, UserBlock) and not page.is_open(part.index):
                piece = _unfolded(piece, part.block)
            piece = piece if before is None else piece.lstrip("\n")  # the gap above it
        if before is not None:
            one = (
                isinstance(before, TextBlock)
                and isinstance(part.block, TextBlock)
                and not part.block.head
            )
            if not (one and part.whole and text.endswith("\n")):
                text = text.rstrip("\n") + (
                    "\n" if one and not page.row(part.index).gap else "\n\n"
                )
        text += piece
        before = part.block
    return text.strip("\n")


def _drawn(lines: Sequence[Line], part: _Part, began: Origin | None) -> str:
    """What of a row was drawn, with its joined pictures; of a diff side by side, the source of one
    side, or of both as a unified diff."""
    known = forms(part.block)
    first, last = lines[min(part.first, len(lines) - 1)], lines[min(part.last, len(lines) - 1)]
    start = known.snap_range(first.text, part.start, -1)[0]
    end = part.end if part.end < 0 else known.snap_range(last.text, 0, part.end)[1]
    return known.rejoin_text(_as_drawn(lines, replace(part, start=start, end=end), began))


def _unfolded(text: str, block: UserBlock) -> str:
    """What was drawn of a folded prompt, with its pastes in the place of their labels."""
    parts = chips.parts(block.text, block.pastes)
    found = [chips.Chip(label, harmless(words)) for label, words in parts if label]
    return chips.expand(text, found)


def _as_drawn(lines: Sequence[Line], part: _Part, began: Origin | None) -> str:
    block = part.block
    shown = diffs_of(block.proposed or block.display) if isinstance(block, ToolBlock) else ()
    diff = shown[0] if len(shown) == 1 else None  # the numbers of several say nothing
    known = written_lines(block)
    if diff is None:
        return _written(lines, part.first, part.last, part.start, part.end, known)
    if began is not None and began.index == part.index:
        return side_text(diff, lines, began.side, part.first, part.last, part.start, part.end)
    found: list[str] = []
    last = min(part.last, len(lines) - 1)
    for split, numbers in groupby(
        range(part.first, last + 1), lambda number: bar_of(lines[number]) >= 0
    ):
        stretch = list(numbers)
        if split:
            found.append(both_text(diff, lines[stretch[0] : stretch[-1] + 1]))
            continue
        start = part.start if stretch[0] == part.first else 0
        end = part.end if stretch[-1] == part.last else -1
        found.append(_written(lines, stretch[0], stretch[-1], start, end, known))
    return "\n".join(found)


def _written(
    lines: Sequence[Line], first: int, last: int, start: int, end: int, known: Mapping[str, Written]
) -> str:
    """Like `unwrapped`, with the lines that are `known` as they were written."""
    found: list[str] = []
    at, last = first, min(last, len(lines) - 1)
    while at <= last:
        whole = paragraph(lines, at)
        stop = min(whole[1] - 1, last)
        left, right = start if at == first else 0, end if stop == last else -1
        if _is_rule(lines[at]):
            at = stop + 1
            continue
        piece = unwrap_lines(lines, at, stop, left, right)
        until = (
            None
            if right < 0 and stop == whole[1] - 1
            else (stop, right if right >= 0 else len(lines[stop].text))
        )
        found.append(as_written(lines, *whole, (at, left), until, piece, known))
        at = stop + 1
    return "\n".join(found)


def _is_rule(line: Line) -> bool:
    """Whether it is drawn between the rows of a table."""
    styles = {segment.style for segment in line.segments if segment.text.strip()}
    return styles == {BORDER} and "─" in line.text


def word_at(page: Page, x: int, line: int) -> Selection | None:
    """The word under cell `x` of `line`."""
    strip = page.strip(line)
    text, at = strip.text, len(strip.crop(0, x).text)
    if at >= len(text) or _blank(text, at):
        return None
    first, last = _side(page, line, at, len(text))
    start = end = at
    while start > first and not _blank(text, start - 1):
        start -= 1
    while end < last and not _blank(text, end):
        end += 1
    return Selection(Offset(start, line), Offset(end, line))


def _blank(text: str, at: int) -> bool:
    """Whether no word goes on here: a space that is not the cell of the mark before it."""
    return not text[at].strip() and not (text[at] == PAD and at > 0 and spacing(text[at - 1]))


def _side(page: Page, line: int, at: int, size: int) -> tuple[int, int]:
    """From which to which character of `line` the words around `at` may go: not across the bar of a
    diff."""
    index = page.index_at(line)
    if index is None:
        return 0, size
    lines, offset = page.lines(index), line - page.extent(index)[0]
    side = side_at(lines[offset], at) if offset < len(lines) else None
    return (0, size) if side is None else range_on_side(lines[offset], side, 0, size)


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
        starts = (
            inner or index > begin or first < top + above or (first == top + above and left <= 2)
        )
        ends = (
            inner
            or index < finish
            or (last == top + size - 1 and (right < 0 or _at_end(page, last, right)))
        )
        yield _Part(
            index,
            block,
            starts and ends and (begin != finish or not _is_code(block)),
            above if index > begin else max(first - top, above),
            size - 1 if index < finish else last - top,
            0 if index > begin or first < top + above else left,
            -1 if index < finish else right,
        )


def _at_end(page: Page, line: int, x: int) -> bool:
    return x >= len(page.strip(line).text.rstrip())


def _is_code(block: Block) -> bool:
    """Whether the fences around `block` are not what was meant, where it is all that is
    selected."""
    return isinstance(block, TextBlock) and block.text.lstrip().startswith(("```", "~~~"))


def _source(block: Block, open: bool) -> str | None:
    """What was written, where that is more use than what was drawn."""
    match block:
        case TextBlock() | UserBlock():
            return harmless(block.text)
        case ThinkingBlock() if open:
            return harmless(block.text)
        case _:
            return None
