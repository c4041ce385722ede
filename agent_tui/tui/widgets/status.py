"""The line above the prompt: what runs, and for how long; and what came below the part of the transcript in view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.cells import cell_len
from textual import events

from agent_tui.tui.markdown.lines import Segment, line_cells
from agent_tui.tui.regions import StatusView
from agent_tui.tui.widgets.paint import Region, between, runs, shortened

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
LEAST: Final = 12
"""Cells below which what runs is not named if not even its first word has room."""
ROOM: Final = 36
"""Cells that what runs needs beside the news in words; where there are fewer, their number has to do."""


class Status(Region):
    """Always one line high, so that the transcript does not jump when a turn begins or ends."""

    value: StatusView | None = None
    jump: Callable[[], None] | None = None
    """Shows the end of the transcript."""
    _new = -1
    _covered = False
    _left = 0
    """Cells at the right end that something else has."""

    def show(self, value: StatusView | None) -> None:
        self.value = value
        self.redraw()

    def below(self, new: int) -> None:
        """So many rows came below what is in view since its end was left; negative: the end is in view."""
        if new != self._new:
            self._new = new
            self.redraw()

    def cover(self, covered: bool) -> None:
        """Whether a sheet lies over the transcript: what came below is told when it is gone."""
        self._covered = covered
        self.redraw()

    def leave(self, cells: int) -> None:
        """Say it in the rest of the line, for `cells` of it are covered; 0: none are."""
        if cells != self._left:
            self._left = cells
            self.redraw()

    def has_room(self, cells: int) -> bool:
        """Whether `cells` of the line can be covered, and it still says how what runs is stopped."""
        if self.value is None:
            return True
        width = self.size.width - cells
        return cell_len(self.value.spans[-1].text) + line_cells(self._news(width), cell_len) <= width

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        width = max(0, width - self._left)
        news = self._news(width)
        if self.value is None:
            return [between((), news, width)]
        frame = SPINNER[self.value.spinner % len(SPINNER)] + " " if self.value.spinner >= 0 else ""
        what, *more = runs(self.value.spans)
        room = width - cell_len(frame) - line_cells(news, cell_len)
        while len(more) > 2 and line_cells((what, *more), cell_len) > room:
            del more[-4:-2]  # a dot and what stands behind it: how it is stopped is said to the last
        left = room - line_cells(more, cell_len)
        if cell_len(what.text) > left:
            if more and cell_len(what.text.partition(" ")[0]) >= left < LEAST:
                what, *more = more[1:]  # a few letters of it say nothing
            else:
                what = Segment(shortened(what.text, max(0, left)), what.style)
        return [between((Segment(frame, "accent"), what, *more), news, width)]

    def _news(self, width: int) -> tuple[Segment, ...]:
        """At the right end, where nothing is covered."""
        if self._new < 0 or self._covered:
            return ()
        if not self._new:
            return (Segment("  ↓", "accent"),)
        words = f" {self._new:,} ↓ " if self.value is not None and width < ROOM else f" {self._new:,} new ↓ "
        return (Segment("  "), Segment(words, "new"))

    async def _on_click(self, event: events.Click) -> None:
        width = self.size.width - self._left
        at, news = event.get_content_offset(self), line_cells(self._news(width), cell_len)
        if self.jump is not None and news and at is not None and at.x >= width - news:
            self.jump()
