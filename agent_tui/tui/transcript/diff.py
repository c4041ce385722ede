"""A diff as lines: numbers, marks (`+`, `-`) and text, so that it reads without colour too; in one
column or in two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.tui.core.display_options import DiffForm
from agent_tui.tui.markdown.chop import GOES_ON_MARK, chop
from agent_tui.tui.markdown.lines import Cells, Line, Segment, cut_runs
from agent_tui.tui.transcript.diff_rows import (
    SIGNS,
    STYLES,
    Colours,
    Known,
    Pair,
    pairs,
    runs,
    split_lines,
)

AUTO_WIDTH: Final = 115
"""Cells from which a diff is drawn side by side: what is left of a screen of 120 columns."""
LEAST_WIDTH: Final = 70
"""Cells below which it never is."""
PART: Final = 400
"""Lines that are highlighted and drawn at once."""


def diff_lines(
    diff: DiffDisplay, width: int, cells: Cells, form: DiffForm = "auto", most: int = 0
) -> tuple[list[Line], int]:
    """The hunks of `diff`, without a header: about `most` lines (0: all), and how many lines of it
    are left out.

    Only what is drawn is highlighted.
    """
    lines: list[Line] = []
    left = 0
    for part, rest in diff_parts(diff, width, cells, form, most):
        lines, left = lines + part, rest
    return lines, left


def diff_parts(
    diff: DiffDisplay, width: int, cells: Cells, form: DiffForm = "auto", most: int = 0
) -> Iterator[tuple[list[Line], int]]:
    """The same part by part, each when it is asked for: thousands of lines are more than a key can
    wait for."""
    split = is_split(diff, width, form)
    digits = len(str(max((_last_number(hunk) for hunk in diff.hunks), default=1)))
    colours = Colours(diff.path)
    draw = split_lines if split else unified_lines
    lines: list[Line] = []
    drawn, left = 0, sum(len(hunk.lines) for hunk in diff.hunks)
    for number, hunk in enumerate(diff.hunks):
        room = most - drawn - len(lines) if most else len(hunk.lines)
        if most and room <= bool(number) and left > 1:  # the mark between hunks needs a line too
            break
        if number:
            lines.append(Line(cut_runs((Segment(" " * digits + " ⋯", "diff.hunk"),), width, cells)))
        colours.start(hunk)
        coming = islice(pairs(hunk, split, most and most + 1), max(room, 0) + 1)
        while shown := list(islice(coming, PART)):
            known = colours.of(shown)
            for pair in shown:
                if most and drawn + len(lines) >= most and left > 1:
                    break
                lines.extend(draw(pair, known, digits, width, cells))
                left -= _taken(pair)
            if len(lines) >= PART:
                yield lines, left
                drawn, lines = drawn + len(lines), []
    yield lines, left


def _last_number(hunk: Hunk) -> int:
    marks = [line[:1] for line in hunk.lines]
    kept = len(marks) - marks.count("\\") - 1
    return max(
        hunk.old_start + kept - marks.count("+"), hunk.new_start + kept - marks.count("-"), 1
    )


def _taken(pair: Pair) -> int:
    """How many lines of the diff are in `pair`: a line of context is in both its sides, and one of
    it."""
    old, new = pair
    return 2 if old is not None and new is not None and old.mark != " " else 1


def is_split(diff: DiffDisplay, width: int, form: DiffForm) -> bool:
    """Whether `diff` is drawn side by side in `width` cells: only where both sides have something
    to say."""
    if form == "unified" or width < LEAST_WIDTH or not (diff.added and diff.removed):
        return False
    return form == "split" or width >= AUTO_WIDTH


def unified_lines(pair: Pair, known: Known, digits: int, width: int, cells: Cells) -> list[Line]:
    """The one line of `pair`, its background to the right edge; its number is blank where it goes
    on."""
    row = pair[0] or pair[1]
    if row is None:
        return []
    style = STYLES[row.mark]
    number = f"{row.number or '':>{digits}} "
    sign = Segment(row.mark, style + SIGNS[row.mark])
    first = (Segment(number, "diff.number"), sign, Segment(" ", f"{style} margin"))
    rest = (Segment(" " * (digits + 1), "diff.number"), GOES_ON_MARK)
    return chop(
        runs(row, known.get(row)), width, cells, first, rest, "" if row.mark == " " else style
    )
