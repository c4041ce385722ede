"""A short word to the person, in a corner; it goes by itself."""

from __future__ import annotations

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.regions import Span, ToastView
from agent_tui.tui.widgets.paint import Region, pad, runs


class Toast(Region):
    value: ToastView | None = None

    def show(self, value: ToastView | None) -> None:
        self.value = value
        self.display = value is not None
        self.place()
        self.redraw(layout=True)

    row = 1

    def place(self, row: int | None = None) -> None:
        """Top right, on the screen's `row` (that below the header, or the header's where a sheet begins there), as
        wide as its text."""
        self.row = self.row if row is None else row
        if self.value is None:
            return
        screen = self.app.size
        wide = min(max(1, screen.width - 2), cell_len(runs((Span(self.value.text),))[0].text) + 4)
        self.styles.width = wide
        self.styles.offset = (max(0, screen.width - wide - 1), self.row)

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return []
        return [pad((Segment("  "), *runs((Span(self.value.text, self.value.tone),)), Segment("  ")), width)]
