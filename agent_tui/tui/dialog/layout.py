"""A question where there is little room: the answers in short, side by side, so that what is asked
about is in view; and the words of one, which are scrolled where they are all that is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from rich.cells import cell_len

from agent_tui.tui.core.regions import DialogView, Option
from agent_tui.tui.markdown.lines import Line, Segment, line_cells, wrap
from agent_tui.tui.widgets.paint import TONES, flatten, most_of, pad, seg

ASKED_ROWS: Final = 6
"""So many lines of what is asked about are in view before the answers have a line each."""
CORNERS: Final = 9
"""Cells of the border beside a title, its note and a note in between."""
ROW: Final = "row"
"""What tells which answer a segment is of."""
Parts = tuple[int, Sequence[Sequence[Segment]], Sequence[Sequence[Segment]]]
"""How many lines there are for what is asked about, and those above and below it."""
NO: Final = frozenset(("n", "Alt+N"))
OTHERS: Final = "↑↓"
"""What goes to the answers that have no room, where there is room to say it."""
BESIDE_REASON: Final = 23
"""Cells that the lines in view may take beside the reason: `lines 100–109 of 1,000`."""
LEAST_CONTEXT: Final = 2
"""So much of the transcript stays above it, if there was as much."""


def option_row(options: Sequence[Option], selected: int, between: str = "") -> list[Segment]:
    row: list[Segment] = []
    for number, option in enumerate(options):
        row += [
            *([seg(between)] if row and between else []),
            *option_cells(option, number == selected),
        ]
    return row


def key_cells(option: Option) -> list[Segment]:
    """What chooses it: `a/2`."""
    if not option.key:
        return []
    also = f"/{option.also}" if option.also else ""
    return [Segment(flatten(option.key), "accent strong"), Segment(also, "dim")]


def option_cells(option: Option, selected: bool, keyed: int = 0) -> list[Segment]:
    """`keyed`: so many cells the keys of its column have. A heading stands above the marks."""
    if option.heading:
        return [seg(option.label, TONES[option.tone])]
    mark = Segment("❯ " if selected else "  ", "accent")
    key = key_cells(option)
    cells = line_cells(key, cell_len)
    wide = max(keyed, cells)
    free = [Segment(" " * (wide + 1 - cells))] if wide else []
    tone = "" if option.tone == "normal" else TONES[option.tone]
    label = seg(option.label, f"{tone} strong".strip() if selected else tone or "text")
    drawn = [mark, *key, *free, label]
    if option.row < 0:
        return drawn
    return [replace(one, meta=((ROW, str(option.row)),)) for one in drawn]


def pack_parts(
    value: DialogView,
    reason: Sequence[Sequence[Segment]],
    whole: int,
    width: int,
    budget: int,
    context: int,
) -> Parts:
    """For `whole` lines of what is asked about. What is left over is for the rest of the reason,
    and for what an answer would cover."""
    options, grid = (
        lines(value.options, value.selected, width) for lines in (packed_lines, grid_lines)
    )
    if len(options) > 1 and 2 + bool(reason) + len(grid) + min(whole, ASKED_ROWS) <= budget:
        options = grid
    around = 2 + bool(reason) + len(options)
    budget += max(0, min(around + min(whole, ASKED_ROWS) - budget, context - LEAST_CONTEXT))
    spare = max(0, budget - around - whole)
    above = reason[: 1 + min(2, spare)]
    spare -= max(0, len(above) - 1)
    said = [f"  {one.short}: {one.detail}" for one in value.options if one.detail][:spare]
    covers = [pad((seg(most_of(line, width), "dim"),), width) for line in said]
    return max(1, budget - 2 - len(above) - len(options) - len(covers)), above, [*options, *covers]


def grid_lines(options: Sequence[Option], selected: int, width: int) -> list[Sequence[Segment]]:
    """The choices in short, below each other in as many columns as fit: a key is near no other
    words than its own."""
    short = in_brief(options)
    drawn = [option_cells(one, number == selected) for number, one in enumerate(short)]
    for count in range(len(short), 0, -1):
        wide = [
            max(line_cells(one, cell_len) for one in drawn[first::count]) for first in range(count)
        ]
        if count == 1 or sum(wide) + count - 1 <= width:
            columns = [[*pad(one, wide[n % count]), Segment(" ")] for n, one in enumerate(drawn)]
            rows = (columns[first : first + count] for first in range(0, len(columns), count))
            return [pad([part for one in row for part in one], width) for row in rows]
    return []


def in_brief(options: Sequence[Option]) -> list[Option]:
    return [
        replace(one, label=brief(one) if number else one.label, also="")
        for number, one in enumerate(options)
    ]


def packed_lines(options: Sequence[Option], selected: int, width: int) -> list[Sequence[Segment]]:
    """The choices in short, as many in a row as fit."""
    rows = in_rows(in_brief(options), width)
    firsts = accumulate(map(len, rows), initial=0)
    return [
        pad(spread_options(row, selected - first, width), width)
        for row, first in zip(rows, firsts, strict=False)
    ]


def in_rows(options: Sequence[Option], width: int) -> list[list[Option]]:
    """As many in a row as fit."""
    rows: list[list[Option]] = []
    for option in options:
        if not rows or line_cells(option_row([*rows[-1], option], -1), cell_len) > width:
            rows.append([])
        rows[-1].append(option)
    return rows


def spread_options(options: Sequence[Option], selected: int, width: int) -> list[Segment]:
    """In one row, a blank before the marker too: one more between each two, or else the first of
    the row."""
    wide = option_row(options, selected, " ")
    if selected <= 0 or line_cells(wide, cell_len) <= width:
        return wide if line_cells(wide, cell_len) <= width else option_row(options, selected)
    before, after = option_row(options[:selected], -1), option_row(options[selected:], 0)
    return [Segment(" "), *before[1:], Segment(" "), *after]


def question_lines(value: DialogView, width: int) -> Sequence[Line]:
    """The words of a question, or why consent is asked."""
    style = "notice.warning" if value.warning else "dim"
    return wrap((seg(value.reason, style),), width, cell_len) if value.reason else ()


def reason_lines(value: DialogView, width: int) -> list[Sequence[Segment]]:
    """What stands above a command or a diff; where there is none, the words are what is asked about
    themselves."""
    lines = question_lines(value, width) if value.display is not None else ()
    return [*(line.segments for line in lines), *others_lines(value, width)]


def others_lines(value: DialogView, width: int) -> list[Sequence[Segment]]:
    """The other questions, in one line."""
    if not value.others:
        return []
    said = most_of(f"also asked: {' · '.join(value.others)}", width)
    return [pad((seg(said, "dim"),), width)]


def reason_in_border(value: DialogView, width: int) -> str:
    """Why consent is asked, where it may stand in the border below and leave its line to what is
    asked about; a warning may not."""
    if value.display is None or value.warning or "\n" in value.reason:
        return ""
    return value.reason if cell_len(value.reason) + CORNERS + BESIDE_REASON <= width else ""


def answers(value: DialogView, width: int, room: int, whole: int) -> list[Sequence[Segment]]:
    """All answers in one row, or in as many as a third of `room` has or `whole` lines of what is
    asked about leave of it; else what there is room for in one."""
    options = in_short(value, width)
    if line_cells(option_row(options, value.selected), cell_len) <= width:
        return [pad(spread_options(options, value.selected, width), width)] if options else []
    for words in (brief, last_words):
        options = [replace(option, short=words(option)) for option in value.options]
        rows = packed_lines(options, value.selected, width)
        if len(rows) <= max(room // 3, room - whole):
            return rows
    return [pad(answers_row(value, width), width)]


def brief(option: Option) -> str:
    return option.short or option.label


def last_words(option: Option) -> str:
    """Without the yes or no in front of what else it does."""
    return brief(option).rpartition(", ")[2]


def in_short(value: DialogView, width: int) -> list[Option]:
    """The answers in as many words as fit beside each other; the first is said whole."""
    options = [replace(option, also="") for option in value.options]
    for words in (brief, last_words):
        for number in range(len(options) - 1, 0, -1):
            if line_cells(option_row(options, value.selected), cell_len) > width:
                options[number] = replace(options[number], label=words(options[number]))
    return options


def answers_row(value: DialogView, width: int) -> list[Segment]:
    """As many answers as one row has room for, and how the others are seen."""
    options = in_short(value, width)
    row = option_row(options, value.selected)
    kept = [*range(len(options))]
    for number in sorted(
        kept, key=lambda one: (one == value.selected, one == 0, options[one].key in NO, -one)
    ):
        if line_cells(row, cell_len) <= width or len(kept) == 1:
            break
        kept.remove(number)  # a no is said for as long as there is room
        shown = [options[one] for one in kept]
        chosen = kept.index(value.selected) if value.selected in kept else -1
        spread = spread_options(shown, chosen, width - len(OTHERS) - 1)
        row = [*spread, Segment(" "), Segment(OTHERS, "accent")]
    if line_cells(row, cell_len) > width and len(kept) < len(options):
        row[-2:] = (Segment(" …", "dim"),)
    return row
