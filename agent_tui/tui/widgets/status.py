"""The line above the prompt: what runs, and for how long."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len, set_cell_size

from agent_tui.tui.markdown.lines import Segment, line_cells
from agent_tui.tui.regions import StatusView
from agent_tui.tui.widgets.paint import Region, pad, runs

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Status(Region):
    """Always one line high, so that the transcript does not jump when a turn begins or ends."""

    value: StatusView | None = None

    def show(self, value: StatusView | None) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return [()]
        frame = SPINNER[self.value.spinner % len(SPINNER)] + " " if self.value.spinner >= 0 else ""
        what, *more = runs(self.value.spans)
        room = width - cell_len(frame)
        while len(more) > 2 and line_cells((what, *more), cell_len) > room:
            del more[-4:-2]  # a dot and what stands behind it: how it is stopped is said to the last
        if line_cells((what, *more), cell_len) > room:
            what = Segment(shortened(what.text, max(0, room - line_cells(more, cell_len))), what.style)
        return [pad((Segment(frame, "accent"), what, *more), width)]


def shortened(text: str, room: int) -> str:
    """`text` in `room` cells, cut behind a word where that leaves most of it."""
    if cell_len(text) <= room:
        return text
    kept = set_cell_size(text, max(0, room - 1))
    words = kept if text[len(kept) : len(kept) + 1] == " " else kept.rpartition(" ")[0]
    return f"{(words if 2 * cell_len(words) >= room else kept).rstrip()}…"[: max(0, room)]
