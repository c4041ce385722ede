"""What the mouse has selected in the transcript, and what is read at its top: both stay on their
letters, whatever becomes of the page above and of its width; and what began on one side of a diff
stays on that side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from textual.geometry import Offset
from textual.screen import Screen
from textual.selection import Selection, SelectState
from textual.timer import Timer
from textual.widget import Widget

from agent_tui.protocol.transcript import Block
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import Line, join_lines, paragraph
from agent_tui.tui.transcript.page import Anchor, Page

with late():
    from agent_tui.tui.transcript import diff_sides, source_map


_NEAR: Final = 8
"""Rows around its old place among which a block is looked for."""


@frozen
class Place:
    """A letter of a row: character `x` of line `offset` of `lines`, or, wherever lines begin and
    end by now, letter `letter` of the paragraph that says `text`; on a page of that `width`."""

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
    origins = join_lines(lines, *paragraph(lines, offset))[1]
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
    text, origins = join_lines(row.lines, *paragraph(row.lines, offset))
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
    said = join_lines(row.lines, *paragraph(row.lines, first))[0]
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
        if _close(join_lines(lines, first, at)[0]) == close:
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
        text = join_lines(lines, first, end)[0]
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
    for begin, number, character in join_lines(lines, *paragraph(lines, first))[1]:
        if number >= 0 and begin <= letter:
            line, start = number, character + letter - begin
    return line, start


STEP: Final = 2
STEP_SECONDS: Final = 0.04
"""Lines, and the time between, by which the page moves under a drag that is held above or below it.
"""


@frozen
class Held:
    """The ends of a selection, where the drag that goes on began and is, and the side of a diff on
    which it began."""

    places: tuple[Place | None, ...] = ()
    side: diff_sides.Side | None = None


def hold(page: Page, widget: Widget) -> Held:
    """Where the selection in `widget` is, before the page changes. Costs nothing where nothing is
    selected."""
    if not widget.is_attached or (widget.text_selection is None and _drag(widget) is None):
        return Held()
    return Held(tuple(place_of(page, at) for at in _all_offsets(widget)), _side(page, widget))


def keep(page: Page, widget: Widget, held: Held) -> None:
    """After the page has changed: the selection is where its letters are now, and a drag that goes
    on, too. Both end where another width has the words of a table or of a diff in another order:
    others would stand between the ends."""
    if not held.places or not widget.is_attached:
        return
    screen, selection, state, before = (
        widget.screen,
        widget.text_selection,
        _drag(widget),
        _all_offsets(widget),
    )
    now = [
        offset_of(page, place, at, ends=n == 1)
        for n, (place, at) in enumerate(zip(held.places, before, strict=True))
    ]
    start, end, began, goes = now
    gone = any(at is not None and moved is None for at, moved in zip(before, now, strict=True))
    if selection is not None and not gone and selection != (start, end):
        screen.selections[widget] = Selection(start, end)
    if state is not None and not gone:
        state = state._replace(start=state.start._replace(content_offset=began))
        if state.end is not None and goes is not None:
            state = state._replace(end=state.end._replace(content_offset=goes))
        # Past the watcher, which would select anew, and paint, for what is the same selection.
        screen.set_reactive(Screen._select_state, state)
    anew = any(place is not None and place.width != page.painter.width for place in held.places)
    if gone or (anew and held.side != _side(page, widget)):
        screen.clear_selection()


def origin(page: Page, widget: Widget) -> diff_sides.Origin | None:
    """The side on which what is selected began; None if that was on none. Without a drag: where all
    of it is."""
    selection, state = widget.text_selection, _drag(widget)
    if selection is None:
        return None
    start, end = selection
    began = _offsets(state, widget)[0]
    if began is None and start is not None and end is not None and start.y == end.y:
        began = start
    index = page.index_at(began.y) if began is not None else None
    if began is None or index is None:
        return None
    lines, offset = page.lines(index), began.y - page.extent(index)[0]
    side = diff_sides.side_at(lines[offset], began.x) if offset < len(lines) else None
    return None if side is None else diff_sides.Origin(index, side)


def _all_offsets(widget: Widget) -> tuple[Offset | None, ...]:
    """The ends of the selection, then of the drag."""
    return *(widget.text_selection or (None, None)), *_offsets(_drag(widget), widget)


def _side(page: Page, widget: Widget) -> diff_sides.Side | None:
    began = origin(page, widget)
    return None if began is None else began.side


def span(
    page: Page, selection: Selection, began: diff_sides.Origin | None, line: int
) -> tuple[int, int] | None:
    """The characters of `line` that are selected, no picture in part."""
    chosen = selection.get_span(line)
    index = (
        page.index_at(line)
        if chosen is not None and (began is not None or chosen != (0, -1))
        else None
    )
    if chosen is None or index is None:
        return chosen
    row, offset = page.row(index), line - page.extent(index)[0]
    if offset >= len(row.lines):
        return chosen
    if chosen != (0, -1):
        chosen = source_map.forms(row.block).snap_range(row.lines[offset].text, *chosen)
    alone = began is not None and index == began.index
    return (
        diff_sides.range_on_side(row.lines[offset], began.side, *chosen)
        if began is not None and alone
        else chosen
    )


def _drag(widget: Widget) -> SelectState | None:
    """The drag that began in `widget`, as long as it is not cleared."""
    state = widget.screen._select_state
    return state if state is not None and state.start.content_widget is widget else None


def _offsets(state: SelectState | None, widget: Widget) -> tuple[Offset | None, Offset | None]:
    if state is None:
        return None, None
    inside = state.end is not None and state.end.content_widget is widget
    return (
        state.start.content_offset,
        state.end.content_offset if inside and state.end is not None else None,
    )


class Edge:
    """A drag that has left the letters of `widget` goes to the line beside the pointer, or to the
    edge of what is in view, and the page moves on under it for as long as it is held there; one
    that comes from outside begins at that edge. Textual would take all to the beginning or to the
    end."""

    def __init__(self, page: Page, widget: Widget) -> None:
        self._page, self._widget = page, widget
        self._timer: Timer | None = None

    def follow(self) -> None:
        """The selection is another one."""
        self._enter()
        self._clamp()
        if self._way() and self._timer is None:
            self._timer = self._widget.set_interval(STEP_SECONDS, self._step)

    def _step(self) -> None:
        way = self._way()
        if not way and self._timer is not None:
            self._timer.stop()
            self._timer = None
        elif way:
            self._widget.scroll_to(y=self._widget.scroll_offset.y + STEP * way)
            self._clamp()
            self._widget.refresh()

    def _way(self) -> int:
        """Whether the drag is above the widget (-1) or below it (1) now; 0: neither, or there is
        none."""
        state = _drag(self._widget)
        if state is None or not self._widget.screen._selecting or state.end is None:
            return 0
        y, region = state.screen_offset.y, self._widget.region
        return -1 if y < region.y else 1 if y >= region.bottom else 0

    def _enter(self) -> None:
        widget, chosen = self._widget, self._widget.text_selection
        screen, top = widget.screen, self._widget.scroll_offset.y
        outside = screen._selecting and screen._select_state is not None and _drag(widget) is None
        if not outside or chosen is None or None not in chosen:
            return
        last = top + widget.region.height - 1
        start, end = (
            chosen.start or Offset(0, top),
            chosen.end or Offset(len(self._page.strip(last).text), last),
        )
        screen.selections[widget] = Selection(start, end)

    def _clamp(self) -> None:
        widget, state = self._widget, _drag(self._widget)
        if state is None or state.end is None or state.start.content_offset is None:
            return
        if state.end.content_widget is widget and state.end.content_offset is not None:
            return
        top, y, height = (
            widget.scroll_offset.y,
            state.screen_offset.y - widget.region.y,
            widget.region.height,
        )
        line = top + max(0, min(y, height - 1))
        end = Offset(0 if y < 0 else len(self._page.strip(line).text), line)
        chosen = Selection.from_offsets(state.start.content_offset, end)
        last = (
            Offset(chosen.end.x + 1, chosen.end.y) if chosen.end is not None else None
        )  # the letter under it too
        widget.screen.selections[widget] = chosen._replace(end=last)
