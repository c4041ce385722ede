"""A short word to the person, in a corner; it goes by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.cells import cell_len

from agent_tui.tui.core.display_options import Tone
from agent_tui.tui.core.regions import Span, ToastView
from agent_tui.tui.markdown.lines import Segment, wrap
from agent_tui.tui.widgets.paint import TONES, Region, low, pad, runs, shortened

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
        few = low(screen)
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
        texts[self.high - 1 :] = [shortened(" ".join(texts[self.high - 1 :]), room)]
        beside = Segment(" " * AROUND)
        return [
            pad((beside, Segment(text, TONES[self.value.tone]), beside), width) for text in texts
        ]
