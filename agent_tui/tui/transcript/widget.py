"""The transcript: one virtualised Line-API widget, however long the session is.

Invariants:
  * rows in the viewport have exact heights, before it moves those of the page around it; others may
    be estimates;
  * the line at the top stays where it is when anything above it changes, unless the end is being
    followed;
  * growth never causes a layout of the screen, and an unchanged viewport is painted from a cache;
  * every painted line is exactly as wide as the widget.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self, TypeAlias, cast

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.marks import Marks
from agent_tui.tui.transcript.page import Anchor, Page
from agent_tui.tui.transcript.painted_rows import Painter, Palette, mark_range, no_address
from agent_tui.tui.transcript.scrollbar import WithBar
from agent_tui.tui.transcript.selection import (
    Edge,
    Held,
    Top,
    anchor_of,
    hold,
    keep,
    origin,
    span,
    top_of,
)


class Toggled(Message, namespace="transcript"):
    """A foldable line of row `row` was clicked (live blocks count on after the rows). `group`: the
    line of the group that begins there."""

    def __init__(self, row: int, group: bool = False) -> None:
        self.row, self.group = row, group
        super().__init__()


class Scrolled(Message, namespace="transcript"):
    """The end is in view again (`following`), or no longer."""

    def __init__(self, following: bool) -> None:
        self.following = following
        super().__init__()


class LinkClicked(Message, namespace="transcript"):
    """A link was clicked. Nothing has been opened."""

    def __init__(self, href: str) -> None:
        self.href = href
        super().__init__()


class FileClicked(Message, namespace="transcript"):
    """The name of the file `path` was clicked, at `line` (0: none is said)."""

    def __init__(self, path: str, line: int) -> None:
        self.path, self.line = path, line
        super().__init__()


class FilesNamed(Message, namespace="transcript"):
    """What is in view names these files, and nobody has looked yet whether they exist."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths
        super().__init__()


with late():
    from agent_tui.tui.transcript import copy_text as copy

Where = Literal["page_up", "page_down", "line_up", "line_down", "top", "end"]


