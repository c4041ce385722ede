"""The prompts that wait."""

from __future__ import annotations

from typing import Final

from agent_tui.tui.markdown.lines import Segment
from agent_tui.tui.regions import QueueView
from agent_tui.tui.widgets.paint import Region, pad, seg

SHOWN: Final = 4


class Queue(Region):
    value: QueueView | None = None

    def show(self, value: QueueView | None) -> None:
        self.value = value
        self.display = value is not None
        self.redraw(layout=True)

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
            head.append(seg(f"  {self.value.hint}", "dim"))
        lines = [pad(head, width)]
        hidden = len(items) - SHOWN if len(items) > SHOWN else 0
        for number, text in enumerate(items[: SHOWN if not hidden else SHOWN - 1], 1):
            lines.append(pad((seg(f"{number:>2} ", "dim"), seg(text.strip(), "text")), width))
        if hidden:
            lines.append(pad((seg(f"   … {hidden + 1} more", "dim"),), width))
        return [*steers, *lines]
