"""What a search of the transcript finds, line by line."""

from __future__ import annotations

from typing import Final

from agent_tui.present import wording
from agent_tui.present.plain import ASSISTANT, block_lines
from agent_tui.protocol.transcript import TextBlock, UserBlock
from agent_tui.tui.model import Model

MOST: Final = 50


def found_lines(model: Model, words: str) -> list[str]:
    """The lines of the session that hold `words`, the newest last, and who said them."""
    wanted, hits = words.casefold(), list[str]()
    for row in model.transcript.rows:
        who = ASSISTANT if isinstance(row, TextBlock) else "You" if isinstance(row, UserBlock) else ""
        for line in block_lines(row, model.look, True):
            for part in line.split("\n"):
                if wanted in part.casefold():
                    hits.append(f"{who}: {part.strip()}" if who and not part.startswith(f"{who}: ") else part.strip())
    if not hits:
        return [f"No line contains “{words}”."]
    more = [f"and {len(hits) - MOST} earlier ones"] if len(hits) > MOST else []
    return [f"{wording.count(len(hits), 'line contains', 'lines contain')} “{words}”:", *more, *hits[-MOST:]]
