"""The line at the bottom: the keys of the moment."""

from __future__ import annotations

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, line_cells
from agent_tui.tui.regions import FooterView
from agent_tui.tui.widgets.paint import Region, between, seg, shortened


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
        shown: list[Segment] = []
        for key, what in self.value.keys:
            pair = [seg("   ") if shown else seg(""), seg(key, "accent"), seg(f" {what}", "dim")]
            if line_cells([*shown, *pair], cell_len) > room:
                break
            shown += pair
        if not (shown or note) and self.value.keys:  # better its first words than nothing
            key, what = self.value.keys[0]
            shown = [seg(key, "accent"), seg(f" {shortened(what, room - cell_len(key) - 1)}", "dim")]
        return [between(shown, note, width)]
