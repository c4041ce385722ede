"""When things happened, at the right edge of the block: prompts with their day, tool calls to the second, turn ends."""

from __future__ import annotations

from typing import Final

from agent_tui.protocol.transcript import Block, ToolBlock, TurnBlock, UserBlock
from agent_tui.tui.look import Look
from agent_tui.tui.markdown.lines import Cells, Line, Segment, line_cells

LEAST_WIDTH: Final = 40
"""Cells below which there is no room for times."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def stamp(block: Block, zone: int) -> str:
    """When `block` began or was said, in words; empty where that is not known. `zone`: seconds east of Greenwich."""
    match block:
        case UserBlock(at=at) if at:
            year, month, day = _date(int(at + zone) // 86_400)
            return f"{day} {_MONTHS[month - 1]} {year} {_clock(at + zone)}"
        case ToolBlock(started_at=at) if at:
            return f"{_clock(at + zone)}:{int(at + zone) % 60:02}"
        case TurnBlock(at=at) if at:
            return _clock(at + zone)
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


def _clock(seconds: float) -> str:
    minutes = int(seconds) // 60 % 1_440
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _date(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01 (the Gregorian calendar, by eras of 400 years)."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153  # from March on
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day
