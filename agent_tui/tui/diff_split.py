"""Old and new side by side: each side with its number and mark, both in lines of one height."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.tui.diff_rows import SIGNS, STYLES, DiffRow, Known, Pair, runs
from agent_tui.tui.markdown.chop import GOES_ON, chop
from agent_tui.tui.markdown.lines import Cells, Line, Meta, Segment, line_cells

SIDES: Final[Meta] = (("diff", "sides"),)
"""What the bar between the sides carries along, so that it is told from those of tables."""
_BAR: Final = Segment("│", "table.border", SIDES)

Runs = tuple[Segment, ...]


def split_lines(pair: Pair, known: Known, digits: int, width: int, cells: Cells) -> list[Line]:
    """One line of both sides, `width` cells wide; what is too long goes on below, on its own side."""
    old, new = pair
    room = (width - 1) // 2
    colours = known.get(new) if new else None
    left = _half(old, known.get(old, colours) if old else None, digits, room, cells)
    right = _half(new, colours, digits, width - 1 - room, cells)
    height = max(len(left), len(right))
    left, right = _filled(old, left, height, room), _filled(new, right, height, width - 1 - room)
    return [Line((*one, _BAR, *other)) for one, other in zip(left, right, strict=True)]


def _half(row: DiffRow | None, colours: Sequence[Segment] | None, digits: int, width: int, cells: Cells) -> list[Runs]:
    """The lines of one side, each exactly `width` cells."""
    if row is None:
        return []
    style = STYLES[row.mark]
    number = f"{style} diff.number"
    mark = (Segment(row.mark, style + SIGNS[row.mark]), Segment(" ", f"{style} margin"))
    first = (Segment(f"{row.number or '':>{digits}} ", number), *mark)
    rest = (Segment(" " * (digits + 1), number), Segment(GOES_ON, f"{style} diff.number indent"))
    drawn = chop(runs(row, colours), width, cells, first, rest)
    blank = f"{style} margin"  # no part of the text: a copy leaves it out
    return [(*line.segments, Segment(" " * (width - line_cells(line.segments, cells)), blank)) for line in drawn]


def _filled(row: DiffRow | None, lines: list[Runs], height: int, width: int) -> list[Runs]:
    """`lines`, and blank ones up to `height`: in the side's tint, or in none where the side has no line."""
    blank = (Segment(" " * width, f"{STYLES[row.mark]} indent" if row else "margin"),)
    return lines + [blank] * (height - len(lines))