class Transcript(WithBar, can_focus=False, inherit_css=False):
    """Shows a `TranscriptView`. Give it a new one with `apply`; move it with `scroll_view`.

    The palette is the one given, else `app.palette`; after it has changed, call `restyle`.
    """

    DEFAULT_CSS = """
    Transcript { overflow-y: scroll; overflow-x: hidden; scrollbar-size-vertical: 1; height: 1fr; }
    """

    Toggled: TypeAlias = Toggled
    Scrolled: TypeAlias = Scrolled
    LinkClicked: TypeAlias = LinkClicked
    FileClicked: TypeAlias = FileClicked
    FilesNamed: TypeAlias = FilesNamed

    def __init__(
        self, palette: Palette | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.auto_links = False
        self._palette = palette
        self._page = Page()
        self._marks = Marks(self._page)
        self._laid = Size(0, 0)
        self._top: Top | None = None
        self._painted: list[Strip] | None = None
        self._thumb: tuple[int, ...] = ()
        self._seen = 0
        """Rows there were when the end was last in view."""
        self.following = True
        self.below: Callable[[int], None] | None = None
        """Told how many rows came since the end was left; -1 where it is in view."""
        self._edge = Edge(self._page, self)
        self.address: Callable[[str, int], str] = no_address
        """How the terminal is told of a file and a line in it."""

    def apply(self, view: TranscriptView) -> None:
        """Show `view`. Costs what has changed since the one before, not what there is."""
        before, jumped = self._page.shown, view.jump != self._page.shown.jump
        self._marks.show(view)
        if not self._laid.width:
            self._page.update(view)
            return
        if (view.mark, view.query, view.nth) != (before.mark, before.query, before.nth):
            self.refresh()
        top, held = self._anchors()
        turn = turn_of(self._page, view, self.scroll_offset.y, self._laid.height)
        height_before = self._page.total
        touched = self._page.update(view)
        if jumped:
            self._follow(True)
        gone = view.go != before.go and 0 <= view.mark < len(view.rows)
        if touched is None and not jumped and not gone and self._page.total == height_before:
            return
        if turn:
            top, follow = turn.place(self._page, self._laid.height, self.following)
            self._follow(follow)
        self._settle(top, held)
        if gone and not turn:
            self._bring(view.nth >= 0)
        self._tell_below()
        if self.following or touched is None or touched < self.scroll_offset.y + self._laid.height:
            self.refresh()

    def _tell_below(self) -> None:
        if self.below is not None:
            self.below(-1 if self.following else max(0, len(self._page.heights) - self._seen))

    def restyle(self) -> None:
        """The theme is another one: everything is painted anew, nothing moves."""
        if self._laid.width:
            self._page.lay(self._make_painter())
        self.refresh()

    def scroll_view(self, where: Where | str) -> None:
        """`page_up`, `page_down`, `line_up`, `line_down`, `top`, `end`. Raises ValueError for
        anything else."""
        page = max(1, self._laid.height - 1)
        moves = {"page_up": -page, "page_down": page, "line_up": -1, "line_down": 1}
        if where in moves:
            self._go_by(moves[where])
        elif where in ("top", "end"):
            self._go(0 if where == "top" else self._last_top)
        else:
            raise ValueError(f"nowhere to scroll to: {where}")

    # Where things are.

    @property
    def _last_top(self) -> int:
        return max(0, self._page.total - self._laid.height)

    def _anchors(self) -> tuple[Anchor, Held]:
        """The line at the top, and what is selected."""
        return self._page.anchor(self.scroll_offset.y), hold(self._page, self)

    def _settle(self, top: Anchor, held: Held, around: bool = False) -> None:
        """Make the rows of the viewport exact (`around`: a page above and below too), put `top` (or
        the end) in its place, and feed the scrollbar."""
        page, height = self._page, self._laid.height
        if not self.following:
            page.fill(top, height)
        if self.following or page.line_of(top) > self._last_top:
            page.fill(None, height)
        line = self._last_top if self.following else min(page.line_of(top), self._last_top)
        for _ in range(
            10 if around else 0
        ):  # each round lays out rows that were estimates; two or three are usual
            if not page.measure(line - height, line + 2 * height):
                break
            line = self._last_top if self.following else min(page.line_of(top), self._last_top)
        self.set_reactive(Widget.virtual_size, Size(self._laid.width, page.total))
        self.set_reactive(Widget.scroll_y, float(line))
        self.set_reactive(Widget.scroll_target_y, float(line))
        if self.following:
            self._seen = len(page.heights)
        self._sync_scrollbar()
        keep(self._page, self, held)

    # Scrolling. Textual's setters would lay out the screen, or repaint more than what is seen.

    def _go_by(self, lines: int) -> None:
        if self._laid.width:
            self._settle(
                *self._anchors(), around=True
            )  # what a page is must be known before it is turned
        self._go(self.scroll_offset.y + lines)

    def _go(self, line: float) -> None:
        """Bring `line` to the top, as near as there is something to show."""
        if not self._laid.width:
            return
        top = max(0, min(round(line), self._last_top))
        before, self._top = self.scroll_offset.y, None
        self._follow(top >= self._last_top)
        self._settle(self._page.anchor(top), self._anchors()[1])
        if self.scroll_offset.y != before:
            self.refresh()

    @property
    def rows_in_view(self) -> tuple[int, int]:
        """The first and the last row in view; (0, -1) where nothing is laid out."""
        heights, top = self._page.heights, self.scroll_offset.y
        if not self._laid.width or not len(heights):
            return 0, -1
        return heights.row_at(top), heights.row_at(top + self._laid.height - 1)

    def _bring(self, hit: bool) -> None:
        """Show the marked row: a hit anywhere in view, else below a third of it; a row at the
        top."""
        page, height = self._page, self._laid.height
        top = page.anchor(self.scroll_offset.y)
        line = 0
        for _ in range(10):  # rows around it were estimates, and may be above what is in view
            index, offset = self._marks.place()
            line = page.extent(index)[0] + offset
            if not page.measure(line - height, line + 2 * height):
                break
        here = self._last_top if self.following else page.line_of(top)
        if hit and here <= line < here + height - (not self.following):
            self._settle(top, self._anchors()[1])
            self.refresh()
        else:
            self._go(line - height // 3 if hit else line)

    def _follow(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self._seen = len(self._page.heights)
            self.post_message(self.Scrolled(following))
            self._tell_below()

    def _sync_scrollbar(self) -> None:
        bar = self.vertical_scrollbar
        thumb = bar.feed(self._page.total, self._laid.height, self.scroll_offset.y)
        if not bar.is_mounted:  # it would forget to repaint
            self.call_after_refresh(self._sync_scrollbar)
        elif thumb != self._thumb:
            self._thumb = thumb
            bar.refresh()

    def _scroll_update(self, virtual_size: Size) -> None:  # noqa: ARG002
        self._refresh_scrollbars()
        self._sync_scrollbar()

    # Size and paint.

    def on_resize(self) -> None:
        self._lay()

    def _lay(self) -> None:
        """Follow a change of size. The words at the top stay, or of a search the hit that was in
        view."""
        size = self.scrollable_content_region.size
        if size == self._laid or not size.width or not size.height:
            return
        top, held = self._anchors()
        read = None if self.following else top_of(self._page, self.scroll_offset.y, self._top)
        if self._laid.width:
            looked = 0 <= self._marks.current_hit - self.scroll_offset.y < self._laid.height
        else:  # what was to be shown before there was any room
            looked = self._page.shown.mark >= 0 and self._page.shown.nth >= 0
        wider = size.width != self._laid.width
        self._laid = size
        if wider:
            self._page.lay(self._make_painter())
        self._settle(anchor_of(self._page, read) if read else top, held)
        self._top = read and read.put_at(self._page, self.scroll_offset.y)
        if looked:
            self._bring(True)
        self.refresh()

    def _make_painter(self) -> Painter:
        palette = self._palette or cast(Palette, getattr(self.app, "palette"))  # noqa: B009
        return Painter(
            self._laid.width,
            palette,
            self.get_line_filters(),
            self.background_colors[1],
            self.address,
        )

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        self._painted = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Own paint path: the compositor asks for all lines at each key that is pressed
        anywhere."""
        self._lay()
        if not self._laid.width:
            return [Strip.blank(crop.width)] * crop.height
        if self._painted is None:
            self._painted = [self._line(y) for y in range(self._laid.height)]
            if new := self._page.painter.take_unknown():
                self.call_next(self._tell_named, new)  # painting is the screen's: it would keep it
        x, y, width, height = crop
        lines = self._painted[y : y + height]
        if x or width < self._laid.width:
            lines = [line.crop_extend(x, x + width, None) for line in lines]
        return lines + [Strip.blank(width)] * (height - len(lines))

    def _tell_named(self, paths: tuple[str, ...]) -> None:
        self.post_message(self.FilesNamed(paths))

    def render_line(self, y: int) -> Strip:
        """One line with offsets in the text, which only the selection asks for."""
        if not self._laid.width:
            return Strip.blank(self.size.width)
        return self._line(y).apply_offsets(0, self.scroll_offset.y + y)

    def _line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        strip = self._marks.paint(self._page.strip(line), line)
        selection = self.text_selection
        chosen = (
            span(self._page, selection, origin(self._page, self), line)
            if selection is not None
            else None
        )
        if chosen is not None:
            strip = mark_range(strip, *chosen, self._page.painter.palette.style("selection"))
        return strip

    # Mouse and selection.

    async def _on_click(self, event: events.Click) -> None:
        event.prevent_default()
        line, meta = self.scroll_offset.y + event.y, event.style.meta
        if self.text_selection is not None:  # the end of a drag
            return
        if event.chain > 1:
            chosen = (
                copy.word_at(self._page, event.x, line)
                if event.chain == 2
                else copy.row_at(self._page, line)
            )
            if chosen is not None:
                self.screen.selections = {self: chosen}
        elif "href" in meta:
            self.post_message(self.LinkClicked(str(meta["href"])))
        elif "file" in meta and (event.ctrl or "toggle" not in meta):
            self.post_message(self.FileClicked(str(meta["file"]), int(meta.get("line", 0))))
        elif "toggle" in meta and (index := self._page.index_at(line)) is not None:
            self.post_message(self.Toggled(index, meta["toggle"] == "group"))

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self._edge.follow()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The source of rows that are wholly selected, the unwrapped text of the others."""
        text = copy.copy_selection(self._page, selection, origin(self._page, self))
        return (text, "\n") if text else None


@frozen
class Turn:
    """Row `row` was opened or closed, `by_key` or under the pointer. Its line was `below` lines
    below the top of the view; above it where that is negative: then the line at the `top` stays."""

    row: int
    below: int
    top: Anchor
    by_key: bool

    def place(self, page: Page, height: int, following: bool) -> tuple[Anchor, bool]:
        """What is now to be at the top of a view of `height` lines, and whether the end is followed
        from now on: it goes on being followed only where all that was opened is in view there, and
        again when the end is in view."""
        start, lines = page.extent(self.row)
        for _ in range(
            10
        ):  # what was opened is an estimate first, and so may be what comes into view
            if not page.measure(start - height, start + 2 * height):
                break
            start, lines = page.extent(self.row)
        head = _head(page, self.row)
        line = page.line_of(self.top)
        if self.below >= 0:
            shown = (
                min(start + lines - head, height // 2) if self.by_key else 1
            )  # a key has no pointer to stay under
            line = max(0, head - min(self.below, height - shown))
        last = max(0, page.total - height)
        return page.anchor(line), line >= last or (following and head >= last)


def turn_of(page: Page, view: TranscriptView, top: int, height: int) -> Turn | None:
    """What `view` turns of the `page`, which shows the view before it from line `top` on; None
    where that is not one row, or one that `view` also goes to and that is out of view."""
    old = page.shown
    rows = (view.exceptions ^ old.exceptions) | (view.groups ^ old.groups)
    if len(rows) != 1 or view.expanded != old.expanded or view.jump != old.jump:
        return None
    (row,) = rows
    if not 0 <= row < min(len(old.rows) + len(old.live), len(view.rows) + len(view.live)):
        return None
    below = _head(page, row) - top
    if view.go != old.go and (view.nth >= 0 or not 0 <= below < height):
        return None
    return Turn(row, below, page.anchor(top), view.go != old.go)


def _head(page: Page, row: int) -> int:
    return page.extent(row)[0] + page.row(row).gap
