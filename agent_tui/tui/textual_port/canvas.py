"""What the terminal is told of a frame: only what differs from what it shows, and text that moved
is moved by it.

An answer that grows by a line costs two rows and a scroll instead of the whole transcript; over ssh
that is most of the traffic. Leans on the inside of Textual's compositor, so the version is pinned
and pty tests hold it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeAlias, cast

from rich.console import Console
from rich.segment import Segment
from textual import events
from textual._compositor import Compositor, LayoutUpdate
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from agent_tui.structures.ascii import twin
from agent_tui.structures.visible import PAD, spacing

if TYPE_CHECKING:
    from agent_tui.tui.runtime.engine_client import Link

Pieces: TypeAlias = dict[int, Strip]
"""A row of the screen, or some of it: column to what begins there."""

LEAST_MOVED: Final = 3
"""So many rows must have moved together for the terminal to be asked to move them."""


class Keyed(Protocol):
    """What a screen needs of its app."""

    link: Link


class Stage(Screen[None], inherit_css=False):
    """A screen that is painted by a `Canvas`."""

    COMPONENT_CLASSES: ClassVar = Screen.COMPONENT_CLASSES

    def __init__(self) -> None:
        super().__init__()
        self._compositor = self._canvas = Canvas()

    async def _on_idle(self, event: events.Idle) -> None:  # noqa: ARG002  as Textual calls it
        """Before Textual's own: what a key changed is painted now, not with the next sixtieth of a
        second."""
        link = cast(Keyed, self.app).link
        if link.is_open and link.keys.to_paint() and (self._dirty_widgets or self._layout_required):
            self._on_timer_update()

    def on_mount(self) -> None:
        self.app.app_resume_signal.subscribe(self, lambda _: self._canvas.forget(), immediate=True)


class Canvas(Compositor):
    """Textual's compositor, asking only widgets that are to be seen, and remembering what the
    terminal shows."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Pieces] = []
        """What the terminal shows, row by row, as far as it is known."""
        self._told = self.size

    def forget(self) -> None:
        """The terminal may show anything: another program had it, or its size has changed."""
        self._told = self.size
        self.shown = [{} for _ in range(self.size.height)]

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        """Everything that differs. A change of size asks for it three times."""
        if simplify:  # a picture
            return super().render_full_update(simplify)
        self._dirty_regions.clear()
        if self._told != self.size:
            self.forget()
        width, height = self.size
        return Repaint(self, self._pieces((y, 0, width) for y in range(height)), self.size.region)

    def render_partial_update(self) -> LayoutUpdate | None:  # type: ignore[override]
        """What was said to be dirty, as far as it differs from what the terminal shows."""
        if self._told != self.size:
            return self.render_full_update()
        inside = self.size.region.intersection
        regions = [region for dirty in self._dirty_regions if (region := inside(dirty))]
        self._dirty_regions.clear()
        return (
            Repaint(self, self._pieces(self._regions_to_spans(regions)), self.size.region)
            if regions
            else None
        )

    def _pieces(self, spans: Iterable[tuple[int, int, int]]) -> dict[int, Pieces]:
        """The pieces that touch the spans (row, first column, end), each painted by the frontmost
        widget there."""
        cuts, missing = self.cuts, dict[int, list[tuple[int, int]]]()
        for y, start, end in spans:
            row = cuts[y]
            missing.setdefault(y, []).extend(
                piece for piece in pairwise(row) if piece[0] < end and piece[1] > start
            )
        painted: dict[int, Pieces] = {y: {} for y in missing}
        for widget, (region, clip) in self.visible_widgets.items():
            if not missing:
                break
            seen = region.intersection(clip)
            left, right = seen.column_span
            rows = [
                y
                for y in seen.line_range
                if any(left <= a and b <= right for a, b in missing.get(y, ()))
            ]
            if not rows:
                continue
            first = rows[0]
            crop = Region(left - region.x, first - region.y, seen.width, rows[-1] - first + 1)
            strips = widget.render_lines(crop)
            for y in rows:
                _divide(strips[y - first], left, right, missing[y], painted[y])
                missing[y] = [piece for piece in missing[y] if piece[0] not in painted[y]]
                if not missing[y]:
                    del missing[y]
        return painted


