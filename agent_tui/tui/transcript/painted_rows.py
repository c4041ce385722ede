"""Blocks to painted rows (strips of exactly the width), kept for the rows last seen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, overload

from rich.segment import Segment as RichSegment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from agent_tui.protocol.transcript import Block
from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import EMPTY, Line, Meta, named_file

KEPT: Final = 600
"""Rows that stay painted. A strip is heavy: not for all rows of a long session."""
KEPT_LINES: Final = 60_000
"""Lines in all of them: a row that is open may have thousands."""
KEPT_STRIPS: Final = 400
"""Painted lines of one of them, about those last looked at: a strip takes 2 KB."""
_OUTSIDE: Final = frozenset(("margin", "indent", "quote.bar", "list.marker"))
"""What stands in front of a filled row and is not filled itself."""


class Palette(Protocol):
    """What of a theme is needed to paint: `style` of one or more style names, and `base` below them
    all."""

    def style(self, names: str) -> Style: ...

    @property
    def base(self) -> Style: ...


class Strips(Sequence[Strip]):
    """Painted lines, each painted when it is first looked at: of thousands, a screen shows a few,
    and those about them stay painted."""

    __slots__ = ("_known", "_lines", "_paint", "_painted")

    def __init__(self, lines: Sequence[Line], paint: Callable[[Line], Strip]) -> None:
        self._lines, self._paint = lines, paint
        self._known: list[Strip | None] = [None] * len(lines)
        self._painted = 0
        """At most so many are known."""

    def __len__(self) -> int:
        return len(self._lines)

    def adopt(self, before: Strips) -> None:
        """Keep what is painted of the lines that this one begins with like `before`: text that
        grows is painted once, and a strip that is the same object is text that has not changed."""
        self._painted = before._painted
        for index, (line, old) in enumerate(zip(self._lines, before._lines, strict=False)):
            if line is not old and line != old:
                return
            self._known[index] = before._known[index]

    def forget_files(self) -> None:
        """Lines that name a file are painted anew when they are looked at."""
        for index, strip in enumerate(self._known):
            if strip is not None and any(
                named_file(run.meta) for run in self._lines[index].segments if run.meta
            ):
                self._known[index] = None

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | Sequence[Strip]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        strip = self._known[index]
        if strip is None:
            strip = self._known[index] = self._paint(self._lines[index])
            self._painted += 1
            if self._painted > KEPT_STRIPS:
                self._forget_far(index)
        return strip

    def _forget_far(self, index: int) -> None:
        first = max(0, index - KEPT_STRIPS // 4)
        near = self._known[first : index + KEPT_STRIPS // 4]
        self._known = [None] * len(self)
        self._known[first : first + len(near)] = near
        self._painted = sum(strip is not None for strip in near)


@frozen
class Row:
    """A painted block. `lines[i]` is what `strips[i]` shows; the `gap` above counts in both."""

    block: Block
    gap: int
    open: bool
    lines: tuple[Line, ...]
    strips: Sequence[Strip]


def no_address(_: str, __: int) -> str:
    """No file has an address."""
    return ""


class Painter:
    """Paints blocks for one width and one palette; remembers the last `KEPT` by index and identity.

    A text that names one of `files` is a link to its `address`; where nobody has looked yet whether
    there is such a file, `take_unknown` gives its name."""

    def __init__(
        self,
        width: int,
        palette: Palette,
        filters: Sequence[LineFilter] = (),
        background: Color | None = None,
        address: Callable[[str, int], str] = no_address,
    ) -> None:
        self.width, self.palette, self.filters = width, palette, tuple(filters)
        self.background = background or Color(0, 0, 0)
        self._rows: OrderedDict[int, Row] = OrderedDict()
        self._lines = 0
        self._styles: dict[tuple[str, str, Meta | None], Style] = {}
        self.files: Mapping[str, str] = {}
        self._unknown: dict[str, None] = {}
        self._asked: set[str] = set()
        self._address = address
        self.blank = self._strip(EMPTY)

    def row(
        self, index: int, block: Block, gap: int, open: bool, draw: Callable[[], tuple[Line, ...]]
    ) -> Row:
        """The painted row, from memory if this very block was painted in the same state; else
        painted from `draw`."""
        row = self._rows.get(index)
        if row is not None and row.block is block and row.gap == gap and row.open == open:
            self._rows.move_to_end(index)
            return row
        self.forget(index)
        row = self._rows[index] = self.paint(block, gap, open, draw())
        self._lines += len(row.lines)
        while len(self._rows) > KEPT or (self._lines > KEPT_LINES and len(self._rows) > 1):
            _, oldest = self._rows.popitem(last=False)
            self._lines -= len(oldest.lines)
        return row

    def forget(self, index: int) -> None:
        if (row := self._rows.pop(index, None)) is not None:
            self._lines -= len(row.lines)

    def forget_all(self) -> None:
        self._rows.clear()
        self._lines = 0

    def show_files(self, files: Mapping[str, str], live: Sequence[Row]) -> bool:
        """Other `files` are known; says whether the rows, or those that are written (`live`), may
        look different."""
        before, self.files = self.files, files
        self._asked.clear()
        gone = before.keys() - files.keys()
        if not gone and not any(files[path] for path in files.keys() - before.keys()):
            return False
        for row in (*self._rows.values(), *live):
            if isinstance(row.strips, Strips):
                row.strips.forget_files()
        return True

    def take_unknown(self) -> tuple[str, ...]:
        """The names that were painted and may be those of files; each once until other files are
        known."""
        new = tuple(path for path in self._unknown if path not in self._asked)
        self._asked.update(new)
        self._unknown.clear()
        return new

    def _link(self, meta: Meta) -> Meta | None:
        """`meta` with the address of the file that it names, if there is one; else without it."""
        if (named := named_file(meta)) is None:
            return meta
        path, line = named
        where = self.files.get(path)
        if where is None:
            self._unknown[path] = None
        if where and (address := self._address(where, line)):
            return (*meta, ("address", address))
        return tuple(one for one in meta if one[0] not in ("file", "line")) or None

    def paint(
        self, block: Block, gap: int, open: bool, lines: tuple[Line, ...], before: Row | None = None
    ) -> Row:
        """Paint `lines`; `before` is the same block at an earlier moment, if it is still being
        written."""
        if not lines:
            return Row(block, gap, open, (), ())
        lines = (*(EMPTY for _ in range(gap)), *lines)
        strips = Strips(lines, self._strip)
        if before is not None and isinstance(before.strips, Strips):
            strips.adopt(before.strips)
        return Row(block, gap, open, lines, strips)

    def style(self, names: str, fill: str = "", meta: Meta | None = None) -> Style:
        meta = self._link(meta) if meta else None
        key = (names, fill, meta)
        known = self._styles.get(key)
        if known is None:
            known = self.palette.base
            if fill:
                known += Style(bgcolor=self.palette.style(fill).bgcolor)
            known += self.palette.style(names)
            if meta:
                said = dict(meta)
                known += Style(link=said.get("href") or said.get("address"), meta=said)
            if len(self._styles) > 2_000:
                self._styles.clear()
            self._styles[key] = known
        return known

    def _strip(self, line: Line) -> Strip:
        style, fill = self.style, ""
        segments: list[RichSegment] = []
        for s in line.segments:
            if s.style not in _OUTSIDE:
                fill = line.fill
            segments.append(RichSegment(s.text, style(s.style, fill, s.meta)))
        space = self.width - sum(segment.cell_length for segment in segments)
        if space > 0:
            segments.append(RichSegment(" " * space, style("", line.fill)))
        for each in self.filters:
            segments = each.apply(segments, self.background)
        strip = Strip(segments, self.width + max(0, -space))
        return strip if space >= 0 else strip.crop(0, self.width)


def mark_range(strip: Strip, start: int, end: int, look: Style) -> Strip:
    """`strip` with `look` over its characters from `start` to `end` (-1: to the end of its
    text)."""
    size = len(strip.text.rstrip())
    end = size if end < 0 else min(end, size)
    if end <= start:
        return strip
    parts: list[RichSegment] = []
    at = 0
    for words, style, _ in strip:
        left, right = max(0, start - at), max(0, end - at)
        for piece, inside in (
            (words[:left], False),
            (words[left:right], True),
            (words[max(left, right) :], False),
        ):
            if piece:
                parts.append(RichSegment(piece, style + look if inside and style else style))
        at += len(words)
    return Strip(parts, strip.cell_length)
