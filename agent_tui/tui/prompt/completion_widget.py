"""What the word being typed could become, directly above the prompt and over the transcript."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from agent_tui.tui.core.regions import CompletionView
from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.widgets.paint import LEAST_WORDS, Region, flat, pad, seg, shortened, whole

SHOWN: Final = 8
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
            8, width // 2, width - 8 - max((cell_len(flat(o.detail)) for o in options), default=0)
        )
        wide = min(max((cell_len(flat(o.label)) for o in options), default=0), room)
        free = (Segment("  "),) if width > ROOMY else ()
        left = width - 8 - wide - 2 * len(free)
        if not (told := left >= LEAST_WORDS or whole((o.detail for o in options), left)):
            wide = width - 5
        lines = []
        room = min(SHOWN, max(1, self.below))
        cut = len(options) > room > 1
        shown = window(len(options), self.value.selected, room - cut)
        for number in shown:
            option, chosen = options[number], number == self.value.selected
            label = pad((seg(option.label, "accent strong" if chosen else "text"),), wide)
            mark = Segment("   ❯ " if chosen else "     ", "accent")
            said = seg(f"   {shortened(flat(option.detail), left)}" if told else "", "dim")
            text = pad((mark, *label, said), width - 2 * len(free))
            lines.append((*text, *free))
        if cut:
            lines.append(pad((seg(f"     {beyond(len(options), shown)}", "dim"),), width))
        return lines


def beyond(count: int, shown: range) -> str:
    """How many entries of a list are not to be seen, in words."""
    above, below = shown.start, count - shown.stop
    return "… " + ", ".join(
        filter(None, (f"{above} above" if above else "", f"{below} more" if below else ""))
    )
