"""A sheet, docked above the prompt over the full width: help, a list to choose from, the first-run
screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual import events
from textual.geometry import Size
from textual.message import Message

from agent_tui.registry import late
from agent_tui.tui.core.regions import (
    DIVIDER,
    OverlayView,
    Span,
    list_room,
    preview_room,
    sheet_room,
)
from agent_tui.tui.core.words import format_place
from agent_tui.tui.dialog.widget import fill_line, options_lines
from agent_tui.tui.markdown.lines import Segment, cut_text, line_cells, wrap
from agent_tui.tui.widgets.paint import Region, is_low, join_ends, pad, runs, seg
from agent_tui.tui.widgets.popups import window

if TYPE_CHECKING:
    from agent_tui.protocol.display import DiffDisplay

with late():
    from agent_tui.tui.transcript import diff as drawing
    from agent_tui.tui.transcript import displays

TINY: Final = 12
"""Columns below which there is nothing but a title and the choices."""
TURNED: Final = (" · ↑↓ PgUp/PgDn", " · PgUp/PgDn", " · PgDn", " PgDn")
"""How the rest is read, in as many words as there is room for; with choices, arrows go to these."""
MIN_OPTIONS: Final = 5
WORDS: Final = 9
"""On a low screen so many entries of a list make room for so many lines of words, one of them
empty."""
LEAST_WORDS: Final = 3
"""So many lines of words are in view beside rows that stay."""
ROOM_FOR_NAMES: Final = 60
"""Columns from which on it is said what a count in the edge counts."""
FEW: Final = 5
"""A list with fewer rows than this shows no headings."""
Drawn = Sequence[Segment]


@dataclass(frozen=True)
class Rows:
    """The lines of the choices; a line that shows none has a negative number. `at` is that of the
    one under the cursor, with `after` lines of a question about it. `heads` are the lines of
    headings and those above them. The last `kept` lines stay in view."""

    lines: Sequence[Drawn]
    numbers: Sequence[int]
    at: int = 0
    after: int = 0
    heads: frozenset[int] = frozenset()
    kept: int = 0

    def __len__(self) -> int:
        return len(self.lines)

    def part(self, room: int) -> Rows:
        """As many of them as have room, with the cursor and what is asked about its row, and those
        that stay. No heading stands without a row below it."""
        if 0 < self.kept < room < len(self):
            first = len(self) - self.kept
            above = Rows(
                self.lines[:first], self.numbers[:first], min(self.at, first - 1), 0, self.heads
            ).part(room - self.kept)
            lines, numbers = [*above.lines, *self.lines[first:]], self.numbers[first:]
            return Rows(lines, [*above.numbers, *numbers], kept=self.kept)
        seen = window(len(self), self.at + (self.after + 1) // 2, room)
        if self.at < seen.start:
            seen = range(self.at, min(len(self), self.at + room))
        lines, numbers = [self.lines[n] for n in seen], [self.numbers[n] for n in seen]
        for n in reversed(seen):
            if n not in self.heads:
                break
            lines[n - seen.start], numbers[n - seen.start] = blank_of(self.lines[n]), -1
        return Rows(lines, numbers)

    def with_note(self, said: str, cells: int) -> Rows:
        """The same with `said` at the end of the last line that does not stay."""
        at = len(self) - self.kept - 1
        last = [*self.lines[at]]
        while last and not last[-1].text.strip():
            last.pop()  # what only fills the line
        line = join_ends(last, (seg(f"  {said}", "dim"),), cells)
        return replace(self, lines=[*self.lines[:at], line, *self.lines[at + 1 :]])


class Overlay(Region):
    class Clicked(Message):
        """Option number `option` was clicked, headings counted."""

        def __init__(self, option: int) -> None:
            super().__init__()
            self.option = option

    value: OverlayView | None = None
    around: Callable[[], int] | None = None
    """How many rows the screen needs for what is neither this nor the transcript."""
    _around = 0
    """The same, as it was drawn last."""
    _screen = Size(0, 0)
    """The screen for which it was drawn."""
    _diffs_drawn: tuple[tuple[DiffDisplay, ...], int, list[tuple[Segment, ...]]] = ((), 0, [])
    """The differences that were drawn last, in how many cells, and how."""
    part = (0, 0)
    """How many lines of its words are in view, and how many there are; (0, 0) where all are, or
    none can be turned."""
    _options: Sequence[int] = ()
    """The number of the option in each line; negative: it shows none."""

    def show(self, value: OverlayView | None) -> None:
        self.value, self.part = value, (0, 0)
        self.display = value is not None
        self._draw()

    def keep_room(self) -> None:
        """After a layout: what is around it may have grown or shrunk, of which Textual tells nobody
        else."""
        if self.value is not None and (self._screen, self._around) != (
            self.app.size,
            self._needed(),
        ):
            self._draw()

    def _needed(self) -> int:
        return self.around() if self.around is not None else 0

    def _draw(self) -> None:
        """As high as its lines; another height asks for a layout by itself."""
        self._made = None
        if self.value is not None:
            self._screen, self._around = self.app.size, self._needed()
            high = len(self.strips(self._screen.width))
            if self.styles.height is None or self.styles.height.value != high:
                self.styles.height = high
        self.refresh()

    async def _on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is not None and 0 <= at.y < len(self._options) and self._options[at.y] >= 0:
            self.post_message(self.Clicked(self._options[at.y]))

    def lines(self, width: int) -> Sequence[Drawn]:
        value, self.part, self._options = self.value, (0, 0), ()
        if value is None:
            return []
        size = self.app.size
        budget = max(2, size.height - self._around)
        if value.high:
            budget = min(budget, 1 + value.high)
        if width < TINY:
            head = pad((seg(value.title, "accent"),), width)
            return [head, *options_lines(value.options, value.selected, width, True)][:budget]
        beside = preview_room(width) if value.beside else 0
        body, numbers, note = self._body(value, width, budget - 1, beside)
        left = budget - 1 - len(body)
        spare = left if value.high else min(value.spare, left)
        self._options = (-1, *numbers)
        margin = Segment(" " * (2 if is_low(size) else 3))
        rows: list[Drawn] = [(margin, *line) for line in body]
        return [edge(value.title, note, width), *rows, *[()] * spare]

    def _body(
        self, value: OverlayView, width: int, room: int, beside: int
    ) -> tuple[list[Drawn], list[int], str]:
        """The lines below the edge, the number of the option in each, and what the edge notes."""
        inner = sheet_room(width, True)
        cells = list_room(width) if beside else inner
        options = choices(value, cells, value.airy)
        first = value.lines[: value.head] if value.list_first or beside else ()
        head: list[Drawn] = [line for spans in first for line in wrap_spans(spans, inner)]
        text = self._text(
            value, value.lines[len(first) :], beside or sheet_room(width, value.broad)
        )
        aired = choices(value, cells, True)  # where all of it has room, on a short screen too
        if len(head) + (0 if beside else len(text) + 1) + len(aired) <= room:
            options = aired
        if beside and len(options):
            return self._beside(
                value, head, options.part(max(1, room - len(head))), text, room, cells
            )
        most = max(room // 2, min(room - MIN_OPTIONS, WORDS))
        if value.list_first and text and not text[0]:
            text = text[1:]  # an empty line stands between them anyway
        said = len(head) + len(text)
        least = max(3 + options.after, room - min(said + 1, most))
        if options.kept:  # what decides, and a row above it, come before words that can be turned
            least = max(least, min(room - LEAST_WORDS, max(options.kept + 3, room // 2)))
        options_room = min(len(options), room, least)  # the prompt below keeps its row
        plain = without_headings(choices(value, cells, False), value)
        if value.reads and said + len(options) > room:  # first the rows, up to half of the room
            least = max(least, min(len(plain), room // 2))
            options_room = min(len(options), room, least)
        few = options_room < max(FEW + options.after, options.kept + bool(options.kept) * 2)
        if options_room < len(options) and (few or len(plain) <= options_room):
            options = plain  # first what can be chosen
            options_room = min(options_room, len(options))
        left = room - options_room
        tight = (
            not (len(options) and text) or said == left
        )  # rather all words than an empty line below them
        tight = tight or (value.reads and said > left and is_low(self.app.size))
        head = head[:left]
        shown, more = self._turned(value, text, max(0, left - len(head) - (not tight)), width)
        seen = options.part(options_room)
        told = _told(value, seen.numbers)
        if more and " of " in told and width >= ROOM_FOR_NAMES:  # the other one counts rows
            more = f"lines {more}"
        if more and told and not value.note:  # the edge says what is in view of the words
            seen, told = seen.with_note(told, cells), ""
        apart: list[Drawn] = [()] if shown and len(seen) and not tight else []
        above: list[Drawn] = head if value.list_first else [*head, *shown, *apart]
        below: list[Drawn] = [*apart, *shown] if value.list_first else []
        numbers = [*[-1] * len(above), *seen.numbers, *[-1] * len(below)]
        return [*above, *seen.lines, *below], numbers, _joined(more, told)

    def _beside(
        self,
        value: OverlayView,
        head: Sequence[Drawn],
        seen: Rows,
        text: Sequence[Drawn],
        room: int,
        cells: int,
    ) -> tuple[list[Drawn], list[int], str]:
        """The list, and beside it what is said of the row under the cursor."""
        high = min(max(len(seen), len(text)), max(1, room - len(head)))
        divider, none = Segment(" │ ".center(DIVIDER), "rule"), pad((), cells)
        rows = [
            (
                *(seen.lines[n] if n < len(seen) else none),
                divider,
                *(text[n] if n < len(text) else ()),
            )
            for n in range(high)
        ]
        numbers = [*[-1] * len(head), *seen.numbers, *[-1] * (high - len(seen))]
        return [*head, *rows], numbers, _told(value, seen.numbers)

    def _text(self, value: OverlayView, lines: Sequence[Sequence[Span]], cells: int) -> list[Drawn]:
        """All that is read in it."""
        said = lines[: value.told] if value.diffs else lines
        text: list[Drawn] = [line for spans in said for line in wrap_spans(spans, cells)]
        text += self._diffs(value.diffs, cells)
        if value.text:
            drawn = displays.markdown_lines(value.text, cells, cell_len)
            text += [*(tuple(fill_line(line, cells)) for line in drawn)]
            text += [()] if value.below else []
        text += [line for spans in value.below for line in wrap_spans(spans, cells)]
        return text

    def _diffs(self, diffs: tuple[DiffDisplay, ...], width: int) -> list[tuple[Segment, ...]]:
        """The differences as the transcript draws them: made once, read with many keys."""
        if self._diffs_drawn[:2] != (diffs, width):
            lines: list[tuple[Segment, ...]] = []
            for diff in diffs:
                drawn = drawing.diff_lines(diff, width, cell_len, "unified")[0]
                lines += [
                    (),
                    (seg(diff.path, "diff.path"),),
                    *(tuple(fill_line(line, width)) for line in drawn),
                ]
            self._diffs_drawn = diffs, width, lines
        return self._diffs_drawn[2]

    def _turned(
        self, value: OverlayView, text: Sequence[Drawn], room: int, width: int
    ) -> tuple[Sequence[Drawn], str]:
        """The part of the words that is in view, and where it is: with how it is turned, where
        there is more."""
        if len(text) <= room:
            return text, ""
        if room <= 0:
            return [], ""
        first = min(max(0, value.scroll), len(text) - room)
        more = format_place(first + 1, len(text), first + room)
        if value.reads:
            self.part = room, len(text)
            free = width - 9 - cell_len(value.title + more)
            more += next(
                (way for way in TURNED[bool(value.options) :] if cell_len(way) <= free), ""
            )
        return text[first : first + room], more


def choices(value: OverlayView, cells: int, airy: bool) -> Rows:
    """All choices as lines, what is asked about one of them right below it. `airy`: headings stand
    apart from what is above them."""
    lines, numbers, at, after = list[Drawn](), list[int](), 0, 0
    heads, begins = set[int](), len(value.options) - value.stays
    stays = 0
    for number, line in enumerate(options_lines(value.options, value.selected, cells, True)):
        stays = len(lines) if number == begins else stays
        apart = lines or (value.list_first and value.head)
        if airy and apart and value.options[number].heading and value.options[number].label:
            heads.add(len(lines))
            lines.append(pad((), cells))
            numbers.append(-1)
        if value.options[number].heading:
            heads.add(len(lines))
        lines.append(line)
        numbers.append(number)
        if number == value.selected:
            at = len(lines) - 1
            asked = wrap_spans(value.asked, max(1, cells - 2)) if value.asked else []
            after = len(asked)
            lines += [pad((Segment("  "), *one), cells) for one in asked]
            numbers += [-1] * after
    kept = len(lines) - stays if value.stays else 0
    return Rows(lines, numbers, at, after, frozenset(heads), kept)


def blank_of(line: Drawn) -> Drawn:
    return pad((), line_cells(line, cell_len))


def without_headings(rows: Rows, value: OverlayView) -> Rows:
    """The same with choices alone."""
    kept = [
        n
        for n, number in enumerate(rows.numbers)
        if number < 0 or not value.options[number].heading
    ]
    at = kept.index(rows.at) if rows.at in kept else 0
    return Rows(
        [rows.lines[n] for n in kept],
        [rows.numbers[n] for n in kept],
        at,
        rows.after,
        kept=sum(n >= len(rows) - rows.kept for n in kept),
    )


def edge(title: str, note: str, width: int) -> Drawn:
    """The upper edge: the title at its left, above the marks of the list, and a note at its
    right."""
    head = [
        Segment(" "),
        Segment("─ ", "accent"),
        *((seg(title, "accent strong"), Segment(" ")) if title else ()),
    ]
    room = width - line_cells(head, cell_len) - 5
    said = fit_note(note, room) if room > 0 else ""
    tail = [seg(f" {said} ", "dim"), Segment("─", "accent")] if said else []
    rule = width - 1 - line_cells((*head, *tail), cell_len)
    if rule < 0:
        return pad(head, width)
    return [*head, Segment("─" * rule, "accent"), *tail]


def _joined(*said: str) -> str:
    return " · ".join(filter(None, said))


def _told(value: OverlayView, seen: Sequence[int]) -> str:
    """What the edge notes; of choices that are not in view too, unless it counts them already."""
    found = value.options[: len(value.options) - value.stays]
    count = [number for number, option in enumerate(found) if not option.heading]
    there = [place for place, number in enumerate(count) if number in seen]
    if len(there) == len(count) or not there or " of " in value.note:
        return value.note
    return _joined(format_place(there[0] + 1, len(count), there[-1] + 1), value.note)


def fit_note(note: str, room: int) -> str:
    """The last parts of `note` that have room; what stands in brackets goes first."""
    if cell_len(note) > room:
        note = note.partition(" (")[0]
    while cell_len(note) > room and " · " in note:
        note = note.partition(" · ")[2]
    return cut_text(note, room, cell_len)


def wrap_spans(spans: Sequence[Span], width: int) -> list[tuple[Segment, ...]]:
    """One entry as lines; after a first column (a text that ends in spaces) the rest hangs below
    itself."""
    parts = runs(spans)
    hang = line_cells(parts[:1], cell_len) if len(parts) > 1 and parts[0].text.endswith("  ") else 0
    if not 0 < hang <= width // 2:
        return [line.segments for line in wrap(parts, width, cell_len)]
    under = (Segment(" " * hang),)
    return [line.segments for line in wrap(parts[1:], width, cell_len, parts[:1], under)]
