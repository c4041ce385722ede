"""The transcript: one virtualised Line-API widget, however long the session is.

Invariants:
  * rows in the viewport and one page around it have exact heights, all others estimates;
  * the line at the top stays where it is when anything above it changes, unless the end is being followed;
  * growth never causes a layout of the screen, and an unchanged viewport is painted from a cache;
  * every painted line is exactly as wide as the widget.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final, Literal, Self, cast

from rich.segment import Segment as RichSegment
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from agent_tui.protocol.transcript import Block, ToolBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.blocks import estimate, gap
from agent_tui.tui.regions import TranscriptView
from agent_tui.tui.widgets.transcript_copy import Part, copied
from agent_tui.tui.widgets.transcript_heights import Heights
from agent_tui.tui.widgets.transcript_rows import Painter, Palette, Row

Where = Literal["page_up", "page_down", "top", "end", "line_up", "line_down"]
WHEEL: Final = 3
"""Lines that one notch of the wheel moves."""


class Transcript(ScrollView, can_focus=False):
    """Shows a `TranscriptView`. Give it a new one with `apply`; move it with `scroll_view`."""

    DEFAULT_CSS = """
    Transcript { overflow-y: scroll; overflow-x: hidden; scrollbar-size-vertical: 1; height: 1fr; }
    """
    auto_links: ClassVar[Any] = False

    class Toggled(Message):
        """A foldable line of row `row` was clicked."""

        def __init__(self, row: int) -> None:
            self.row = row
            super().__init__()

    class Scrolled(Message):
        """The end is in view again (`following`), or no longer."""

        def __init__(self, following: bool) -> None:
            self.following = following
            super().__init__()

    class LinkClicked(Message):
        """A link was clicked. Nothing has been opened."""

        def __init__(self, href: str) -> None:
            self.href = href
            super().__init__()

    def __init__(self, palette: Palette | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._given = palette
        self._shown = TranscriptView(Vec(), ())
        self._heights = Heights()
        self._painter: Painter | None = None
        self._laid = Size(0, 0)
        self._live: list[Row] = []
        self._ticking: set[int] = set()
        self._painted: list[Strip] | None = None
        self._thumb: tuple[int, ...] = ()
        self._seen_rows = 0
        """Rows there were when the end was last in view."""
        self.following = True

    # What is shown.

    def apply(self, view: TranscriptView) -> None:
        """Show `view`. Costs what has changed since the one before, not what there is."""
        old, self._shown = self._shown, view
        if not self._laid.width:
            return
        if view.jump != old.jump:
            self._follow(True)
        kept = self._keep()
        touched = self._update_rows(old, view)
        live_before = self._live_height
        self._paint_live()
        grown = len(old.rows) != len(view.rows) or live_before or self._live
        if touched is None and not grown and view.jump == old.jump:
            return
        self._settle(kept)
        first = self._heights.start(min(touched, len(self._heights))) if touched is not None else self._heights.total
        if self.following or first < self.scroll_offset.y + self._laid.height or len(old.rows) != len(view.rows):
            self.refresh()

    def restyle(self) -> None:
        """The theme is another one: everything is painted anew, nothing moves."""
        self._painter = None
        self._paint_live()
        self.refresh()

    def scroll_view(self, where: Where | str) -> None:
        """`page_up`, `page_down`, `line_up`, `line_down`, `top`, `end`."""
        page = max(1, self._laid.height - 1)
        here = self.scroll_offset.y
        targets = {
            "page_up": here - page, "page_down": here + page, "line_up": here - 1, "line_down": here + 1,
            "top": 0, "end": self.max_scroll_y,
        }  # fmt: skip
        if where not in targets:
            raise ValueError(f"nowhere to scroll to: {where}")
        self._go(targets[where], end=where == "end")

    # Rows.

    @property
    def _rows(self) -> Painter:
        palette = self._given if self._given is not None else cast(Palette, getattr(self.app, "palette"))  # noqa: B009
        painter = self._painter
        if painter is None or painter.width != self._laid.width or painter.palette is not palette:
            filters = self.get_line_filters()
            painter = self._painter = Painter(self._laid.width, palette, filters, self.background_colors[1])
        return painter

    def _open(self, index: int) -> bool:
        return self._shown.expanded != (index in self._shown.exceptions)

    def _gap(self, index: int) -> int:
        rows = self._shown.rows
        return gap(rows[index - 1] if index else None, rows[index])

    def _row(self, index: int) -> Row:
        block = self._shown.rows[index]
        return self._rows.row(index, block, self._gap(index), self._open(index), self._shown.now)

    def _guess(self, index: int, block: Block) -> int:
        return estimate(block, self._laid.width - 3, self._open(index)) + 1

    def _update_rows(self, old: TranscriptView, view: TranscriptView) -> int | None:
        """Bring heights up to date; returns the first row that may look different."""
        heights = self._heights
        if view.expanded != old.expanded:
            self._guess_all()
            return 0
        stale: set[int] = set()
        if view.rows is not old.rows:
            heights.resize(len(view.rows))
            self._ticking = {row for row in self._ticking if row < len(view.rows)}
            for row in view.rows.changed(old.rows):
                self._note_running(row, view.rows[row])
                heights.put(row, self._guess(row, view.rows[row]), False)
                stale.update((row, row + 1))
            if len(view.rows) < len(old.rows):
                stale.add(len(view.rows))
        if view.exceptions is not old.exceptions:
            stale.update(view.exceptions ^ old.exceptions)
        if view.now != old.now:
            stale.update(self._ticking)
        for row in stale:
            self._rows.forget(row)
            if row < len(heights):
                heights.doubt(row)
        return min(stale, default=None)

    def _note_running(self, index: int, block: Block) -> None:
        if isinstance(block, ToolBlock) and block.state == "running":
            self._ticking.add(index)
        else:
            self._ticking.discard(index)

    def _guess_all(self) -> None:
        self._heights.fill([self._guess(index, block) for index, block in enumerate(self._shown.rows)])
        self._painter = None
        self._ticking = {
            i for i, block in enumerate(self._shown.rows) if isinstance(block, ToolBlock) and block.state == "running"
        }

    def _paint_live(self) -> None:
        """The blocks that are being written; those that did not change since the last time stay as they are."""
        if not self._laid.width:
            return
        rows, painter = self._shown.rows, self._rows
        before: Block | None = rows[-1] if len(rows) else None
        painted: list[Row] = []
        for number, block in enumerate(self._shown.live):
            above, open = gap(before, block), self._open(len(rows) + number)
            known = self._live[number] if number < len(self._live) else None
            if known is None or known.block is not block or known.gap != above or known.open != open or not known.strips:
                known = painter.paint(block, above, open, self._shown.now)
            painted.append(known)
            before = block
        self._live = painted

    @property
    def _live_height(self) -> int:
        return sum(len(row.strips) for row in self._live)

    # Where things are: an anchor is (row, line in it); live blocks come after the rows.

    def _keep(self) -> tuple[tuple[int, int], list[tuple[int, int] | None]]:
        """The line at the top, and the ends of the selection, as anchors."""
        ends: list[tuple[int, int] | None] = [None, None]
        selection = self.text_selection if self.is_attached else None
        if selection is not None:
            ends = [None if end is None else self._anchor(end.y) for end in selection]
        return self._anchor(self.scroll_offset.y), ends

    def _anchor(self, line: int) -> tuple[int, int]:
        heights = self._heights
        if not len(heights) or line >= heights.total:
            return len(heights), line - heights.total
        row = heights.at(line)
        return row, line - heights.start(row)

    def _line_of(self, anchor: tuple[int, int]) -> int:
        row, offset = anchor
        heights = self._heights
        if row >= len(heights):
            return heights.total + offset
        return heights.start(row) + min(offset, max(0, heights[row] - 1))

    def _settle(self, kept: tuple[tuple[int, int], list[tuple[int, int] | None]]) -> None:
        """Make the rows around the viewport exact, keep the top line (or the end) in its place, feed the scrollbar."""
        anchor, ends = kept
        height = self._laid.height
        for _ in range(8):
            total = self._heights.total + self._live_height
            last = max(0, total - height)
            top = last if self.following else min(self._line_of(anchor), last)
            if not self._measure(top - height, top + 2 * height):
                break
        total = self._heights.total + self._live_height
        last = max(0, total - height)
        top = last if self.following else max(0, min(self._line_of(anchor), last))
        self.set_reactive(Widget.virtual_size, Size(self._laid.width, total))
        self._put(top)
        self._shift_selection(ends)

    def _measure(self, first: int, last: int) -> bool:
        """Lay out the rows between two lines; says whether any height was wrong."""
        heights = self._heights
        if not len(heights):
            return False
        wrong = False
        for row in range(heights.at(max(0, first)), heights.at(max(0, last)) + 1):
            if not heights.is_exact(row):
                wrong = bool(heights.put(row, len(self._row(row).strips), True)) or wrong
        return wrong

    def _shift_selection(self, ends: list[tuple[int, int] | None]) -> None:
        selection = self.text_selection if self.is_attached else None
        if selection is None:
            return
        moved = [
            None if end is None or anchor is None else Offset(end.x, self._line_of(anchor))
            for end, anchor in zip(selection, ends, strict=True)
        ]
        if moved != list(selection):
            self.screen.selections[self] = Selection(*moved)

    # Scrolling.

    def _go(self, line: float, end: bool = False) -> None:
        """Bring `line` to the top, as near as there is something to show."""
        if not self._laid.width:
            return
        top = max(0, min(round(line), self.max_scroll_y))
        self._follow(end or top >= self.max_scroll_y)
        before = self.scroll_offset.y
        anchor, ends = self._keep()
        self._settle((self._anchor(top), ends))
        if self.scroll_offset.y != before or anchor != self._anchor(top):
            self.refresh()

    def _put(self, top: int) -> None:
        """Set the position without the watchers, which would lay out and repaint everything."""
        self.set_reactive(Widget.scroll_y, float(top))
        self.set_reactive(Widget.scroll_target_y, float(top))
        if self.following:
            self._seen_rows = len(self._heights)
        self._sync_scrollbar()

    def _sync_scrollbar(self) -> None:
        """Tell the scrollbar, which repaints whole for any change, only what can be seen of it (eighths of a cell)."""
        bar, height = self.vertical_scrollbar, self._laid.height
        total = max(1, self.virtual_size.height)
        size = max(1.0, height * height / total)
        travel = (height - size) * self.scroll_offset.y / max(1, total - height)
        thumb = (int(travel * 8), int(size * 8), height, int(total > height))
        bar.set_reactive(type(bar).window_virtual_size, total)
        bar.set_reactive(type(bar).window_size, height)
        bar.set_reactive(type(bar).position, float(self.scroll_offset.y))
        if thumb != self._thumb:
            self._thumb = thumb
            bar.refresh()

    def _follow(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self._seen_rows = len(self._heights)
            self.post_message(self.Scrolled(following))
            self.refresh()

    def scroll_to(self, x: float | None = None, y: float | None = None, **_: Any) -> None:
        """Textual's own ways to scroll (the scrollbar among them) end here. Never animated."""
        if y is not None:
            self._go(y)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if round(old_value) != round(new_value):
            self._go(new_value)

    def _scroll_update(self, virtual_size: Size) -> None:
        self._refresh_scrollbars()
        self._sync_scrollbar()

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self._go(self.scroll_offset.y - WHEEL)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self._go(self.scroll_offset.y + WHEEL)

    # Size and paint.

    def on_resize(self) -> None:
        self._lay()

    def _lay(self) -> None:
        """Follow a change of size. The row at the top stays."""
        size = self.scrollable_content_region.size
        if size == self._laid or not size.width:
            return
        kept = self._keep()
        narrower = size.width != self._laid.width
        self._laid = size
        if narrower or len(self._heights) != len(self._shown.rows):
            self._guess_all()
            self._live = []
        self._paint_live()
        self._settle(kept)
        self.refresh()

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        self._painted = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter = None
        self._live = []
        if self._laid.width:
            self._paint_live()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Own paint path: the compositor asks for all lines at each key that is pressed anywhere."""
        self._lay()
        if self._painted is None:
            self._painted = [self._line(y) for y in range(self._laid.height)]
        x, y, width, height = crop
        lines = self._painted[y : y + height]
        if (x, width) != (0, self._laid.width):
            lines = [line.crop_extend(x, x + width, None) for line in lines]
        if len(lines) < height:
            lines = [*lines, *[Strip.blank(width, self._rows.palette.base)] * (height - len(lines))]
        return lines

    def render_line(self, y: int) -> Strip:
        """One line with offsets in the text, which only the selection asks for."""
        return self._line(y).apply_offsets(0, self.scroll_offset.y + y)

    def _line(self, y: int) -> Strip:
        content = self.scroll_offset.y + y
        strip = self._content(content)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(content)) is not None:
            strip = self._selected(strip, *span)
        if y == self._laid.height - 1 and not self.following:
            strip = self._with_news(strip)
        return strip

    def _content(self, line: int) -> Strip:
        heights = self._heights
        if line >= heights.total:
            return self._live_line(line - heights.total)
        row = heights.at(line)
        strips = self._row(row).strips
        offset = line - heights.start(row)
        return strips[offset] if offset < len(strips) else self._rows.blank

    def _live_line(self, line: int) -> Strip:
        for row in self._live:
            if line < len(row.strips):
                return row.strips[line]
            line -= len(row.strips)
        return self._rows.blank

    def _selected(self, strip: Strip, start: int, end: int) -> Strip:
        text = strip.text.rstrip()
        end = len(text) if end < 0 else min(end, len(text))
        if end <= start:
            return strip
        look = self._rows.palette.style("selection")
        parts: list[RichSegment] = []
        at = 0
        for segment in strip:
            words, style, _ = segment
            inside = max(0, start - at), max(0, end - at)
            for piece, marked in ((words[: inside[0]], 0), (words[inside[0] : inside[1]], 1), (words[inside[1] :], 0)):
                if piece:
                    parts.append(RichSegment(piece, style + look if marked and style else style))
            at += len(words)
        return Strip(parts, strip.cell_length)

    def _with_news(self, strip: Strip) -> Strip:
        """What came since the end was left, over the right end of the last line."""
        new = len(self._heights) - self._seen_rows
        words = f" {new} new ↓ " if new > 0 else " ↓ "
        width = self._laid.width
        if width < len(words) + 4:
            return strip
        label = RichSegment(words, self._rows.style("new", meta=(("jump", "end"),)))
        return Strip([*strip.crop(0, width - len(words)), label], width)

    # Mouse and selection.

    async def _on_click(self, event: events.Click) -> None:
        event.prevent_default()
        if event.chain > 1:
            self._select_at(event)
            return
        said = event.style.meta
        if "href" in said:
            self.post_message(self.LinkClicked(str(said["href"])))
        elif "jump" in said:
            self.scroll_view("end")
        elif "toggle" in said:
            index = self._index_at(self.scroll_offset.y + event.y)
            if index is not None:
                self.post_message(self.Toggled(index))

    def _index_at(self, line: int) -> int | None:
        heights = self._heights
        if line < heights.total:
            return heights.at(line)
        line -= heights.total
        for number, row in enumerate(self._live):
            if line < len(row.strips):
                return len(heights) + number
            line -= len(row.strips)
        return None

    def _select_at(self, event: events.Click) -> None:
        """Two clicks take the word, three the row."""
        y = self.scroll_offset.y + event.y
        if event.chain == 2:
            text = self._content(y).text
            at = len(self._content(y).crop(0, event.x).text)
            if at >= len(text) or not text[at].strip():
                return
            start = at
            while start and text[start - 1].strip():
                start -= 1
            end = at
            while end < len(text) and text[end].strip():
                end += 1
            chosen = Selection(Offset(start, y), Offset(end, y))
        else:
            anchor, _ = self._anchor(y)
            if anchor >= len(self._heights):
                return
            first, last = self._heights.start(anchor), self._heights.start(anchor + 1) - 1
            chosen = Selection(Offset(0, first), Offset(len(self._content(last).text.rstrip()), last))
        self.screen.selections = {self: chosen}

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The source of rows that are wholly selected, the unwrapped text of the others."""
        text = copied(self._parts(selection))
        return (text, "\n") if text else None

    def _parts(self, selection: Selection) -> Iterator[Part]:
        heights, total = self._heights, self._heights.total + self._live_height
        if not total:
            return
        start, end = selection
        first, left = (start.y, start.x) if start is not None else (0, 0)
        last, right = (end.y, end.x) if end is not None and end.y < total else (total - 1, -1)
        one = self._index_at(first) == self._index_at(last)
        for index in range(heights.at(first) if first < heights.total else len(heights), len(heights) + len(self._live)):
            top, size = self._extent(index)
            if top > last:
                return
            row_gap = self._gap(index) if index < len(heights) else self._live[index - len(heights)].gap
            begins = first < top + row_gap or (first == top + row_gap and left <= 2)
            ends = last >= top + size or (last == top + size - 1 and right < 0)
            yield Part(
                self._shown.rows[index] if index < len(heights) else self._live[index - len(heights)].block,
                lambda index=index: self._lines(index),  # type: ignore[misc]
                begins and ends and not one,
                self._open(index),
                max(first - top, row_gap),
                min(last - top, size - 1),
                left if first >= top + row_gap else 0,
                right if last < top + size else -1,
            )

    def _extent(self, index: int) -> tuple[int, int]:
        """First line and number of lines of a row or live block."""
        heights = self._heights
        if index < len(heights):
            return heights.start(index), heights[index]
        before = sum(len(row.strips) for row in self._live[: index - len(heights)])
        return heights.total + before, len(self._live[index - len(heights)].strips)

    def _lines(self, index: int) -> tuple[Any, ...]:
        count = len(self._heights)
        return self._row(index).lines if index < count else self._live[index - count].lines
