"""The prompts that wait."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, line_cells
from agent_tui.tui.regions import QueueView
from agent_tui.tui.widgets.paint import Region, pad, seg

SHOWN: Final = 4
DOT: Final = " · "


class Queue(Region):
    value: QueueView | None = None

    def show(self, value: QueueView | None) -> None:
        self.value = value
        self.display = value is not None
        self.redraw(layout=True)

    def _hints(self, room: int) -> str:
        """As many of the hints, from the first, as there is room for: none is cut."""
        said = ""
        for one in (self.value.hint if self.value else "").split(DOT):
            longer = f"{said}{DOT if said else '  '}{one}"
            if cell_len(longer) > room:
                break
            said = longer
        return said

    def lines(self, width: int) -> list[tuple[Segment, ...]]:
        if self.value is None:
            return []
        items = self.value.items
        steers = [pad((seg(" ↳ ", "accent"), seg(text.strip(), "text"), seg("  at the next step", "dim")), width)
                  for text in self.value.steers[:SHOWN]]  # fmt: skip
        if not items:
            return steers
        head = [seg(f"queued ({len(items)})", "accent")]
        if self.value.paused:
            head.append(seg(" paused", "notice.warning"))
        if self.value.hint:
            head.append(seg(self._hints(width - line_cells(head, cell_len)), "dim"))
        lines = [pad(head, width)]
        hidden = len(items) - SHOWN if len(items) > SHOWN else 0
        for number, text in enumerate(items[: SHOWN if not hidden else SHOWN - 1], 1):
            lines.append(pad((seg(f"{number:>2} ", "dim"), seg(text.strip(), "text")), width))
        if hidden:
            lines.append(pad((seg(f"   … {hidden + 1} more", "dim"),), width))
        return [*steers, *lines]
