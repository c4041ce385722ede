"""The texts of blocks: what they say, to search, and what is behind their lines, so that a copy has
the tabs and the letters of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, assert_never

from agent_tui.present import parts as p
from agent_tui.present.blocks import block_parts
from agent_tui.protocol.transcript import Block, DividerBlock, TextBlock, ThinkingBlock, ToolBlock
from agent_tui.structures import mention
from agent_tui.structures.frozen import frozen

ENTRIES: Final = 1_000
"""Items, matches and rows of one result that are searched."""


def reader(raw: bool, thinking: bool) -> Callable[[Block], str]:
    """What says the text of a block. `raw`: answers with Markdown's marks; `thinking`: thoughts
    too."""

    def read(block: Block) -> str:
        if isinstance(block, TextBlock):
            return block.text if raw else block_text(block)
        return "" if isinstance(block, ThinkingBlock) and not thinking else block_text(block)

    return read


def block_text(block: Block) -> str:
    """All that `block` shows where it is open, as text."""
    if isinstance(
        block, TextBlock
    ):  # without the marks that it is drawn without, on lines that were broken anyhow
        return block.text.replace("`", "").replace("*", "").replace("\n", " ")
    told = [text for part in block_parts(block) if (text := part_text(part)) is not None]
    for child in block.children if isinstance(block, ToolBlock) else ():
        told += [child.agent, *map(block_text, child.seen.rows)]
    return "\n".join(told)


def head(block: Block) -> str:
    """What of that is to be seen where it is folded; of a prompt, `blocks.pieces` knows."""
    match block:
        case ToolBlock():
            return block.label or block.name
        case ThinkingBlock():
            return ""
        case DividerBlock():
            return block.text
        case _:
            return block_text(block)


def part_text(part: p.Part) -> str | None:
    """The words of `part`; None where they are the program's own."""
    match part:
        case p.Words(kind="note" | "failure"):
            return None
        case p.Words(kind="prompt"):
            return mention.display_mentions(part.text)
        case p.Words() | p.Output() | p.Markdown() | p.Script() | p.Code():
            return part.text
        case p.Diff():
            return "\n".join(chain.from_iterable(hunk.lines for hunk in part.diff.hunks[:ENTRIES]))
        case p.Matches():
            found = part.matches[:ENTRIES]
            return "\n".join(
                [*dict.fromkeys([match.path for match in found]), *[match.text for match in found]]
            )
        case p.Table():
            return "\n".join(chain(part.header, *part.rows[:ENTRIES]))
        case p.List():
            return "\n".join(part.items.first_items(ENTRIES).texts())
        case _:
            assert_never(part)


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
