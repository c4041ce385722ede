"""The backend of copying: the texts behind what is drawn, so that a copy has the tabs and the
letters of the source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from agent_tui.present import parts as p
from agent_tui.present.blocks import block_parts
from agent_tui.protocol.transcript import Block
from agent_tui.structures.frozen import frozen

TAB: Final = 4
OUTPUT_TAB: Final = 8
"""How wide tabs are drawn; those of output as a terminal does."""


@frozen
class Source:
    """A text that is shown line by line; `mark`: what stands before each of its lines."""

    text: str
    tab: int = TAB
    mark: str = ""


def sources(block: Block) -> Iterator[Source]:
    for part in block_parts(block):
        yield from _sources(part)


def _sources(part: p.Part) -> Iterator[Source]:
    match part:
        case p.Words() | p.Markdown() | p.Script() | p.Code():
            yield Source(part.text)
        case p.Output():
            yield Source(part.text, OUTPUT_TAB)
        case p.Matches():
            yield from (Source(match.text) for match in part.matches)
        case p.Diff():
            yield from (
                Source(line[1:], TAB, line[:1]) for hunk in part.diff.hunks for line in hunk.lines
            )
        case p.Table() | p.List():
            return  # drawn on one line each, without tabs
        case _:
            assert_never(part)
