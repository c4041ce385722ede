"""All lines of what a person is asked about."""

from __future__ import annotations

from agent_tui.protocol.display import Display
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.markdown.lines import Cells, Line
from agent_tui.tui.transcript.displays import asked_parts


def asked_lines(display: Display, width: int, cells: Cells, look: Look) -> tuple[Line, ...]:
    return tuple(line for piece in asked_parts(display, width, cells, look) for line in piece)