def _divide(
    strip: Strip, left: int, right: int, missing: list[tuple[int, int]], painted: Pieces
) -> None:
    """Cut the missing pieces between `left` and `right` out of a widget's line."""
    for start, end in missing:
        if left <= start and end <= right:
            whole = (start, end) == (left, right) and strip.cell_length == right - left
            painted[start] = strip if whole else strip.crop(start - left, end - left)


class Repaint(LayoutUpdate):
    """Painted pieces on their way to the terminal."""

    def __init__(self, canvas: Canvas, pieces: dict[int, Pieces], region: Region) -> None:
        super().__init__([], region)
        self.canvas, self.pieces = canvas, pieces

    def render_segments(self, console: Console) -> str:
        """The sequences that bring the terminal from what it shows to these pieces; it counts as
        told then."""
        shown, out = self.canvas.shown, list[str]()
        if moved := self._moved():
            out.append(scroll(shown, *moved))
        for y, pieces in self.pieces.items():
            row = shown[y]
            for x, strip in pieces.items():
                known = row.get(x)
                if known is not strip and (known is None or known != strip):
                    out.append(f"\x1b[{y + 1};{x + 1}H{strip.render(console)}")
                    put_strip(row, x, strip)
        return "".join(out)

    def _moved(self) -> tuple[int, int, int] | None:
        """First row, last row and by how much the text between them is to go up (or down), where
        most of it moves."""
        shown, width = self.canvas.shown, self.region.width
        was = dict[int, int]()
        for y, row in enumerate(shown):
            if row:
                widest = id(max(row.values(), key=_width))
                was[widest] = -1 if widest in was else y  # what stands there twice says nothing
        rows = [
            (y, was.get(id(max(row.values(), key=_width)), -1))
            for y, row in self.pieces.items()
            if row
        ]
        votes = Counter(old - y for y, old in rows if old >= 0)
        (by, count), *_ = votes.most_common(1) or [(0, 0)]
        if not by or count < LEAST_MOVED:
            return None
        places = [place for y, old in rows if old >= 0 and old - y == by for place in (y, old)]
        first, last = min(places), max(places)
        for y in range(
            first, last + 1
        ):  # all of it is repainted, so nothing is moved that should have stayed
            if sum(map(_width, self.pieces.get(y, {}).values())) != width:
                return None
        return first, last, by


def scroll(shown: list[Pieces], first: int, last: int, by: int) -> str:
    """Move rows `first` to `last` up by `by` lines (down if negative), here and, by what is
    returned, there."""
    rows, empty = shown[first : last + 1], [dict[int, Strip]() for _ in range(abs(by))]
    shown[first : last + 1] = rows[by:] + empty if by > 0 else empty + rows[:by]
    step = f"\x1b[{last + 1};1H" + "\n" * by if by > 0 else f"\x1b[{first + 1};1H" + "\x1bM" * -by
    return f"\x1b[0m\x1b[{first + 1};{last + 1}r{step}\x1b[r"


def put_strip(row: Pieces, x: int, strip: Strip) -> None:
    """`strip` is what the terminal shows from column `x` on now; what it covers is there no
    more."""
    end = x + strip.cell_length
    for start in [
        start for start, old in row.items() if start < end and start + old.cell_length > x
    ]:
        del row[start]
    row[x] = strip


def _width(strip: Strip) -> int:
    return strip.cell_length


class AsciiFilter(LineFilter):
    """Replaces glyphs one for one: no width changes. What is copied is the text, not its twin."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [Segment(_twin(text), style, control) for text, style, control in segments]


def _twin(text: str) -> str:
    """The cell of a mark stays the mark's: a space would be drawn over it."""
    if PAD not in text:
        return twin(text)
    drawn = zip(twin(text), ("", *text), text, strict=False)
    return "".join(
        PAD if letter == PAD and before and spacing(before) else other
        for other, before, letter in drawn
    )
