"""The line at the top: program, model, mode, folder, context."""

from __future__ import annotations

from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.regions import HeaderView
from agent_tui.tui.widgets.paint import Region, between, runs


class Header(Region):
    value: HeaderView | None = None

    def show(self, value: HeaderView) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return [()]
        right = runs(self.value.right)
        return [between(runs(self.value.left), (Segment("  "), *right) if right else (), width)]
