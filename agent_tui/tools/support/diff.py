"""The difference of two texts as a `DiffDisplay`: exact for ordinary files, coarse rather than slow
for huge ones."""

from __future__ import annotations

import difflib
import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agent_tui import registry
from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.tools.support import pieces
from agent_tui.tools.support.files import BOM
from agent_tui.tools.support.matching import Replacement, replace_places

with registry.late(warm=False):
    from agent_tui.structures import lexing

CONTEXT: Final = 3
EXACT_LINES: Final = 4_000
"""Changed lines up to which the difference is searched for; above, only between lines that are
there once."""
NO_NEWLINE: Final = "\\ no newline at the end"
Code = tuple[str, int, int, int, int]
_CHUNK: Final = 65_536
_OPEN: Final = "\n"
"""Behind the last line of the one text that does not end with a newline: no line holds one."""


def diff(path: str, old: str, new: str, created: bool = False) -> DiffDisplay:
    """The lines of `new` against those of `old`, in hunks with up to three lines around each
    change."""
    notes: list[str] = []
    if not created:
        old, new, notes = _compared(old, new)
    return noted(_whole(path, old, new, created), *notes)


def diff_made(path: str, old: str, made: Sequence[Replacement]) -> DiffDisplay:
    """The same for what `made` makes of `old`: only what lies around them is looked at. Raises
    ValueError where two overlap."""
    marks = (old[:1] == BOM, "\r" in old, *("\r" in one.text or BOM in one.text for one in made))
    if any(marks) or not made:  # a note may be due
        return diff(path, old, replace_places(old, made))
    hunks: list[Hunk] = []
    at = added = removed = above = new_above = 0
    for near in _clusters(old, sorted(made, key=lambda one: one.place.start)):
        first, last = near[0].place.start, max(one.place.end for one in near)
        start, end = _around(old, first, last, whole=not hunks)
        above, new_above, at = (
            n + pieces.count(old, "\n", at, start) for n in (above, new_above, start)
        )
        piece, at = old[start:end], start
        own = [Replacement(one.place.moved(-start), one.text) for one in near] if start else near
        changed = replace_places(piece, own)
        found = _whole(path, piece, changed, same=(first - start, end - last))
        hunks += (_moved(hunk, above, new_above) if start else hunk for hunk in found.hunks)
        new_above += changed.count("\n") - piece.count("\n")
        added, removed = added + found.added, removed + found.removed
    return DiffDisplay(path, tuple(hunks), added, removed)


def _clusters(old: str, ordered: Sequence[Replacement]) -> Iterator[Sequence[Replacement]]:
    """Those that are far from each other one by one, the others together."""
    begin = 0
    for number, (one, then) in enumerate(itertools.pairwise(ordered), 1):
        end, start = one.place.end, then.place.start
        if start - end > lexing.FOLLOWED and pieces.count(old, "\n", end, start) > 4 * CONTEXT:
            yield ordered[begin:number]
            begin = number
    yield ordered[begin:]


def _moved(hunk: Hunk, old: int, new: int) -> Hunk:
    """So many lines further down."""
    moved = replace(hunk, old_start=hunk.old_start + old, new_start=hunk.new_start + new)
    return replace(moved, old_opening=(), new_opening=())


def _whole(
    path: str, old: str, new: str, created: bool = False, same: tuple[int, int] | None = None
) -> DiffDisplay:
    """`same`: characters at both ends that are known to be the same; None: it is looked for."""
    opened = not created and _is_open(old) != _is_open(new)
    opens_old = _is_open(old)
    head, tail = same or _same_ends(old, new)
    start, end = _around(old, head, len(old) - tail)
    skipped = pieces.count(old, "\n", 0, start)
    before, after = lines(old[start:end]), lines(new[start : len(new) - (len(old) - end)])
    if opened:
        (before if opens_old else after)[-1] += _OPEN
    codes = _codes(before, after)
    found = [_hunk(group, before, after) for group in _grouped(codes)]
    if skipped:  # the lines above that colours depend on are too many
        hunks = tuple(_moved(hunk, skipped, skipped) for hunk in found)
    else:
        hunks = tuple(_with_openings(path, found, before, after))
    added = sum(d - c for _, _, _, c, d in codes)
    removed = sum(b - a for _, a, b, _, _ in codes)
    return DiffDisplay(path, hunks, added, removed, created)


