"""What an empty session shows: its name, and how to begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.regions import TranscriptView
from agent_tui.tui.widgets.paint import Region, pad

UNASKED: Final = {
    "manual": ("Asks before it reads, writes or runs anything.", ""),
    "auto": ("Asks before it edits files or runs commands.", "Shift+Tab changes that."),
    "accept-edits": ("Edits files in this folder without asking.", "Asks before it runs commands."),
    "accept-all": ("Edits files and runs commands without asking.", "There is no sandbox."),
    "plan": ("Reads files and proposes a plan.", "Changes nothing."),
}
"""What holds in each mode."""


def welcome(mode: str) -> tuple[tuple[Segment, ...], ...]:
    """The lines; those about a mode that is not known yet are blank."""
    tone = "bad" if mode == "accept-all" else "dim"
    return (
        (Segment("agent-tui", "accent strong"),),
        (),
        (Segment("Ask for a change, a fix or an explanation.", "text"),),
        *((Segment(line, tone),) for line in UNASKED.get(mode, ("", ""))),
        (),
        (Segment("/", "accent"), Segment("  commands and skills", "dim")),
        (Segment("?", "accent"), Segment("  all keys", "dim")),
    )


HEIGHT: Final = len(welcome(""))
WIDE: Final = 50


class Welcome(Region):
    """Stands in the middle of the transcript until there is something in it."""

    wanted = True
    covered = False
    mode = ""

    def show(self, value: TranscriptView) -> None:
        wanted = not len(value.rows) and not value.live
        if value.mode != self.mode:
            self.mode = value.mode
            self.redraw()
        if wanted != self.wanted:
            self.wanted = wanted
            self.place()

    def cover(self, covered: bool) -> None:
        """Whether a sheet or a question has its place."""
        if covered != self.covered:
            self.covered = covered
            self.place()

    def place(self) -> None:
        screen = self.app.size
        self.display = self.wanted and not self.covered and screen.width >= WIDE + 4 and screen.height >= HEIGHT + 10
        self.styles.width, self.styles.height = WIDE, HEIGHT
        self.styles.offset = ((screen.width - WIDE) // 2, max(1, (screen.height - 6 - HEIGHT) // 2))

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [pad(line, width) for line in welcome(self.mode)]
