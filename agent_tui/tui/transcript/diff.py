"""A diff as lines: numbers, marks (`+`, `-`) and text, so that it reads without colour too; in one
column or in two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain, islice, zip_longest
from typing import Final, Literal

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import visible
from agent_tui.tui.core.display_options import DiffForm
from agent_tui.tui.markdown.code import GOES_ON, GOES_ON_MARK, chop, highlight, preceding_lines
from agent_tui.tui.markdown.lines import Cells, Line, Meta, Segment, cut_runs, line_cells

_WORD: Final = late.pattern(r"\w+|\s+|[^\w\s]")
Mark = Literal[" ", "+", "-"]
STYLES: Final[dict[Mark, str]] = {" ": "diff.context", "+": "diff.added", "-": "diff.removed"}
SIGNS: Final[dict[Mark, str]] = {" ": "", "+": " diff.added.sign", "-": " diff.removed.sign"}
"""What the sign in front of a line has over its side's look."""
COLOURED: Final = 24_000
"""Characters of a diff that are highlighted; a lexer takes about a microsecond for each, on both
sides."""
LONGEST_DRAWN: Final = 4_000
"""Characters of one line that are drawn."""
Spans = tuple[tuple[int, int], ...]
"""Stretches of characters (start, end), ascending."""
WORDS: Final = 900
"""Pairs of words of two lines that are compared; more are marked as one stretch."""
MARKS: Final = 4
"""Stretches that are marked in a line; what would be more is marked as one."""
COMPARED: Final = 64
"""Pairs of lines of one change that are compared to find which belong together."""


@frozen
class DiffRow:
    """One line of one side. `number` 0: it has none. `words`: the characters that differ from its
    twin."""

    mark: Mark
    number: int
    text: str
    words: Spans = ()


Pair = tuple[DiffRow | None, DiffRow | None]
"""What stands in one line of the screen: the old side and the new one; where a line is on one side
only, None."""

Known = Mapping[DiffRow, Sequence[Segment]]
"""The coloured runs of lines."""


def pairs(hunk: Hunk, twins: bool, most: int = 0) -> Iterator[Pair]:
    """The lines of `hunk`, each when it is asked for; of a change at most `most` lines of a side
    (0: all).

    `twins`: what went beside what came; else one below the other (context: on the new side).
    """
    for stretch in _stretches(hunk, most or len(hunk.lines)):
        if twins:
            yield from stretch
        elif (row := stretch[0][1]) is not None and row.mark == " ":
            yield None, row
        else:
            yield from ((row, None) for row, _ in stretch if row is not None)
            yield from ((None, row) for _, row in stretch if row is not None)


def _stretches(hunk: Hunk, most: int) -> Iterator[list[Pair]]:
    """Lines that belong together: what went and what came in its place, or one line on both
    sides."""
    old, new = hunk.old_start, hunk.new_start
    removed: list[str] = []
    added: list[str] = []
    side = ""
    for line in chain(hunk.lines, (None,)):  # one more, to end the last change
        mark = "" if line is None else line[:1] or " "
        if (removed or added) and (mark not in ("+", "-") or (mark == "-" and added)):
            yield list(
                _change(old, new, [*map(_flat, removed[:most])], [*map(_flat, added[:most])])
            )
            old, new = old + len(removed), new + len(added)
            removed, added = [], []
        if line is None:
            return
        if mark == "-":
            removed.append(line[1:])
        elif mark == "+":
            added.append(line[1:])
            if len(added) == most:  # whatever follows, as many lines as are wanted are there
                yield list(_change(old, new, [*map(_flat, removed[:most])], [*map(_flat, added)]))
                return
        elif mark == "\\":
            # about the line above it; at the beginning about the file as it is now
            note = DiffRow(" ", 0, _flat(line if side else line.removeprefix("\\ ")))
            old_note = None if side in ("", "+") else note
            yield [(old_note, None if side == "-" else note)]
        else:
            text = _flat(line[1:])
            yield [(DiffRow(" ", old, text), DiffRow(" ", new, text))]
            old, new = old + 1, new + 1
        side = side if mark == "\\" and not side else mark


