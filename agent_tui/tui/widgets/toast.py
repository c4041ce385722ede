"""A short word to the person, in a corner; it goes by itself."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, wrap
from agent_tui.tui.regions import Span, ToastView
from agent_tui.tui.widgets.paint import TONES, Region, low, pad, runs, shortened

AROUND: Final = 2
"""Cells between the text and each side."""
MOST: Final = 3
"""Lines of a toast."""
BELOW: Final = 2
"""Lines of one that stands at the bottom: what is being typed stays in view."""


class Toast(Region):
    value: ToastView | None = None
    sheet = -1
    """The row where a sheet begins; negative: none is open."""
    high = 1

    def show(self, value: ToastView | None) -> None:
        self.value = value
        self.display = value is not None
        self.place()
        self.redraw(layout=True)

    def place(self, sheet: int | None = None) -> None:
        """At the right, below the header, which stays in view; at the bottom, where a sheet begins as high as that. As
        wide as its text, which is wrapped where that is wider than the screen."""
        self.sheet = self.sheet if sheet is None else sheet
        if self.value is None:
            return
        screen = self.app.size
        texts = self._texts(max(1, screen.width - 2 - 2 * AROUND))
        high, row = min(len(texts), MOST), 1
        if 0 <= self.sheet <= high:
            high = min(high, 1 if low(screen) else BELOW)
            row = max(0, screen.height - high - self.value.above)
        wide = min(max(1, screen.width - 2), max(map(cell_len, texts)) + 2 * AROUND)
        if high != self.high:
            self.high = high
            self.redraw(layout=True)
        self.styles.width = wide
        self.styles.offset = (max(0, screen.width - wide - 1), row)

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
        return [pad((beside, Segment(text, TONES[self.value.tone]), beside), width) for text in texts]
