"""How the transcript is read: what is open, which row is marked, and whether its end is shown. Rows
are never rewritten for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Final

from agent_tui.protocol.transcript import (
    Block,
    DividerBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    UserBlock,
)
from agent_tui.tui.core.effects import Scroll
from agent_tui.tui.core.model import Model, Reading
from agent_tui.tui.core.step import Step, toast
from agent_tui.tui.transcript.blocks import hidden, is_long
from agent_tui.tui.transcript.groups import Group, Groups, kind

STRETCH: Final = 300
"""Rows on each side that are looked through for the bounds of a group."""


def toggle_row(model: Model, row: int, group: bool = False) -> Model:
    """Open or close one row, or the group that begins with it."""
    if not 0 <= row < len(model.transcript.rows) + len(model.transcript.live()):
        return model
    reading = model.reading
    if group:
        return replace(model, reading=replace(reading, groups=reading.groups ^ {row}))
    return replace(model, reading=replace(reading, exceptions=reading.exceptions ^ {row}))


def is_open(model: Model, row: int) -> bool:
    return model.reading.expanded != (row in model.reading.exceptions)


def group_of(model: Model, row: int) -> Group | None:
    """The reads and searches that `row` stands among."""
    rows, first, last = model.transcript.rows, row, row + 1
    if kind(rows[row]) is None:
        return None
    while first > max(0, row - STRETCH) and kind(rows[first - 1]) is not None:
        first -= 1
    while last < min(len(rows), row + STRETCH) and kind(rows[last]) is not None:
        last += 1
    groups = Groups()
    groups.reset(rows[each] for each in range(first, last))
    found = groups.group_of(row - first)
    return None if found is None else Group(first + found.first, first + found.last)


def is_unfolded(model: Model, group: Group) -> bool:
    return model.reading.expanded != (group.first in model.reading.groups)


def is_hidden(model: Model, row: int) -> bool:
    """Whether `row` is to be seen only as a part of its group's line."""
    group = None if is_open(model, row) else group_of(model, row)
    return group is not None and not is_unfolded(model, group)


def expand_all(model: Model) -> Model:
    """Open or close all that is to be seen: what is hidden stays as it is."""
    reading, none = model.reading, frozenset[int]()
    kept = none
    if model.look.thinking == "hidden":
        blocks = enumerate(chain(model.transcript.rows, model.transcript.live()))
        kept = (
            frozenset(row for row, block in blocks if hidden(block, model.look))
            - reading.exceptions
        )
    return replace(
        model, reading=replace(reading, expanded=not reading.expanded, exceptions=kept, groups=none)
    )


def on_scrolled(model: Model, following: bool) -> Model:
    reading: Reading = model.reading
    return (
        model
        if reading.following == following
        else replace(model, reading=replace(reading, following=following))
    )


def scroll(model: Model, where: str) -> Step:
    return model, (Scroll(where),)


# The marked row.


def is_message(block: Block) -> bool:
    """What a person or the model says, where it begins."""
    return isinstance(block, UserBlock) or (isinstance(block, TextBlock) and block.head)


def foldable(block: Block) -> bool:
    """Whether `block` opens and closes."""
    if isinstance(block, UserBlock):
        return bool(block.sent) or is_long(block)
    if isinstance(block, DividerBlock):
        return bool(block.detail)
    return isinstance(block, ToolBlock | ThinkingBlock)


def _opens(model: Model, block: Block) -> bool:
    return foldable(block) and not hidden(block, model.look)


def go(model: Model, row: int) -> Model:
    """Mark `row` and show it."""
    return replace(model, reading=replace(model.reading, mark=row, go=model.reading.go + 1))


def unmark(model: Model) -> Model:
    return (
        model if model.reading.mark < 0 else replace(model, reading=replace(model.reading, mark=-1))
    )


def rows_in_view(model: Model) -> tuple[int, int]:
    """The first and the last row in view; all rows where that is not known."""
    first, last = model.seen
    end = len(model.transcript.rows) - 1
    return (0, end) if last < first else (min(first, end), min(last, end))


def step(model: Model, by: int, wanted: Callable[[Block], bool], stays: bool = False) -> Step:
    """Mark the next row up (-1) or down (+1) that is `wanted`: from the marked one if it is in
    view, else from what is. Beyond the last is the end of the transcript, beyond the first its
    beginning. `stays`: there the mark does."""
    rows, mark = model.transcript.rows, model.reading.mark
    first, last = rows_in_view(model)
    if first <= mark <= last:
        row = mark + by
    else:
        row = last if by < 0 else len(rows) if model.reading.following else first + 1
    while 0 <= row < len(rows):
        group = group_of(model, row)
        if group is not None and row != group.first and is_hidden(model, row):
            row = group.first if by < 0 else group.last + 1
        elif wanted(rows[row]) and not hidden(rows[row], model.look):
            return go(model, row), ()
        else:
            row += by
    return scroll(unmark(model) if by > 0 and not stays else model, "top" if by < 0 else "end")


def open_one(model: Model) -> Step:
    """Open or close the marked row; where none is in view, the last one in view that opens."""
    rows, mark = model.transcript.rows, model.reading.mark
    first, last = rows_in_view(model)
    if not (first <= mark <= last and _opens(model, rows[mark])):
        live = model.transcript.live() if model.reading.following else ()
        if (number := next((n for n, block in enumerate(live) if _opens(model, block)), -1)) >= 0:
            return toggle_row(model, len(rows) + number), ()  # it is being thought
        mark = next((row for row in range(last, first - 1, -1) if _opens(model, rows[row])), -1)
    if mark < 0:
        return toast(model, "nothing in view can expand")
    group = group_of(model, mark)
    mark = group.first if group is not None and is_hidden(model, mark) else mark
    return go(_turned(model, mark), mark), ()


def _turned(model: Model, row: int) -> Model:
    """Open or close `row`. Where a group begins: the group opens, then its first row, then both
    close."""
    group = group_of(model, row)
    if group is None or group.first != row:
        return toggle_row(model, row)
    if not is_unfolded(model, group):
        return toggle_row(model, row, group=True)
    return (
        toggle_row(toggle_row(model, row), row, group=True)
        if is_open(model, row)
        else toggle_row(model, row)
    )
