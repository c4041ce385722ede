"""What an empty session shows: its name, and how to begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.regions import TranscriptView
from agent_tui.tui.widgets.paint import Region, pad

LINES: Final[tuple[tuple[Segment, ...], ...]] = (
    (Segment("agent-tui", "accent strong"),),
    (),
    (Segment("Ask for a change, a fix or an explanation.", "text"),),
    (Segment("No file is written and no command run unasked,", "dim"),),
    (Segment("unless you choose a mode that says so.", "dim"),),
    (),
    (Segment("/", "accent"), Segment("  commands and skills", "dim")),
    (Segment("?", "accent"), Segment("  all keys", "dim")),
)
WIDE: Final = 50


class Welcome(Region):
    """Stands in the middle of the transcript until there is something in it."""

    wanted = True

    def show(self, value: TranscriptView) -> None:
        wanted = not len(value.rows) and not value.live
        if wanted != self.wanted:
            self.wanted = wanted
            self.place()

    def place(self) -> None:
        screen = self.app.size
        self.display = self.wanted and screen.width >= WIDE + 4 and screen.height >= len(LINES) + 10
        self.styles.width, self.styles.height = WIDE, len(LINES)
        self.styles.offset = ((screen.width - WIDE) // 2, max(1, (screen.height - 6 - len(LINES)) // 2))

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [pad(line, width) for line in LINES]