def noted(display: DiffDisplay, *notes: str) -> DiffDisplay:
    """`display` with notes at its beginning, about what no line shows."""
    if not notes:
        return display
    first, *rest = display.hunks or (Hunk(1, 1, ()),)
    first = replace(first, lines=(*(f"\\ {note}" for note in notes), *first.lines))
    return replace(display, hunks=(first, *rest))


def _compared(old: str, new: str) -> tuple[str, str, list[str]]:
    """Both texts without what all of their lines have in common and differ in: that is a note. A
    change that is shown in no line would be approved unseen."""
    notes: list[str] = []
    if "\r" not in old and "\r" not in new and BOM not in (old[:1], new[:1]):
        return old, new, notes
    if old and new and old.startswith(BOM) != new.startswith(BOM):
        notes.append(f"byte order mark (BOM) {'removed' if old.startswith(BOM) else 'added'}")
        old, new = old.removeprefix(BOM), new.removeprefix(BOM)
    ends = _line_ends(old), _line_ends(new)
    if "" not in ends and ends[0] != ends[1]:
        notes.append(f"line ends: {ends[0]}, now {ends[1]}")
        if "mixed" not in ends:
            old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    return old, new, notes


def _line_ends(text: str) -> str:
    both, all_of_them = pieces.count(text, "\r\n"), pieces.count(text, "\n")
    if not all_of_them:
        return ""
    return "LF" if not both else "CRLF" if both == all_of_them else "mixed"


def _same_ends(old: str, new: str) -> tuple[int, int]:
    """Characters at the beginning and at the end that are the same."""
    head = _same_start(old, new)
    return head, _same_end(old, new, min(len(old), len(new)) - head)


def _around(old: str, first: int, last: int, whole: bool = True) -> tuple[int, int]:
    """From where to where `old` is looked at for changes between `first` and `last`: a few lines
    more; `whole`: from its beginning, unless that is far."""
    start = 0
    if not whole or first > lexing.FOLLOWED:
        start = first
        for _ in range(CONTEXT + 2):
            start = old.rfind("\n", 0, max(0, start - 1)) + 1
    end = last
    for _ in range(CONTEXT + 2):
        if (end := old.find("\n", end) + 1) == 0:
            return start, len(old)
    return start, end


def _same_start(one: str, other: str) -> int:
    """Characters at the beginning that are the same."""
    at, most, size = 0, min(len(one), len(other)), _CHUNK
    while at < most:
        size = min(size, most - at)
        if one[at : at + size] == other[at : at + size]:
            at += size
        elif size == 1:
            break
        else:
            size //= 2
    return at


def _same_end(one: str, other: str, most: int) -> int:
    """Characters at the end that are the same, at most so many."""
    at, size = 0, _CHUNK
    while at < most:
        size = min(size, most - at)
        ends = len(one) - at, len(other) - at
        if one[ends[0] - size : ends[0]] == other[ends[1] - size : ends[1]]:
            at += size
        elif size == 1:
            break
        else:
            size //= 2
    return at


