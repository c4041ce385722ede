"""The line at the top: program, model, mode, folder, context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, cut_runs, line_cells
from agent_tui.tui.regions import HeaderView
from agent_tui.tui.widgets.paint import Region, between, runs

SAYS_NOTHING: Final = " ·…"


class Header(Region):
    value: HeaderView | None = None

    def show(self, value: HeaderView) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return [()]
        right = runs(self.value.right)
        right = (Segment("  "), *right) if right else ()
        left = _whole_parts(runs(self.value.left), width - line_cells(right, cell_len))
        return [between(left, right, width)]


def _whole_parts(left: Sequence[Segment], room: int) -> Sequence[Segment]:
    """`left` in `room` cells, without a divider at its end: what it divided from the rest is cut away."""
    kept = list(cut_runs(left, max(0, room), cell_len))
    if line_cells(left, cell_len) <= room:
        return kept
    while kept and not kept[-1].text.strip(SAYS_NOTHING):
        kept.pop()
    return kept
