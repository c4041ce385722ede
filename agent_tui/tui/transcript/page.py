"""The whole transcript as one tall page of painted lines, of which only what is looked at is laid
out."""

from __future__ import annotations

from operator import is_
from typing import Final

from rich.cells import cell_len
from textual.strip import Strip

from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, TurnBlock, UserBlock
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import clock, format_date
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.markdown.lines import EMPTY, Cells, Line, Segment, line_cells
from agent_tui.tui.transcript.groups import Group, Groups, group_line
from agent_tui.tui.transcript.heights import HIDDEN, Heights
from agent_tui.tui.transcript.painted_rows import Painter, Row

with late():
    from agent_tui.tui.transcript import blocks


@frozen
class Anchor:
    """A line of a row: it stays the same line when heights above it change. Live blocks are one
    row, the last."""

    row: int
    offset: int


class Page:
    """Rows, then live blocks. Lines are counted from the top of the page; an index counts rows,
    then live blocks."""

    def __init__(self) -> None:
        self.shown = TranscriptView(Vec(), ())
        self.heights = Heights()
        self.groups = Groups()
        self.live: list[Row] = []
        self._painter: Painter | None = None
        self._ticking: set[int] = set()
        """Rows of running tools: their elapsed time changes."""

    @property
    def painter(self) -> Painter:
        assert self._painter is not None, "the page has no width yet"
        return self._painter

    @property
    def live_height(self) -> int:
        return sum(len(row.strips) for row in self.live)

    @property
    def total(self) -> int:
        return self.heights.total + self.live_height

    def lay(self, painter: Painter) -> None:
        """Paint with `painter` from now on. Another width makes all heights estimates again."""
        before, self._painter = self._painter, painter
        painter.files = self.shown.files
        if (
            before is None
            or before.width != painter.width
            or len(self.heights) != len(self.shown.rows)
        ):
            if before is None or len(self.heights) != len(self.shown.rows):
                self.groups.reset(self.shown.rows)
                self._guess_all()
            else:
                self.heights.wrap(painter.width - 3)
        self.live = []
        self._paint_live()

    def update(self, view: TranscriptView) -> int | None:
        """Show `view`; returns the first line that may look different, or None."""
        old, self.shown = self.shown, view
        if self._painter is None:
            return None
        linked = view.files is not old.files and self.painter.show_files(view.files, self.live)
        rows_changed = self._update_rows(old, view)
        live_before, total_before = self.live, self.heights.total
        self._paint_live()
        if linked:
            return 0
        if rows_changed is not None:
            return self.heights.start(min(rows_changed, len(self.heights)))
        same = len(self.live) == len(live_before) and all(map(is_, self.live, live_before))
        return None if same else total_before

    def _update_rows(self, old: TranscriptView, view: TranscriptView) -> int | None:
        """Bring heights up to date; returns the first row that may look different."""
        heights, rows = self.heights, view.rows
        changed: list[int] = []
        reshaped: set[int] = set()
        if rows is not old.rows:
            heights.resize(len(rows))
            self._ticking = {row for row in self._ticking if row < len(rows)}
            changed = list(rows.changed_indices(old.rows))
            regrouped = self.groups.update(rows, changed)
            reshaped.update(changed, range(*regrouped) if regrouped else ())
        if view.expanded != old.expanded or view.look != old.look:
            self._guess_all()
            self.painter.forget_all()
            self.live = []
            return 0
        for index in changed:
            self._note_running(index, rows[index])
        for first in view.groups ^ old.groups if view.groups is not old.groups else ():
            group = self.groups.group_of(first)
            reshaped.update(range(group.first, group.last + 1) if group else ())
        if view.exceptions is not old.exceptions:
            reshaped.update(
                index for index in view.exceptions ^ old.exceptions if index < len(rows)
            )
        for index in reshaped:
            heights.guess(index, *self._extent(index, rows[index]))
        after = {self._below(index) for index in reshaped if index + 1 not in reshaped}
        stale = reshaped | after  # the gap above a row depends on the one before
        if len(rows) < len(old.rows):
            stale.add(len(rows))
        if view.now != old.now:
            stale.update(self._ticking)
        for index in stale:
            self.painter.forget(index)
            if index < len(heights):
                heights.doubt(index)
        return min(stale, default=None)

    def _note_running(self, index: int, block: Block) -> None:
        if isinstance(block, ToolBlock) and block.state == "running":
            self._ticking.add(index)
        else:
            self._ticking.discard(index)

    def _guess_all(self) -> None:
        """All heights anew. Most rows are words: no group holds those, and nothing in them runs."""
        extents = list[tuple[int, int]]()
        self._ticking.clear()
        for index, block in enumerate(self.shown.rows):
            if isinstance(block, UserBlock | TextBlock):
                extents.append(blocks.extent(block, self.is_open(index)))
            else:
                extents.append(self._extent(index, block))
                self._note_running(index, block)
        self.heights.fill(extents, self.painter.width - 3)

    def _extent(self, index: int, block: Block) -> tuple[int, int]:
        return HIDDEN if self.is_hidden(index, block) else blocks.extent(block, self.is_open(index))

    def is_open(self, index: int) -> bool:
        return self.shown.expanded != (index in self.shown.exceptions)

    def is_unfolded(self, group: Group) -> bool:
        """Whether the rows of `group` are shown one by one."""
        return self.shown.expanded != (group.first in self.shown.groups)

    def is_hidden(self, index: int, block: Block) -> bool:
        """Whether nothing is drawn for a row or live block."""
        if blocks.hidden(block, self.shown.look):
            return True
        group = self.groups.group_of(index)
        return (
            group is not None
            and group.first != index
            and not (self.is_open(index) or self.is_unfolded(group))
        )

    def begins_group(self, index: int) -> bool:
        """Whether a group's head stands above the row `index`, and the row itself is to be seen."""
        group = self.groups.group_of(index)
        return (
            group is not None
            and group.first == index
            and (self.is_open(index) or self.is_unfolded(group))
        )

    def holder(self, index: int) -> int:
        """The row where `index` is to be seen: itself, or the first of its folded group."""
        group = self.groups.group_of(index)
        return (
            group.first
            if group is not None and self.is_hidden(index, self.shown.rows[index])
            else index
        )

    def _above(self, index: int) -> int:
        """The nearest row before `index` of which something is drawn; -1 if there is none."""
        index -= 1
        while index >= 0 and self.is_hidden(index, self.shown.rows[index]):
            index -= 1
        return index

    def _below(self, index: int) -> int:
        """The nearest row after `index` of which something is drawn; the number of rows if there is
        none."""
        index += 1
        while index < len(self.shown.rows) and self.is_hidden(index, self.shown.rows[index]):
            index += 1
        return index

    def row(self, index: int) -> Row:
        """Row or live block `index`, painted."""
        rows = self.shown.rows
        if index >= len(rows):
            return self.live[index - len(rows)]
        block, open = rows[index], self.is_open(index)
        if self.is_hidden(index, block):
            return Row(block, 0, open, (), ())
        above = self._gap(self._above(index), block, index)
        return self.painter.row(index, block, above, open, lambda: self._draw(index, block, open))

    def _gap(self, above: int, block: Block, index: int) -> int:
        before = self.shown.rows[above] if above >= 0 else None
        return blocks.gap(before, block, self.is_open(index) or self.is_open(above))

    def _draw(self, index: int, block: Block, open: bool) -> tuple[Line, ...]:
        shown, group, width = self.shown, self.groups.group_of(index), self.painter.width
        lines = blocks.block_lines(block, width, open, shown.now, cell_len, shown.look)
        lines = add_stamp(lines, block, shown.look, width, cell_len)
        if group is None or group.first != index:
            return lines
        unfolded = self.is_unfolded(group)
        head = group_line(
            shown.rows[group.first : group.last + 1], unfolded, width, cell_len, shown.look
        )
        if not (unfolded or open):
            return (head,)
        return (head, EMPTY, *lines) if open else (head, *lines)

    def _paint_live(self) -> None:
        """The blocks that are being written; those that did not change since the last time stay as
        they are."""
        rows = self.shown.rows
        at = self._above(len(rows))
        before: Block | None = rows[at] if at >= 0 else None
        painted: list[Row] = []
        for number, block in enumerate(self.shown.live):
            open = self.is_open(len(rows) + number)
            above = blocks.gap(before, block, open or self.is_open(at))
            known = self.live[number] if number < len(self.live) else None
            if (
                known is None
                or known.block is not block
                or (known.gap, known.open) != (above, open)
            ):
                known = self.painter.paint(
                    block, above, open, self._draw(len(rows) + number, block, open), known
                )
            painted.append(known)
            if known.strips:
                before, at = block, len(rows) + number
        self.live = painted

    def measure(self, first: int, last: int) -> bool:
        """Lay out the rows between two lines; says whether any height was wrong."""
        heights = self.heights
        if not len(heights):
            return False
        wrong = False
        for index in range(heights.row_at(max(0, first)), heights.row_at(max(0, last)) + 1):
            wrong = self._exact(index) or wrong
        return wrong

    def fill(self, top: Anchor | None, height: int) -> None:
        """Lay out as many rows as `height` lines need: from `top` down, or without it from the end
        up. Rows outside stay estimates, however wrong those are: what nobody looks at is no work.
        """
        heights, left = self.heights, height
        if top is None:
            left, rows = left - self.live_height, range(len(heights) - 1, -1, -1)
        else:
            rows = range(top.row, len(heights))
        for index in rows:
            if left <= 0:
                return
            self._exact(index)
            left -= heights[index]
            if top is not None and index == top.row:
                left += min(top.offset, max(0, heights[index] - 1))

    def _exact(self, index: int) -> bool:
        """Lay out a row; says whether its height was wrong."""
        if self.heights.is_exact(index):
            return False
        return bool(self.heights.put(index, len(self.row(index).strips), True))

    def anchor(self, line: int) -> Anchor:
        heights = self.heights
        row = heights.row_at(line) if line < heights.total else len(heights)
        return Anchor(row, line - heights.start(row))

    def line_of(self, anchor: Anchor) -> int:
        """Where that line is now; the last line of its row if the row has become shorter."""
        heights = self.heights
        if anchor.row >= len(heights):
            return heights.total + anchor.offset
        return heights.start(anchor.row) + min(anchor.offset, max(0, heights[anchor.row] - 1))

    def index_at(self, line: int) -> int | None:
        """The row or live block that holds `line`."""
        heights = self.heights
        if line < heights.total:
            return heights.row_at(line)
        line -= heights.total
        for number, row in enumerate(self.live):
            if line < len(row.strips):
                return len(heights) + number
            line -= len(row.strips)
        return None

    def extent(self, index: int) -> tuple[int, int]:
        """First line and number of lines of a row or live block."""
        heights = self.heights
        if index < len(heights):
            return heights.start(index), heights[index]
        before = sum(len(row.strips) for row in self.live[: index - len(heights)])
        return heights.total + before, len(self.live[index - len(heights)].strips)

    def strip(self, line: int) -> Strip:
        """The painted `line`; a blank one below the end."""
        index = self.index_at(line)
        if index is None:
            return self.painter.blank
        strips = self.row(index).strips
        offset = line - self.extent(index)[0]
        return strips[offset] if offset < len(strips) else self.painter.blank

    def lines(self, index: int) -> tuple[Line, ...]:
        return self.row(index).lines


