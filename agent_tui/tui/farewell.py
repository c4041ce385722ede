"""What stays in the terminal after the screen is gone: how to go on, and the end of the last answer."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from agent_tui.protocol.transcript import TextBlock, Transcript, UserBlock
from agent_tui.structures.visible import visible

LINES: Final = 12
LOOK_BACK: Final = 400
"""Rows that are looked through for the last answer."""


def farewell(transcript: Transcript, width: int = 80) -> str:
    """Plain lines, made harmless, wrapped at words; empty for a session in which nothing was asked, or that
    is off the record."""
    if not transcript.session or not transcript.turn or transcript.otr:
        return ""
    answer = last_answer(transcript)
    source = visible(answer).rstrip().split("\n") if answer.strip() else []
    lines: list[str] = []
    for line in source[-LINES - 1 :]:
        lines += wrap(line, max(20, width)) if len(line) > width else [line]
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
