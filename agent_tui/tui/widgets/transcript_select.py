"""What the mouse has selected in the transcript: its ends stay on their letters, whatever becomes of the page above and
of its width; and what began on one side of a diff stays on that side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.geometry import Offset
from textual.screen import Screen
from textual.selection import Selection, SelectState
from textual.timer import Timer
from textual.widget import Widget

from agent_tui.protocol.transcript import Block
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import Line
from agent_tui.tui.widgets.transcript_marks import joined, paragraph
from agent_tui.tui.widgets.transcript_page import Page

if TYPE_CHECKING:
    from agent_tui.tui import diff_sides
    from agent_tui.tui.widgets import transcript_clusters as clusters
else:
    diff_sides = late("agent_tui.tui.diff_sides")
    clusters = late("agent_tui.tui.widgets.transcript_clusters")

STEP: Final = 2
STEP_SECONDS: Final = 0.04
"""Lines, and the time between, by which the page moves under a drag that is held above or below it."""
_NEAR: Final = 8
"""Rows around its old place among which a block is looked for."""


@frozen
class Place:
    """A letter of a row: character `x` of line `offset` of `lines`, or, wherever lines begin and end by now, letter
    `letter` of the paragraph that says `text`."""

    index: int
    block: Block
    lines: tuple[Line, ...]
    offset: int
    x: int
    text: str
    letter: int


@frozen
class Origin:
    """The side of a diff on which the selection began: the row, and its side."""

    index: int
    side: diff_sides.Side


@frozen
class Held:
    """The ends of a selection, and where the drag that goes on began and is."""

    ends: tuple[Place | None, Place | None] = (None, None)
    drag: tuple[Place | None, Place | None] = (None, None)


def hold(page: Page, widget: Widget) -> Held:
    """Where the selection in `widget` is, before the page changes. Costs nothing where nothing is selected."""
    if not widget.is_attached:
        return Held()
    selection, state = widget.text_selection, _drag(widget)
    if selection is None and state is None:
        return Held()
    start, end = selection or (None, None)
    began, goes = _offsets(state, widget)
    return Held((_place(page, start), _place(page, end)), (_place(page, began), _place(page, goes)))


def keep(page: Page, widget: Widget, held: Held) -> None:
    """After the page has changed: the selection is where its letters are now, and a drag that goes on, too."""
    if held == Held() or not widget.is_attached:
        return
    screen, selection, state = widget.screen, widget.text_selection, _drag(widget)
    if selection is not None:
        moved = Selection(_offset(page, held.ends[0], selection.start), _offset(page, held.ends[1], selection.end))
        if moved != selection:
            screen.selections[widget] = moved
    if state is not None:
        began, goes = _offsets(state, widget)
        start = state.start._replace(content_offset=_offset(page, held.drag[0], began))
        end = state.end
        if end is not None and goes is not None:
            end = end._replace(content_offset=_offset(page, held.drag[1], goes))
        # Past the watcher, which would select anew, and paint, for what is the same selection.
        screen.set_reactive(Screen._select_state, state._replace(start=start, end=end))


def origin(page: Page, widget: Widget) -> Origin | None:
    """The side on which what is selected began; None if that was on none. Without a drag: where all of it is."""
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
    return None if side is None else Origin(index, side)


def span(page: Page, selection: Selection, began: Origin | None, line: int) -> tuple[int, int] | None:
    """The characters of `line` that are selected, no picture in part."""
    chosen = selection.get_span(line)
    index = page.index_at(line) if chosen is not None and (began is not None or chosen != (0, -1)) else None
    if chosen is None or index is None:
        return chosen
    row, offset = page.row(index), line - page.extent(index)[0]
    if offset >= len(row.lines):
        return chosen
    if chosen != (0, -1):
        chosen = clusters.forms(row.block).snapped(row.lines[offset].text, *chosen)
    alone = began is not None and index == began.index
    return diff_sides.within(row.lines[offset], began.side, *chosen) if began is not None and alone else chosen


def _drag(widget: Widget) -> SelectState | None:
    """The drag that began in `widget`, as long as it is not cleared."""
    state = widget.screen._select_state
    return state if state is not None and state.start.content_widget is widget else None


def _offsets(state: SelectState | None, widget: Widget) -> tuple[Offset | None, Offset | None]:
    if state is None:
        return None, None
    inside = state.end is not None and state.end.content_widget is widget
    return state.start.content_offset, state.end.content_offset if inside and state.end is not None else None


def _place(page: Page, at: Offset | None) -> Place | None:
    index = page.index_at(at.y) if at is not None else None
    if at is None or index is None:
        return None
    row, offset = page.row(index), at.y - page.extent(index)[0]
    if offset >= len(row.lines):
        return Place(index, row.block, row.lines, offset - row.gap, at.x, "", 0)
    first, end = paragraph(row.lines, offset)
    text, origins = joined(row.lines, first, end)
    letter = 0
    for begin, number, start in origins:
        if number >= 0 and (number, start) <= (offset, at.x):
            letter = begin + (at.x - start if number == offset else 0)
    return Place(index, row.block, row.lines, offset - row.gap, at.x, text, min(letter, len(text)))


def _offset(page: Page, place: Place | None, known: Offset | None) -> Offset | None:
    """Where `place` is now; `known` where that cannot be told."""
    if place is None or known is None:
        return known
    index = _index(page, place)
    count = len(page.heights) + len(page.live)
    if index >= count:
        return known
    row = page.row(index)
    top = page.extent(index)[0]
    if row.lines is place.lines or not row.lines:
        return Offset(place.x, top + max(0, place.offset + row.gap) if row.lines else top)
    for near in range(index, min(index + 3, count)):  # what is being written may have become several rows
        if (found := _found(page.row(near).lines, place)) is not None:
            return Offset(found[1], page.extent(near)[0] + found[0])
    return Offset(place.x, top + max(0, min(place.offset + row.gap, len(row.lines) - 1)))


def _index(page: Page, place: Place) -> int:
    """The row of that block: notices go in above an answer that is being written."""
    rows = page.shown.rows
    near = sorted(range(max(0, place.index - _NEAR), min(len(rows), place.index + _NEAR + 1)),
                  key=lambda index: abs(index - place.index))  # fmt: skip
    return next((index for index in near if rows[index] is place.block), place.index)


def _found(lines: Sequence[Line], place: Place) -> tuple[int, int] | None:
    """The line and the character in it where the letter of `place` is drawn, in the nearest paragraph that says the
    same, or begins so."""
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
    origins = joined(lines, *paragraph(lines, best))[1]
    line, start = best, 0
    for begin, number, character in origins:
        if number >= 0 and begin <= min(place.letter, len(said)):
            line, start = number, character + place.letter - begin
    return line, start


class Edge:
    """A drag that has left the letters of `widget` goes to the line beside the pointer, or to the edge of what is in
    view, and the page moves on under it for as long as it is held there; one that comes from outside begins at that
    edge. Textual would take all to the beginning or to the end."""

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
        """Whether the drag is above the widget (-1) or below it (1) now; 0: neither, or there is none."""
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
        start, end = chosen.start or Offset(0, top), chosen.end or Offset(len(self._page.strip(last).text), last)
        screen.selections[widget] = Selection(start, end)

    def _clamp(self) -> None:
        widget, state = self._widget, _drag(self._widget)
        if state is None or state.end is None or state.start.content_offset is None:
            return
        if state.end.content_widget is widget and state.end.content_offset is not None:
            return
        top, y, height = widget.scroll_offset.y, state.screen_offset.y - widget.region.y, widget.region.height
        line = top + max(0, min(y, height - 1))
        end = Offset(0 if y < 0 else len(self._page.strip(line).text), line)
        chosen = Selection.from_offsets(state.start.content_offset, end)
        last = Offset(chosen.end.x + 1, chosen.end.y) if chosen.end is not None else None  # the letter under it too
        widget.screen.selections[widget] = chosen._replace(end=last)
