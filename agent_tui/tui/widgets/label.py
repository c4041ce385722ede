"""What stands around the prompt: its mark, and what it asks for while it is not for the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, wrap
from agent_tui.tui.widgets.paint import Region, seg, shortened

MOST: Final = 3
"""Lines of a question; and one, what stands before its colon, on a screen that has"""
FEW: Final = 14
"""fewer rows than this."""


class Label(Region):
    """The question above the prompt; not there without one."""

    text = ""

    def show(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.display = bool(text)
            self.redraw(layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        if not self.text:
            return []
        lines = [line.segments for line in wrap((seg(self.text, "accent"),), width, cell_len)]
        if len(lines) > 1 and self.app.size.height < FEW:
            return [(seg(shortened(self.text.partition(": ")[0], width), "accent"),)]
        return lines[:MOST]


class Mark(Region):
    """`❯`: here you type."""

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [(Segment("❯ "[:width], "accent strong"),)]
