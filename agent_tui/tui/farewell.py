"""What stays in the terminal after the screen is gone: how to go on, and the end of the last answer."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.transcript import TextBlock, Transcript, UserBlock
from agent_tui.structures.visible import visible

LINES: Final = 12
LOOK_BACK: Final = 400
"""Rows that are looked through for the last answer."""


def farewell(transcript: Transcript) -> str:
    """Plain lines, made harmless; empty for a session in which nothing was asked."""
    if not transcript.session or not transcript.turn:
        return ""
    answer = last_answer(transcript)
    lines = visible(answer).rstrip().split("\n") if answer.strip() else []
    shown = ["…", *lines[-LINES:]] if len(lines) > LINES else lines
    return "\n".join([*shown, *([""] if shown else []), f"agent-tui --resume {transcript.session}"])


def last_answer(transcript: Transcript) -> str:
    """The last text the model wrote, as Markdown source."""
    rows = transcript.rows
    parts: list[str] = []
    for number in range(len(rows) - 1, max(-1, len(rows) - 1 - LOOK_BACK), -1):
        row = rows[number]
        if isinstance(row, TextBlock):
            parts.append(row.text)
            if row.head:
                break
        elif isinstance(row, UserBlock):
            break
    return "".join(reversed(parts))
