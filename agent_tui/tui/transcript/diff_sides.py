"""Back from the lines of a diff side by side: which side a place is on, and the source that stands
there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from agent_tui.protocol.display import DiffDisplay
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import harmless
from agent_tui.tui.markdown.lines import DECORATION, Line, Segment
from agent_tui.tui.transcript.diff import SIDES

Side = Literal[0, 1]
"""Of a line: old, new."""
_OTHER: Final = ("+", "-")
"""The marks that a side has not."""


@frozen
class Origin:
    """The side of a diff on which the selection began: the row, and its side."""

    index: int
    side: Side


@frozen
class _Piece:
    """What is chosen of one line of a side. `number` 0: it goes on from the line above."""

    number: int
    mark: str
    text: str
    whole: bool


def bar_of(line: Line) -> int:
    """The character of `line` that stands between the sides; -1 where there are none."""
    at = 0
    for segment in line.segments:
        if segment.meta == SIDES:
            return at
        at += len(segment.text)
    return -1


def side_at(line: Line, x: int) -> Side | None:
    """On which side character `x` of `line` is."""
    bar = bar_of(line)
    return None if bar < 0 else 0 if x < bar else 1


def range_on_side(line: Line, side: Side, start: int, end: int) -> tuple[int, int]:
    """What of the characters from `start` to `end` (-1: its end) of `line` is on `side`; nothing
    where it has none."""
    bar, size = bar_of(line), len(line.text)
    left, right = (0, 0) if bar < 0 else (0, bar) if side == 0 else (bar + 1, size)
    return max(start, left), min(size if end < 0 else end, right)


def side_text(
    diff: DiffDisplay,
    lines: Sequence[Line],
    side: Side,
    first: int,
    last: int,
    start: int,
    end: int,
) -> str:
    """The source that is drawn on `side`, from character `start` of line `first` to `end` of line
    `last` (-1: its end).

    Rows that are whole are as they were written (tabs, and however long), others as they are drawn.
    """
    source = _source(diff, side)
    found: list[list[_Piece]] = []
    for number, line in enumerate(lines[first : last + 1], first):
        piece = _piece(line, side, start if number == first else 0, end if number == last else -1)
        if piece is not None and (piece.number or not found):
            found.append([piece])
        elif piece is not None:
            found[-1].append(piece)
        if piece is not None and number == last and _goes_on(lines, number + 1, side):
            found[-1].append(_Piece(0, "", "", False))
    rows: list[str] = []
    for pieces in found:
        whole = pieces[0].number in source and all(piece.whole for piece in pieces)
        rows.append(source[pieces[0].number] if whole else "".join(piece.text for piece in pieces))
    return "\n".join(rows)


def both_text(diff: DiffDisplay, lines: Sequence[Line]) -> str:
    """The rows of `lines`, all of two sides, as a unified diff has them: first what went, then what
    came."""
    went, came = _source(diff, 0), _source(diff, 1)
    found: list[str] = []
    waiting: list[str] = []
    for line in lines:
        old, new = _piece(line, 0, 0, -1), _piece(line, 1, 0, -1)
        if new is not None and new.mark == " " and new.number in came:
            found, waiting = [*found, *waiting, f" {came[new.number]}"], []
            continue
        if old is not None and old.number in went:
            found.append(f"-{went[old.number]}")
        if new is not None and new.number in came:
            waiting.append(f"+{came[new.number]}")
    return "\n".join([*found, *waiting])


def _goes_on(lines: Sequence[Line], number: int, side: Side) -> bool:
    piece = _piece(lines[number], side, 0, -1) if number < len(lines) else None
    return piece is not None and not piece.number


def _piece(line: Line, side: Side, start: int, end: int) -> _Piece | None:
    """What is chosen of `line` on `side`: None where the side has no row there, and for what is no
    line of the file."""
    at, runs = _runs(line, side)
    number, mark = runs[0].text.strip(), runs[1].text if len(runs) > 1 else ""
    continued = len(runs) > 1 and runs[1].style.endswith(" indent")
    if not (number or continued) or not runs[0].style.endswith("diff.number"):
        return None
    stop = len(line.text) if end < 0 else end
    text, whole = "", True
    for place, run in enumerate(runs):
        if place > 1 and run.style.rpartition(" ")[2] not in DECORATION:
            text += run.text[max(0, start - at) : max(0, stop - at)]
            whole = whole and start <= at and at + len(run.text) <= stop
        at += len(run.text)
    return _Piece(int(number or 0), "" if continued else mark, text, whole)


def _runs(line: Line, side: Side) -> tuple[int, Sequence[Segment]]:
    """The segments of `side` from its number on, and the character at which they begin."""
    bar = next((n for n, run in enumerate(line.segments) if run.meta == SIDES), -1)
    runs = line.segments[:bar] if side == 0 else line.segments[bar + 1 :]
    if bar < 0:
        runs = ()
    at = 0 if side == 0 else sum(len(run.text) for run in line.segments[: bar + 1])
    for place, run in enumerate(runs):
        if run.style.endswith("diff.number"):
            return at, runs[place:]
        at += len(run.text)
    return at, (Segment(""),)


def _source(diff: DiffDisplay, side: Side) -> Mapping[int, str]:
    """The lines of one side by their numbers."""
    return dict(_numbered(diff, side))


def _numbered(diff: DiffDisplay, side: Side) -> Iterator[tuple[int, str]]:
    for hunk in diff.hunks:
        number = hunk.new_start if side else hunk.old_start
        for line in hunk.lines:
            if line[:1] not in ("\\", _OTHER[1] if side else _OTHER[0]):
                yield number, harmless(line[1:])
                number += 1
