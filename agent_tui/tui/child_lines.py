"""The sub-agents of a call: a line for each, and its newest rows where the call is open. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agent_tui.present import wording
from agent_tui.present.agents import standing
from agent_tui.protocol.transcript import Block, Child, ToolBlock
from agent_tui.tui.look import Look
from agent_tui.tui.markdown.inline import flat
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs

Draw = Callable[[Block, int, bool, float, Cells, Look], tuple[Line, ...]]
"""Draws a block of a sub-agent's own."""

MOST_ROWS: Final = 200
MOST_LIVE_ROWS: Final = 20
"""Its newest rows that are shown: all of it is laid out again when it says something."""
LABEL: Final = 60
"""Characters of what it does now."""
ROW_LINES: Final = 2
"""Lines that one of its rows takes, about."""
_TOGGLE: Final = (("toggle", "1"),)
_INDENT: Final = Segment("  ", "margin")


def child_lines(
    block: ToolBlock, width: int, open: bool, now: float, cells: Cells, look: Look, draw: Draw
) -> list[Line]:  # fmt: skip
    """What is shown of the sub-agents of `block`, below the line of the call."""
    lines: list[Line] = []
    indent = (_INDENT,) if width >= 20 else ()
    for child in block.children:
        lines.append(Line((*indent, *cut_runs(_head(child), max(1, width - 3), cells))))
        for line in _rows(child, max(1, width - 4), now, cells, look, draw) if open else ():
            lines.append(Line((*indent, *indent, *line.segments), line.soft, line.glue, line.fill))
    return lines


def children_estimate(block: ToolBlock, open: bool) -> int:
    """About how many lines that is."""
    return sum(1 + (ROW_LINES * min(len(child.seen.rows), _most(child)) if open else 0) for child in block.children)


def _head(child: Child) -> tuple[Segment, ...]:
    state, *rest = [flat(part)[:LABEL] for part in standing(child)]
    style = "tool.wait" if child.end is None else "tool.note" if child.end == "completed" else "tool.bad"
    mark = "…" if child.end is None else "✓" if child.end == "completed" else "✗"
    more = "".join(f" · {part}" for part in rest)
    name = (Segment(f"{mark} ", style, _TOGGLE), Segment(flat(child.name), "tool.name", _TOGGLE))
    return (*name, Segment("  "), Segment(state, style), Segment(more, "tool.note"))


def _most(child: Child) -> int:
    return MOST_ROWS if child.end else MOST_LIVE_ROWS


def _rows(child: Child, width: int, now: float, cells: Cells, look: Look, draw: Draw) -> list[Line]:
    rows = child.seen.rows
    first = max(0, len(rows) - _most(child))
    lines = [Line((Segment(f"… {wording.count(first, 'earlier row')}", "tool.more"),))] if first else []
    for block in (*rows[first:], *child.seen.live()):
        lines.extend(draw(block, width, False, now, cells, look))
    return lines
