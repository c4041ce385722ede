"""What the mouse has selected in the transcript: its ends stay on their letters, whatever becomes
of the page above and of its width; and what began on one side of a diff stays on that side."""

from __future__ import annotations

from typing import Final

from textual.geometry import Offset
from textual.screen import Screen
from textual.selection import Selection, SelectState
from textual.timer import Timer
from textual.widget import Widget

from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.transcript.page import Page

with late():
    from agent_tui.tui.transcript import diff_sides, places, source_map

STEP: Final = 2
STEP_SECONDS: Final = 0.04
"""Lines, and the time between, by which the page moves under a drag that is held above or below it.
"""


@frozen
class Held:
    """The ends of a selection, where the drag that goes on began and is, and the side of a diff on
    which it began."""

    places: tuple[places.Place | None, ...] = ()
    side: diff_sides.Side | None = None


def hold(page: Page, widget: Widget) -> Held:
    """Where the selection in `widget` is, before the page changes. Costs nothing where nothing is
    selected."""
    if not widget.is_attached or (widget.text_selection is None and _drag(widget) is None):
        return Held()
    return Held(
        tuple(places.place_of(page, at) for at in _all_offsets(widget)), _side(page, widget)
    )


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
        places.offset_of(page, place, at, ends=n == 1)
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
        chosen = source_map.forms(row.block).snapped(row.lines[offset].text, *chosen)
    alone = began is not None and index == began.index
    return (
        diff_sides.within(row.lines[offset], began.side, *chosen)
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