LEAST_WIDTH: Final = 40
"""Cells below which there is no room for times."""


def stamp(block: Block, zone: int) -> str:
    """When `block` began or was said, in words; empty where that is not known. `zone`: seconds east
    of Greenwich."""
    match block:
        case UserBlock(at=at) if at:
            return format_date(at, zone)
        case ToolBlock(started_at=at) | TurnBlock(at=at) if at:
            return clock(at, zone)
        case _:
            return ""


def add_stamp(
    lines: tuple[Line, ...], block: Block, look: Look, width: int, cells: Cells
) -> tuple[Line, ...]:
    """`lines` of `block` with its time: in the first line where it fits there, else in a line of
    its own below."""
    words = stamp(block, look.zone) if look.timestamps and width >= LEAST_WIDTH and lines else ""
    if not words:
        return lines
    first = lines[0]
    room = width - 1 - len(words) - line_cells(first.segments, cells)
    if room >= 2 and not first.soft:
        end = (Segment(" " * room, "stamp"), Segment(words, "stamp"))
        return (Line((*first.segments, *end), False, "", first.fill), *lines[1:])
    own = Line(
        (Segment(" " * (width - 1 - len(words)), "stamp"), Segment(words, "stamp")),
        fill=lines[-1].fill,
    )
    return (*lines, own)
