"""What stays in the terminal after the screen is gone: how to go on, and the end of the last answer."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from agent_tui.protocol.transcript import TextBlock, Transcript, TurnBlock, UserBlock
from agent_tui.structures.visible import visible
from agent_tui.tui.displays import markdown_lines
from agent_tui.tui.widgets.paint import shortened

LINES: Final = 12
KEPT: Final = "Not sent, but saved: "
ENDED: Final = "Ended in the background: "
LOOK_BACK: Final = 400
"""Rows that are looked through for the last answer."""
MOST: Final = 20_000
"""Characters of it that are laid out."""


def farewell(transcript: Transcript, width: int = 80) -> str:
    """Plain lines, made harmless: the last paragraphs of the answer as they were read on the screen, the prompt that
    was not sent, and how to go on: both as far as they are on disk. Empty for a session without any of it, or that is
    off the record."""
    draft = "" if transcript.is_unsaved else transcript.draft
    kept = " ".join(visible(draft[:MOST]).split())
    if not transcript.session or not (transcript.turn or kept) or transcript.otr:
        return ""
    width = max(20, width)
    shown = [] if _cancelled(transcript) else _end(last_answer(transcript), width)
    said = [shortened(f"{KEPT}{kept}", width)] if kept else []
    said += [shortened(f"{ENDED}{' '.join(visible(job.command).split())}", width) for job in transcript.jobs]
    if way := transcript.way_back("agent-tui"):
        said.append(way)
    return "\n".join([*shown, *([""] if shown and said else []), *said])


def _cancelled(transcript: Transcript) -> bool:
    """Whether the last turn was, or was cut off: its words end in the middle."""
    rows = transcript.rows
    for number in range(len(rows) - 1, max(-1, len(rows) - 1 - LOOK_BACK), -1):
        row = rows[number]
        if isinstance(row, TurnBlock):
            return row.state in ("cancelled", "interrupted")
    return False


def _end(answer: str, width: int) -> list[str]:
    """Its last paragraphs, whole; of a longer one the end."""
    source = answer.strip()[-MOST:]
    lines = [line.text.rstrip() for line in markdown_lines(source, width, cell_len)] if source else []
    if len(lines) <= LINES:
        return lines
    kept = lines[-LINES:]
    gap = next((number for number, line in enumerate(kept) if not line), -1)
    return ["…", *kept[gap + 1 :]]


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
