"""The ASCII twins where every widget's lines pass on their way to the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from agent_tui.structures.ascii import twin


class AsciiFilter(LineFilter):
    """Replaces glyphs one for one: no width changes. What is copied is the text, not its twin."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [Segment(twin(text), style, control) for text, style, control in segments]
