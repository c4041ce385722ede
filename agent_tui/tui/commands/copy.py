"""The last answer, on the clipboard."""

from __future__ import annotations

from agent_tui.protocol.transcript import TextBlock, Transcript
from agent_tui.tui.commands.base import command
from agent_tui.tui.effects import Copy
from agent_tui.tui.model import Model
from agent_tui.tui.update.step import Step, toast


def last_answer(transcript: Transcript) -> str:
    """The newest answer as Markdown source, as far as it is written; empty if there is none."""
    parts = [block.text for block in transcript.live() if isinstance(block, TextBlock)]
    begun = any(block.head for block in transcript.live() if isinstance(block, TextBlock))
    rows = transcript.rows
    for number in range(len(rows) - 1, -1, -1):
        if begun:
            break
        row = rows[number]
        if isinstance(row, TextBlock):
            parts.append(row.text)
            begun = row.head
        elif parts:
            break
    return "".join(reversed(parts)).strip("\n")


@command(rank=56)
def copy(model: Model, _: str) -> Step:
    """Copy the last answer to the clipboard, as Markdown."""
    text = last_answer(model.transcript)
    return (model, (Copy(text),)) if text else toast(model, "there is no answer to copy yet", "warning")
