"""What stands around the prompt: its mark, and what it asks for while it is not for the model."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from agent_tui.tui.markdown.lines import Segment, wrap
from agent_tui.tui.widgets.paint import Region, seg


class Label(Region):
    """The question above the prompt; not there without one."""

    text = ""

    def show(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.display = bool(text)
            self.redraw(layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [line.segments for line in wrap((seg(self.text, "accent"),), width, cell_len)][:3] if self.text else []


class Mark(Region):
    """`❯`: here you type."""

    def lines(self, width: int) -> Sequence[Sequence[Segment]]:
        return [(Segment("❯ "[:width], "accent strong"),)]
