"""Tables that fit their width: cells wrap, columns never vanish; where not even that fits, a row
becomes a list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.tui.markdown.lines import Cells, Line, Segment, line_cells, wrap

Cell = tuple[Segment, ...]

_BAR: Final = Segment(" │ ", "table.border")
_LEAST: Final = 4
"""Cells below which a column is not squeezed before rows become lists."""
_WORD: Final = 14
"""Cells of a column's longest word that are kept in one piece, before rows become lists."""


@frozen
class Table:
    """`head` may be empty (a table that continues). `align`: `left`, `right` or `center` a
    column."""

    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: tuple[str, ...] = ()


def table_lines(table: Table, width: int, cells: Cells) -> list[Line]:
    columns = max([len(table.head), *(len(row) for row in table.rows)], default=0)
    if not columns:
        return []
    natural = _natural(table, columns, cells)
    room = width - 3 * (columns - 1)
    widths = (
        list(natural)
        if sum(natural) <= room
        else _fit(natural, _least(table, natural, cells), room)
    )
    if widths is None:
        return _as_list(table, width, cells)
    lines: list[Line] = []
    rule = Line((Segment("─┼─".join("─" * w for w in widths), "table.border"),))
    if table.head:
        lines.extend(_row(_styled(table.head, "table.head"), widths, table.align, cells))
        lines.append(rule)
    wrapped = any(n > w for n, w in zip(natural, widths, strict=True))
    for number, row in enumerate(table.rows):
        if wrapped and number:
            lines.append(rule)
        lines.extend(_row(row, widths, table.align, cells))
    return lines


def _styled(row: Sequence[Cell], style: str) -> tuple[Cell, ...]:
    return tuple(
        tuple(Segment(s.text, f"{style} {s.style}".strip(), s.meta) for s in cell) for cell in row
    )


def _natural(table: Table, columns: int, cells: Cells) -> list[int]:
    widths = [1] * columns
    for row in (table.head, *table.rows):
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], line_cells(cell, cells))
    return widths


def _least(table: Table, natural: Sequence[int], cells: Cells) -> list[int]:
    """The width below which each column would break words that are not long."""
    least = [min(_LEAST, n) for n in natural]
    for row in (table.head, *table.rows):
        for column, cell in enumerate(row):
            if least[column] < min(_WORD, natural[column]):
                words = "".join(s.text for s in cell).split()
                longest = max(
                    (size for w in words if (size := cells(w)) <= len(w)), default=0
                )  # wide ones break
                least[column] = max(least[column], min(longest, _WORD))
    return least


def _fit(natural: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """Column widths of at most `room` in all: narrow columns keep theirs, wide ones share the rest;
    None where not even the `least` widths fit."""
    if sum(least) > room:
        return None
    low, high = 0, max(natural)
    while low < high:  # the widest that all may be
        cap = (low + high + 1) // 2
        if (
            sum(max(at_least, min(n, cap)) for n, at_least in zip(natural, least, strict=True))
            <= room
        ):
            low = cap
        else:
            high = cap - 1
    widths = [max(at_least, min(n, low)) for n, at_least in zip(natural, least, strict=True)]
    spare = room - sum(widths)
    for column, n in enumerate(natural):
        if spare and widths[column] < n:
            widths[column] += 1
            spare -= 1
    return widths


def _row(
    row: Sequence[Cell], widths: Sequence[int], align: Sequence[str], cells: Cells
) -> list[Line]:
    columns = [wrap(row[i] if i < len(row) else (), width, cells) for i, width in enumerate(widths)]
    lines: list[Line] = []
    for parts in zip_longest(*columns):
        segments: list[Segment] = []
        for column, part in enumerate(parts):
            content = part.segments if part else ()
            if column:
                segments.append(_BAR)
            space = widths[column] - line_cells(content, cells)
            where = align[column] if column < len(align) else "left"
            before = space if where == "right" else space // 2 if where == "center" else 0
            if before:
                segments.append(Segment(" " * before))
            segments.extend(content)
            if space - before and column < len(widths) - 1:
                segments.append(Segment(" " * (space - before)))
        lines.append(Line(tuple(segments)))
    return lines


def _as_list(table: Table, width: int, cells: Cells) -> list[Line]:
    """Each row as `column: cell` lines."""
    if not table.rows:
        return [
            line for cell in _styled(table.head, "table.head") for line in wrap(cell, width, cells)
        ]
    head = _styled(table.head, "table.head")
    names = max((line_cells(name, cells) for name in head), default=0) + 2
    lines: list[Line] = []
    for number, row in enumerate(table.rows):
        if number:
            lines.append(Line((Segment("─" * min(width, 20), "table.border"),)))
        for name, cell in zip_longest(head, row, fillvalue=()):
            label = (*name, Segment(": ", "dim")) if name else ()
            if names * 5 <= width * 2:  # what is said stands below each other
                free = (Segment(" " * (names - line_cells(label, cells)), "indent"),)
                lines.extend(
                    wrap(cell, width, cells, (*label, *free), (Segment(" " * names, "indent"),))
                )
                continue
            rest = (Segment("  ", "indent"),) if width > 8 else ()
            lines.extend(wrap((*label, *cell), width - line_cells(rest, cells), cells, (), rest))
    return lines
