"""When things happened, at the right edge of the block: prompts with their day, tool calls and turn ends."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.transcript import Block, ToolBlock, TurnBlock, UserBlock
from agent_tui.structures.moments import clock, dated
from agent_tui.tui.look import Look
from agent_tui.tui.markdown.lines import Cells, Line, Segment, line_cells

LEAST_WIDTH: Final = 40
"""Cells below which there is no room for times."""


def stamp(block: Block, zone: int) -> str:
    """When `block` began or was said, in words; empty where that is not known. `zone`: seconds east of Greenwich."""
    match block:
        case UserBlock(at=at) if at:
            return dated(at, zone)
        case ToolBlock(started_at=at) | TurnBlock(at=at) if at:
            return clock(at, zone)
        case _:
            return ""


def stamped(lines: tuple[Line, ...], block: Block, look: Look, width: int, cells: Cells) -> tuple[Line, ...]:
    """`lines` of `block` with its time: in the first line where it fits there, else in a line of its own below."""
    words = stamp(block, look.zone) if look.timestamps and width >= LEAST_WIDTH and lines else ""
    if not words:
        return lines
    first = lines[0]
    room = width - 1 - len(words) - line_cells(first.segments, cells)
    if room >= 2 and not first.soft:
        end = (Segment(" " * room, "stamp"), Segment(words, "stamp"))
        return (Line((*first.segments, *end), False, "", first.fill), *lines[1:])
    own = Line((Segment(" " * (width - 1 - len(words)), "stamp"), Segment(words, "stamp")), fill=lines[-1].fill)
    return (*lines, own)
