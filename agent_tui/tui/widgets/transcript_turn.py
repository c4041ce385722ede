"""What opens or closes by hand stays under the hand: where the page stands after one row was turned."""

from __future__ import annotations

from agent_tui.structures.frozen import frozen
from agent_tui.tui.regions import TranscriptView
from agent_tui.tui.widgets.transcript_page import Anchor, Page


@frozen
class Turn:
    """Row `row` was opened or closed, `by_key` or under the pointer. Its line was `below` lines below the top of the
    view; above it where that is negative: then the line at the `top` stays."""

    row: int
    below: int
    top: Anchor
    by_key: bool

    def place(self, page: Page, height: int, following: bool) -> tuple[Anchor, bool]:
        """What is now to be at the top of a view of `height` lines, and whether the end is followed from now on: it
        goes on being followed only where all that was opened is in view there, and again when the end is in view."""
        start, lines = page.extent(self.row)
        for _ in range(10):  # what was opened is an estimate first, and so may be what comes into view
            if not page.measure(start - height, start + 2 * height):
                break
            start, lines = page.extent(self.row)
        head = _head(page, self.row)
        line = page.line_of(self.top)
        if self.below >= 0:
            shown = min(start + lines - head, height // 2) if self.by_key else 1  # a key has no pointer to stay under
            line = max(0, head - min(self.below, height - shown))
        last = max(0, page.total - height)
        return page.anchor(line), line >= last or (following and head >= last)


def turned(page: Page, view: TranscriptView, top: int, height: int) -> Turn | None:
    """What `view` turns of the `page`, which shows the view before it from line `top` on; None where that is not one
    row, or one that `view` also goes to and that is out of view."""
    old = page.shown
    rows = (view.exceptions ^ old.exceptions) | (view.groups ^ old.groups)
    if len(rows) != 1 or view.expanded != old.expanded or view.jump != old.jump:
        return None
    (row,) = rows
    if not 0 <= row < min(len(old.rows) + len(old.live), len(view.rows) + len(view.live)):
        return None
    below = _head(page, row) - top
    if view.go != old.go and (view.nth >= 0 or not 0 <= below < height):
        return None
    return Turn(row, below, page.anchor(top), view.go != old.go)


def _head(page: Page, row: int) -> int:
    return page.extent(row)[0] + page.row(row).gap
