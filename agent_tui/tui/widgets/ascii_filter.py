"""The ASCII twins where every widget's lines pass on their way to the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from agent_tui.structures.ascii import twin
from agent_tui.structures.visible import PAD, spacing


class AsciiFilter(LineFilter):
    """Replaces glyphs one for one: no width changes. What is copied is the text, not its twin."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [Segment(_twin(text), style, control) for text, style, control in segments]


def _twin(text: str) -> str:
    """The cell of a mark stays the mark's: a space would be drawn over it."""
    if PAD not in text:
        return twin(text)
    drawn = zip(twin(text), ("", *text), text, strict=False)
    return "".join(PAD if letter == PAD and before and spacing(before) else other for other, before, letter in drawn)