def _codes(before: list[str], after: list[str]) -> list[Code]:
    """What differs. Of many lines those that are there once each hold the rest in its place."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) + len(new) <= EXACT_LINES:
        return _exact_codes(old, new, head, head)
    found: list[Code] = []
    a = b = 0
    for c, d in (*_anchors(old, new), (len(old), len(new))):
        if a < c or b < d:
            found += _gap(old[a:c], new[b:d], head + a, head + b)
        a, b = c + 1, d + 1
    return found


def _gap(old: list[str], new: list[str], a: int, b: int) -> list[Code]:
    if len(old) + len(new) <= EXACT_LINES:
        return _exact_codes(old, new, a, b)
    return [("replace", a, a + len(old), b, b + len(new))]


def _exact_codes(old: list[str], new: list[str], at_old: int, at_new: int) -> list[Code]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (tag, a + at_old, b + at_old, c + at_new, d + at_new)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Lines that are there once in both, as many of them as are in the same order."""
    places = {line: number for number, line in enumerate(new)}
    once_old, once_new = Counter(old), Counter(new)
    pairs = [
        (number, places[line])
        for number, line in enumerate(old)
        if once_old[line] == 1 and once_new.get(line) == 1
    ]
    ends: list[int] = []
    tops: list[int] = []
    below: list[int] = []
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        below.append(tops[at - 1] if at else -1)
        ends[at : at + 1] = [place]
        tops[at : at + 1] = [index]
    found: list[tuple[int, int]] = []
    index = tops[-1] if tops else -1
    while index >= 0:
        found.append(pairs[index])
        index = below[index]
    return found[::-1]


def _is_open(text: str) -> bool:
    return bool(text) and not text.endswith("\n")


def lines(text: str) -> list[str]:
    """Lines without their ends; a last line without an end is a line too."""
    found = text.split("\n")
    if found and not found[-1]:
        found.pop()
    return found


def _common(a: list[str], b: list[str]) -> int:
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def _grouped(codes: list[Code]) -> list[list[Code]]:
    """Changes that share their context lines belong to one hunk."""
    groups: list[list[Code]] = []
    for code in codes:
        if groups and code[1] - groups[-1][-1][2] <= 2 * CONTEXT:
            groups[-1].append(code)
        else:
            groups.append([code])
    return groups


def _hunk(codes: list[Code], before: list[str], after: list[str]) -> Hunk:
    """Blank lines at its ends tell nothing about where it is, and would take the room of what
    does."""
    first, last = codes[0][1], codes[-1][2]
    start, end = max(0, first - CONTEXT), min(len(before), last + CONTEXT)
    while start < first and not before[start].strip():
        start += 1
    while end > last and not before[end - 1].strip():
        end -= 1
    shown: list[str] = []
    position = start
    for _, old_from, old_to, new_from, new_to in codes:
        shown += [" " + line for line in before[position:old_from]]
        shown += _marked("-", before[old_from:old_to])
        shown += _marked("+", after[new_from:new_to])
        position = old_to
    shown += [" " + line for line in before[position:end]]
    return Hunk(start + 1, codes[0][3] - (first - start) + 1, tuple(shown))


def _marked(mark: str, found: Sequence[str]) -> Iterator[str]:
    for line in found:
        yield mark + line.removesuffix(_OPEN)
        if line.endswith(_OPEN):
            yield NO_NEWLINE


def _with_openings(
    path: str, hunks: Sequence[Hunk], before: Sequence[str], after: Sequence[str]
) -> Iterator[Hunk]:
    """`hunks` with the lines above each that its colours depend on. Above the first both files are
    the same."""
    stepper = lexing.find_stepper(path)
    if stepper is None:
        yield from hunks
        return
    old: lexing.Opening = ()
    new: lexing.Opening = ()
    old_at = new_at = 0
    left = lexing.FOLLOWED
    for number, hunk in enumerate(hunks):
        above_old, above_new = (
            before[old_at : hunk.old_start - 1],
            after[new_at : hunk.new_start - 1],
        )
        left -= sum(map(len, above_old))
        if left < 0:
            yield hunk
            continue
        old = stepper.follow(above_old, old)
        new = stepper.follow(above_new, new) if number else old
        old_at, new_at = hunk.old_start - 1, hunk.new_start - 1
        yield replace(
            hunk, old_opening=lexing.opening_lines(old), new_opening=lexing.opening_lines(new)
        )