def _change(old: int, new: int, removed: Sequence[str], added: Sequence[str]) -> Iterator[Pair]:
    twins = _twins(removed, added)
    words_old = {one: _changed(removed[one], added[other])[0] for one, other in twins}
    words_new = {other: _changed(removed[one], added[other])[1] for one, other in twins}
    went = [DiffRow("-", old + n, text, words_old.get(n, ())) for n, text in enumerate(removed)]
    came = [DiffRow("+", new + n, text, words_new.get(n, ())) for n, text in enumerate(added)]
    return _beside(went, came, twins)


def _beside(
    went: Sequence[DiffRow], came: Sequence[DiffRow], twins: Sequence[tuple[int, int]]
) -> Iterator[Pair]:
    """Twins side by side, the lines between them too, as far as there are lines on both sides."""
    one = other = 0
    for left, right in (*twins, (len(went), len(came))):
        yield from zip_longest(went[one:left], came[other:right])
        if left < len(went) and right < len(came):
            yield went[left], came[right]
        one, other = left + 1, right + 1


def _twins(removed: Sequence[str], added: Sequence[str]) -> list[tuple[int, int]]:
    """Which line came in the place of which (indices, both ascending): the pairs that have most in
    common. In large changes, where looking for them is dear, the first with the first, and so on.
    """
    if len(removed) * len(added) > COMPARED:
        return [(n, n) for n in range(min(len(removed), len(added)))]
    best: list[list[tuple[float, tuple[tuple[int, int], ...]]]]
    best = [[(0.0, ())] * (len(added) + 1) for _ in range(len(removed) + 1)]
    for one, gone in enumerate(removed):
        for other, new in enumerate(added):
            found = max(best[one][other + 1], best[one + 1][other], key=_score)
            start, end = _common(gone, new)
            alike = (start + end) / max(len(gone), len(new), 1)
            if alike >= 0.5 and best[one][other][0] + alike > found[0]:
                found = (best[one][other][0] + alike, (*best[one][other][1], (one, other)))
            best[one + 1][other + 1] = found
    return list(best[-1][-1][1])


def _score(found: tuple[float, object]) -> float:
    return found[0]


def _flat(text: str) -> str:
    more = len(text) - LONGEST_DRAWN
    if more > 0:
        text = f"{text[:LONGEST_DRAWN]} … {more:,} more characters"
    return visible(text).expandtabs(4).replace("\n", "␊")


def _changed(old: str, new: str) -> tuple[Spans, Spans]:
    """The words that differ, between the common beginning and the common end; none where the lines
    have little in common."""
    start, end = _common(old, new)
    if (start + end) * 2 < max(len(old), len(new)) or not old.strip() or not new.strip():
        return (), ()
    while start and _inside(old, start) | _inside(new, start):
        start -= 1
    while end and _inside(old, len(old) - end) | _inside(new, len(new) - end):
        end -= 1
    left, right = _words(old[start : len(old) - end]), _words(new[start : len(new) - end])
    whole = _span(start, left), _span(start, right)
    if not left or not right or len(left) * len(right) > WORDS:
        return whole
    found: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            for spans, words, first, last in ((found[0], left, a, b), (found[1], right, c, d)):
                at = start + sum(map(len, words[:first]))
                spans += _span(at, words[first:last])
    joined = _joined(found[0]), _joined(found[1])
    return whole if max(map(len, joined)) > MARKS else joined


