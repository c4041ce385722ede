"""A sheet over the transcript: help, a list to choose from, the first-run screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, wrap
from agent_tui.tui.regions import OverlayView
from agent_tui.tui.widgets.completion import window
from agent_tui.tui.widgets.dialog import edge, options_lines, side
from agent_tui.tui.widgets.paint import Region, pad, runs, seg

WIDEST: Final = 92


class Overlay(Region):
    value: OverlayView | None = None

    def show(self, value: OverlayView | None) -> None:
        self.value = value
        self.display = value is not None
        self._made = None
        self.place()
        self.redraw(layout=True)

    def place(self) -> None:
        """In the middle of the screen, as high as its lines."""
        if self.value is None:
            return
        screen = self.app.size
        wide = max(1, min(WIDEST, screen.width - 2))
        self._made = None
        high = len(self.strips(wide))
        self.styles.width, self.styles.height = wide, high
        self.styles.offset = (max(0, (screen.width - wide) // 2), max(0, (screen.height - 3 - high) // 2))

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        value = self.value
        if value is None:
            return []
        if width < 12:
            head = pad((seg(value.title, "accent"),), width)
            return [head, *options_lines(value.options, value.selected, width, True)]
        inner = width - 4
        room = max(1, self.app.size.height - 5)
        options = options_lines(value.options, value.selected, inner, True)
        text = [line.segments for spans in value.lines for line in wrap(runs(spans), inner, cell_len)]
        options_room = min(len(options), max(3, room - min(len(text), room // 2)))
        text_room = max(0, room - options_room - (1 if options and text else 0))
        shown, more = self._window(text, value.scroll, text_room)
        chosen = [options[n] for n in window(len(options), value.selected, options_room)] if options else []
        gap: list[Sequence[Segment]] = [()] if shown and chosen else []
        return [
            edge("╭", "╮", value.title, more, width, "accent"),
            *(side(line, width, "accent") for line in (*shown, *gap, *chosen)),
            edge("╰", "╯", "", value.footer, width, "accent"),
        ]

    def _window(
        self, text: list[tuple[Segment, ...]], scroll: int, room: int
    ) -> tuple[list[tuple[Segment, ...]], str]:
        if len(text) <= room:
            return text, ""
        first = min(max(0, scroll), len(text) - room)
        return text[first : first + room], f"{first + 1}–{first + room} of {len(text)}"
