"""What a selection in the transcript means as text: the source of whole rows, the unwrapped text of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agent_tui.protocol.transcript import Block, TextBlock, ThinkingBlock, UserBlock
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.lines import Line
from agent_tui.tui.markdown.styles import DECORATION


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one block that are selected, from character `start` of the first to `end` of the last (-1: its end)."""

    block: Block
    lines: Callable[[], tuple[Line, ...]]
    whole: bool
    open: bool = False
    first: int = 0
    last: int = -1
    start: int = 0
    end: int = -1


def copied(parts: Iterable[Part]) -> str:
    """The text of `parts`, in order."""
    text = ""
    before: Block | None = None
    for part in parts:
        source = _source(part.block, part.open) if part.whole else None
        piece = drawn(part) if source is None else source
        if before is not None:
            joined = isinstance(before, TextBlock) and isinstance(part.block, TextBlock) and part.whole
            text = text if joined and text.endswith("\n") else text.rstrip("\n") + ("\n" if joined else "\n\n")
        text += piece
        before = part.block
    return text.strip("\n")


def _source(block: Block, open: bool) -> str | None:
    """What was written, where that is more use than what was drawn."""
    match block:
        case TextBlock() | UserBlock():
            return visible(block.text)
        case ThinkingBlock() if open:
            return visible(block.text)
        case _:
            return None


def drawn(part: Part) -> str:
    """The drawn text without margins, bars and numbers; what was wrapped is one line again."""
    lines = part.lines()
    last = len(lines) - 1 if part.last < 0 else min(part.last, len(lines) - 1)
    text = ""
    for number in range(part.first, last + 1):
        line = lines[number]
        start = part.start if number == part.first else 0
        end = part.end if number == last and part.end >= 0 else len(line.text)
        continued = number > 0 and lines[number - 1].soft
        words = _words(line, start, end, continued)
        if not line.soft:
            words = words.rstrip()
        text += words
        if number < last:
            text += line.glue if line.soft else "\n"
    return text


def _words(line: Line, start: int, end: int, continued: bool) -> str:
    kept: list[str] = []
    at = 0
    for segment in line.segments:
        size = len(segment.text)
        bare = segment.style.rpartition(" ")[2] in DECORATION and (segment.style != "indent" or continued)
        if not bare:
            kept.append(segment.text[max(0, start - at) : max(0, end - at)])
        at += size
    return "".join(kept)
