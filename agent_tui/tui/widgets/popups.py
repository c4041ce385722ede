"""What lies over the transcript for a while: a short word to the person in a corner, which goes by
itself, and what the word being typed could become, directly above the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.cells import cell_len

from agent_tui.structures.tone import Tone
from agent_tui.tui.core.regions import CompletionView, Span, ToastView
from agent_tui.tui.core.words import format_place
from agent_tui.tui.markdown.lines import Segment, wrap
from agent_tui.tui.widgets.paint import (
    LEAST_WORDS,
    TONES,
    Region,
    flatten,
    has_room,
    is_low,
    pad,
    runs,
    seg,
    shorten,
)

AROUND: Final = 2
"""Cells between the text and each side."""
MOST: Final = 3
"""Lines of a toast."""
BELOW: Final = 2
"""Lines of one that stands at the bottom: what is being typed stays in view."""
NARROW: Final = 80
"""Columns below which a line more of it would cover most of a line of the transcript."""
WHOLE: Final[tuple[Tone, ...]] = ("warning", "bad")
"""What has its lines all the same: half of it would not say what to do."""


class Toast(Region):
    value: ToastView | None = None
    sheet = -1
    """The row where a sheet begins; negative: none is open."""
    high = 1
    spare: Callable[[int], int] | None = None
    """A row where so many cells of it cover no text, on a low screen, which has no empty one below
    the header; of 0 cells nothing has to be kept free."""

    def show(self, value: ToastView | None) -> None:
        self.value = value
        self.display = value is not None
        self.place()
        self.redraw(layout=True)

    def place(self, sheet: int | None = None) -> None:
        """At the right, in the empty row below the header, or what there is in its stead; at the
        bottom, where a sheet begins as high as that. As wide as its text, which is wrapped where
        that is wider than the screen: over the first lines of the transcript, so that a narrow one
        has it for what went wrong alone."""
        self.sheet = self.sheet if sheet is None else sheet
        if self.value is None:
            self._spare(0)
            return
        screen = self.app.size
        texts = self._texts(max(1, screen.width - 2 - 2 * AROUND))
        few = is_low(screen)
        narrow = few or screen.width < NARROW
        reading = self.sheet < 0
        high, row = (
            1 if narrow and reading and self.value.tone not in WHOLE else min(len(texts), MOST),
            1,
        )
        if 0 <= self.sheet <= high:
            high = min(high, 1 if few else BELOW)
            row = max(0, screen.height - high - self.value.above)
        strip = len(texts) > (
            1 if narrow else high
        )  # beside it, a few letters of a line would say nothing
        cells = screen.width if strip else max(map(cell_len, texts))
        wide = min(max(1, screen.width - 2), cells + 2 * AROUND)
        row = self._spare(wide if few and high == 1 and reading else 0) or row
        if high != self.high:
            self.high = high
            self.redraw(layout=True)
        self.styles.width = wide
        self.styles.offset = (max(0, screen.width - wide - 1), row)

    def _spare(self, cells: int) -> int:
        return self.spare(cells) if self.spare is not None else 0

    def _texts(self, width: int) -> list[str]:
        spans = (Span(self.value.text, self.value.tone),) if self.value is not None else ()
        lines = wrap(runs(spans), width, cell_len)
        return ["".join(part.text for part in line.segments).rstrip() for line in lines] or [""]

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return []
        room = max(1, width - 2 * AROUND)
        texts = self._texts(room)
        texts[self.high - 1 :] = [shorten(" ".join(texts[self.high - 1 :]), room)]
        beside = Segment(" " * AROUND)
        return [
            pad((beside, Segment(text, TONES[self.value.tone]), beside), width) for text in texts
        ]


SHOWN: Final = 8
NAMES: Final = 3
"""The part of the width that names have at most where the words behind them are cut."""
ROOMY: Final = 30
"""Columns from which two cells stay free at the right, as at the left."""


def window(count: int, selected: int, room: int) -> range:
    """Which of `count` entries are shown so that `selected` is among them."""
    first = min(max(0, selected - room // 2), max(0, count - room))
    return range(first, min(count, first + room))


class Completion(Region):
    value: CompletionView | None = None

    def show(self, value: CompletionView | None) -> None:
        self.value = value
        self.display = value is not None
        self.place()
        self.redraw(layout=True)

    def place(self, below: int = -1) -> None:
        """Let the list end just above the screen line `below` (the top of the prompt)."""
        if below >= 0 and below != self.below:
            self.below = below
            self._made = None
        if self.value is not None:
            high = min(SHOWN, len(self.value.options), max(1, self.below))
            self.styles.offset = (0, max(0, self.below - high))
            self.styles.max_height = high

    below = 0

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return []
        options = self.value.options
        room = max(
            8,
            width // NAMES,
            width - 8 - max((cell_len(flatten(o.detail)) for o in options), default=0),
        )
        wide = min(max((cell_len(flatten(o.label)) for o in options), default=0), room)
        free = (Segment("  "),) if width > ROOMY else ()
        left = width - 8 - wide - 2 * len(free)
        if not (told := left >= LEAST_WORDS or has_room((o.detail for o in options), left)):
            wide = width - 5
        lines = []
        room = min(SHOWN, max(1, self.below))
        cut = len(options) > room > 1
        shown = window(len(options), self.value.selected, room - cut)
        for number in shown:
            option, chosen = options[number], number == self.value.selected
            label = pad((seg(option.label, "accent strong" if chosen else "text"),), wide)
            mark = Segment("   ❯ " if chosen else "     ", "accent")
            said = seg(f"   {shorten(flatten(option.detail), left)}" if told else "", "dim")
            text = pad((mark, *label, said), width - 2 * len(free))
            lines.append((*text, *free))
        if cut:
            part = format_place(shown.start + 1, len(options), shown.stop)
            lines.append(pad((seg(f"     {part}", "dim"),), width))
        return lines
