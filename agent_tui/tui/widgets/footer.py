"""The line at the bottom: the keys of the moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, line_cells
from agent_tui.tui.regions import FooterView
from agent_tui.tui.widgets.paint import Region, between, seg, shortened

MOVES: Final = "↑↓"


class Footer(Region):
    value: FooterView | None = None

    def show(self, value: FooterView) -> None:
        self.value = value
        self.redraw()

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        """Keys that do not fit whole are left out: the last are the least useful."""
        if self.value is None:
            return [()]
        note = (seg(f"  {self.value.note}", "dim"),) if self.value.note else ()
        room = width - line_cells(note, cell_len)
        if self.value.leaves:
            return [between(leaving(self.value.keys, room), note, width)]
        shown: list[Segment] = []
        for key, what in self.value.keys:
            more = pairs([(key, what)], "", "   " if shown else "")
            if line_cells([*shown, *more], cell_len) > room:
                break
            shown += more
        if not (shown or note) and self.value.keys:  # better its first words than nothing
            key, what = self.value.keys[0]
            shown = [seg(key, "accent"), seg(f" {shortened(what, room - cell_len(key) - 1)}", "dim")]
        return [between(shown, note, width)]


def pairs(keys: Sequence[tuple[str, str]], gap: str, before: str = "") -> list[Segment]:
    """Keys and what they do, with `gap` between two."""
    found: list[Segment] = []
    for key, what in keys:
        said = (seg(f" {what}", "dim"),) if what else ()
        found += [seg(gap if found else before), seg(key, "accent"), *said]
    return found


def leaving(keys: Sequence[tuple[str, str]], room: int) -> list[Segment]:
    """All keys, or at last without those that move, more narrowly, and with the one that leaves alone: that is named
    before the others."""
    *first, last = keys
    first = [one for one in first if one[0] != MOVES]
    wide = [pairs(keys, "   "), pairs([*first, last], "   "), pairs([*first, last], "  ")]
    while first:
        wide.append(pairs([*first, (last[0], "")], "  "))
        first.pop()
    fits = (one for one in wide if line_cells(one, cell_len) <= room)
    return next(fits, [seg(last[0], "accent"), seg(f" {shortened(last[1], room - cell_len(last[0]) - 1)}", "dim")])
