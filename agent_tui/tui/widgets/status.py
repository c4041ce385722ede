"""The line above the prompt: what runs, and for how long."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.markdown.lines import Segment
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
        return [pad((Segment(frame, "accent"), *runs(self.value.spans)), width)]
