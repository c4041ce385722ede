"""A sheet over the transcript: help, a list to choose from, the first-run screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual import events
from textual.geometry import Size
from textual.message import Message

from agent_tui.registry import late
from agent_tui.tui.markdown.lines import Segment, cut, line_cells, wrap
from agent_tui.tui.regions import OverlayView, Span, sheet_width
from agent_tui.tui.widgets.completion import beyond, window
from agent_tui.tui.widgets.dialog import edge, filled, options_lines, side
from agent_tui.tui.widgets.paint import Region, low, pad, runs, seg

if TYPE_CHECKING:
    from agent_tui.protocol.display import DiffDisplay

with late():
    from agent_tui.tui import diff as drawing
    from agent_tui.tui import displays

OUTSIDE: Final = 5
OUTSIDE_LOW: Final = 3
"""Lines of the screen that a sheet leaves free: header, prompt and footer."""
TURNED: Final = (" · PgUp/PgDn", " · PgDn", " PgDn")
"""How the rest is read, in as many words as there is room for."""
MIN_OPTIONS: Final = 5
WORDS: Final = 9
"""On a low screen so many entries of a list make room for so many lines of words, one of them empty."""
FEW: Final = 5
"""A list with fewer rows than this shows no headings."""


class Overlay(Region):
    class Clicked(Message):
        """Option number `option` was clicked, headings counted."""

        def __init__(self, option: int) -> None:
            super().__init__()
            self.option = option

    value: OverlayView | None = None
    top = 0
    """The row of its upper border."""
    _drawn: tuple[tuple[DiffDisplay, ...], int, list[tuple[Segment, ...]]] = ((), 0, [])
    """The differences that were drawn last, in how many cells, and how."""
    _placed: tuple[Size, int] | None = None
    """The size of the screen for which it has its place, and how much of it is not to be covered; None: it has
    something else to show."""
    around: Callable[[], int] | None = None
    """How many rows of the screen are not to be covered now."""
    part = (0, 0)
    """How many lines of its words are in view, and how many there are; (0, 0) where all are, or none can be turned."""

    _options: Mapping[int, int] = {}
    """The number of the option in each line that shows one."""

    def show(self, value: OverlayView | None) -> None:
        self.value, self.part = value, (0, 0)
        self.display = value is not None
        self._placed = None
        self.place()
        self.refresh()  # another size asks for a layout by itself

    def place(self) -> None:
        """In the middle of the screen, as high as its lines."""
        if self.value is None:
            return
        screen, outside = self.app.size, self._outside()
        if self._placed == (screen, outside):  # asked after each layout, also of something else
            return
        self._placed = screen, outside
        wide = sheet_width(screen.width, self.value.broad)
        self._made = None
        high = len(self.strips(wide))
        self.styles.width, self.styles.height = wide, high
        free = screen.height - (OUTSIDE_LOW if low(screen) else OUTSIDE)
        least = min(1, max(0, free))
        top = least + max(0, (free - high - self.value.spare) // 2)
        self.top = max(least, min(top, least + screen.height - outside - high))
        self.styles.offset = (max(0, (screen.width - wide) // 2), self.top)

    async def _on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is not None and at.y in self._options:
            self.post_message(self.Clicked(self._options[at.y]))

    def _outside(self) -> int:
        least = OUTSIDE_LOW if low(self.app.size) else OUTSIDE
        return max(least, self.around() if self.around is not None else 0)

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        value, self.part = self.value, (0, 0)
        if value is None:
            return []
        if width >= max(14, self.app.size.width):  # an empty column at each side
            return [(Segment(" "), *line, Segment(" ")) for line in self._framed(value, width - 2)]
        return self._framed(value, width)

    def _framed(self, value: OverlayView, width: int) -> Sequence[Sequence[Segment]]:
        if width < 12:
            head = pad((seg(value.title, "accent"),), width)
            return [head, *options_lines(value.options, value.selected, width, True)]
        inner = width - 4
        room = max(1, self.app.size.height - self._outside() - 2)
        options = options_lines(value.options, value.selected, inner, True)
        texts = value.lines[: value.told] if value.diffs else value.lines
        text = [line for spans in texts for line in wrapped(spans, inner)]
        text += self._diffs(value.diffs, inner)
        if value.text:
            text += [*(tuple(filled(line, inner)) for line in displays.markdown_lines(value.text, inner, cell_len)), ()]
        text += [line for spans in value.below for line in wrapped(spans, inner)]
        most = max(room // 2, min(room - MIN_OPTIONS, WORDS))
        options_room = min(len(options), max(3, room - min(len(text) + 1, most)))
        left = room - options_room
        tight = not (options and text) or len(text) == left  # rather all words than an empty line below them
        tight = tight or (value.reads and len(text) > left and low(self.app.size))
        text_room = max(0, left - (not tight))
        shown, more = self._window(text, value.scroll, text_room)
        if more and value.reads:
            self.part = len(shown), len(text)
            more += next((way for way in TURNED if cell_len(value.title + more + way) <= width - 9), "")
        rows = [*range(len(options))]
        if options_room < FEW < len(options):  # what can be chosen before what stands above it
            rows = [number for number in rows if not value.options[number].heading]
        place = rows.index(value.selected) if value.selected in rows else 0
        seen = [rows[number] for number in window(len(rows), place, options_room)]
        chosen = [options[number] for number in seen]
        above = (value.head if chosen else 0) if value.list_first else len(shown)
        apart = len(shown) > above if value.list_first else bool(shown)
        gap: list[Sequence[Segment]] = [()] if apart and chosen and not tight else []
        before, behind = ([], gap) if value.list_first else (gap, [])
        self._options = dict(enumerate(seen, 1 + above + len(before)))
        body = (*shown[:above], *before, *chosen, *behind, *shown[above:])
        return [
            edge("╭", "╮", [seg(value.title, "accent strong")] if value.title else [], more, width, "accent"),
            *(side(line, width, "accent") for line in body),
            edge("╰", "╯", [], noted(_told(value, seen), width - 6), width, "accent"),
        ]

    def _diffs(self, diffs: tuple[DiffDisplay, ...], width: int) -> list[tuple[Segment, ...]]:
        """The differences as the transcript draws them: made once, read with many keys."""
        if self._drawn[:2] != (diffs, width):
            lines: list[tuple[Segment, ...]] = []
            for diff in diffs:
                drawn = drawing.diff_lines(diff, width, cell_len, "unified")[0]
                lines += [(), (seg(diff.path, "diff.path"),), *(tuple(filled(line, width)) for line in drawn)]
            self._drawn = diffs, width, lines
        return self._drawn[2]

    def _window(self, text: list[tuple[Segment, ...]], scroll: int, room: int) -> tuple[list[tuple[Segment, ...]], str]:
        if len(text) <= room:
            return text, ""
        if room <= 0:
            return [], ""
        first = min(max(0, scroll), len(text) - room)
        return text[first : first + room], f"{first + 1}–{first + room} of {len(text)}"


def _told(value: OverlayView, seen: Sequence[int]) -> str:
    """What the lower border says; of choices that are not in view too, unless it counts them already."""
    choices = [number for number, option in enumerate(value.options) if not option.heading]
    there = [place for place, number in enumerate(choices) if number in seen]
    if len(there) == len(choices) or not there or " of " in value.footer:
        return value.footer
    return f"{beyond(len(choices), range(there[0], there[-1] + 1))} · {value.footer}"


def noted(note: str, room: int) -> str:
    """The last parts of `note` that have room in a border: how to leave is named at its end."""
    while cell_len(note) > room and " · " in note:
        note = note.partition(" · ")[2]
    return cut(note, room, cell_len)


def wrapped(spans: Sequence[Span], width: int) -> list[tuple[Segment, ...]]:
    """One entry as lines; after a first column (a text that ends in spaces) the rest hangs below itself."""
    parts = runs(spans)
    hang = line_cells(parts[:1], cell_len) if len(parts) > 1 and parts[0].text.endswith("  ") else 0
    if not 0 < hang <= width // 2:
        return [line.segments for line in wrap(parts, width, cell_len)]
    under = (Segment(" " * hang),)
    return [line.segments for line in wrap(parts[1:], width, cell_len, parts[:1], under)]