def _joined(spans: Sequence[tuple[int, int]]) -> Spans:
    """`spans`, those that only one character parts as one: it would be a gap in what is read as one
    change."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start - found[-1][1] <= 1:
            start = found.pop()[0]
        found.append((start, end))
    return tuple(found)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _span(at: int, words: Sequence[str]) -> Spans:
    return ((at, at + sum(map(len, words))),) if words else ()


def _common(old: str, new: str) -> tuple[int, int]:
    """Characters that both begin with, and that both end with."""
    shortest = min(len(old), len(new))
    start = 0
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


def _inside(text: str, at: int) -> bool:
    """Whether a word goes on across `at`."""
    return 0 < at < len(text) and _wordy(text[at - 1]) and _wordy(text[at])


def _wordy(character: str) -> bool:
    return character.isalnum() or character == "_"


class Colours:
    """The syntax colours of a diff's lines, part by part, until `COLOURED` characters are used
    up."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._left = COLOURED
        self._old: tuple[str, ...] = ()
        self._new: tuple[str, ...] = ()

    def start(self, hunk: Hunk) -> None:
        """From here on the lines are those of `hunk`."""
        self._old, self._new = preceding_lines(hunk.old_opening), preceding_lines(hunk.new_opening)

    def colours_of(self, shown: Sequence[Pair]) -> Known:
        """The runs of the lines of `shown`, which come after those of the last call. A line that is
        missing has no colours."""
        new = [row for _, row in shown if row is not None]
        old: list[DiffRow] = []
        for one, other in shown:
            row = one or other
            if row is not None and row.mark != "+":
                old.append(row)
        changed = any(row.mark == "-" for row in old)
        known = (dict(self._side(old, self._old)) if changed else {}) | dict(
            self._side(new, self._new)
        )
        if self._left > 0:
            self._old += preceding_lines([row.text for row in old if row.number])
            self._new += preceding_lines([row.text for row in new if row.number])
        return known

    def _side(
        self, rows: Sequence[DiffRow], before: tuple[str, ...]
    ) -> Iterator[tuple[DiffRow, Sequence[Segment]]]:
        known: list[DiffRow] = []
        for row in rows:
            self._left -= len(row.text) + 1
            if self._left < 0:
                break
            if row.number:
                known.append(row)
        lines = (
            highlight("\n".join(row.text for row in known), self._path, before)
            if known and self._path
            else ()
        )
        if len(lines) == len(known):
            yield from zip(known, lines, strict=True)


def runs(row: DiffRow, colours: Sequence[Segment] | None) -> list[Segment]:
    """The text of `row` in runs: its side's look, syntax colours, and the tint of what changed in
    it."""
    style, text = STYLES[row.mark], row.text
    if not text:
        return []
    if colours is None or sum(len(run.text) for run in colours) != len(
        text
    ):  # a lexer may drop characters
        colours = (Segment(text, "code.text"),)
    found: list[Segment] = []
    at = 0
    for run in colours:
        stop = at + len(run.text)
        for left, right, word in _split(at, stop, row.words):
            found.append(Segment(text[left:right], _look(row.mark, style, run.style, word)))
        at = stop
    return found


def _split(at: int, stop: int, spans: Spans) -> Iterator[tuple[int, int, bool]]:
    """The characters from `at` to `stop` in stretches (start, end, whether it is in one of
    `spans`)."""
    for start, end in spans:
        if end <= at or start >= stop:
            continue
        if start > at:
            yield at, start, False
        yield max(at, start), min(end, stop), True
        at = min(end, stop)
    if at < stop:
        yield at, stop, False


def _look(mark: Mark, style: str, code: str, word: bool) -> str:
    """On a changed line the side's look is over the syntax, so that a theme without tints shows the
    side; what is over the syntax of context has a name of its own."""
    if code and code != "code.text":
        style = f"{style} {code} diff.context.code" if mark == " " else f"{code} {style}"
    return f"{style} {STYLES[mark]}.word" if word else style


SIDES: Final[Meta] = (("diff", "sides"),)
"""What the bar between the sides carries along, so that it is told from those of tables."""
_BAR: Final = Segment("│", "table.border", SIDES)

Runs = tuple[Segment, ...]


def split_lines(pair: Pair, known: Known, digits: int, width: int, cells: Cells) -> list[Line]:
    """One line of both sides, `width` cells wide; what is too long goes on below, on its own
    side."""
    old, new = pair
    room = (width - 1) // 2
    colours = known.get(new) if new else None
    left = _half(old, known.get(old, colours) if old else None, digits, room, cells)
    right = _half(new, colours, digits, width - 1 - room, cells)
    height = max(len(left), len(right))
    left, right = _filled(old, left, height, room), _filled(new, right, height, width - 1 - room)
    return [Line((*one, _BAR, *other)) for one, other in zip(left, right, strict=True)]


def _half(
    row: DiffRow | None, colours: Sequence[Segment] | None, digits: int, width: int, cells: Cells
) -> list[Runs]:
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
    return [
        (*line.segments, Segment(" " * (width - line_cells(line.segments, cells)), blank))
        for line in drawn
    ]


def _filled(row: DiffRow | None, lines: list[Runs], height: int, width: int) -> list[Runs]:
    """`lines`, and blank ones up to `height`: in the side's tint, or in none where the side has no
    line."""
    blank = (Segment(" " * width, f"{STYLES[row.mark]} indent" if row else "margin"),)
    return lines + [blank] * (height - len(lines))


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
            known = colours.colours_of(shown)
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
