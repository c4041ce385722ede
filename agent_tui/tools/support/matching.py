"""Where a stretch of text stands in a file. What does not stand there exactly is looked for step by
step, each step with one thing overlooked; the first that finds anything decides, and only if it
finds one place. The new text is adapted to the file in the same way, or, where it could be meant in
two ways, not at all."""

from __future__ import annotations

import difflib
import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.tools.support import pieces

How = Literal["", "line ends", "trailing spaces", "indentation", "quotes and dashes"]
"""What was overlooked; empty: nothing."""
STEPS: Final[tuple[How, ...]] = (
    "line ends",
    "trailing spaces",
    "indentation",
    "quotes and dashes",
)
MOST_PLACES: Final = 200
LONGEST: Final = 100_000
"""Characters of a text that is looked for in other ways than exactly."""
REQUOTED: Final = 2_000
"""Characters that are compared one by one."""
TELLING: Final = 20
"""Characters of a single line."""
_PLAIN: Final = {
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\u00a0\u202f\u2007\u2009", " "),
}
_INDENT: Final = late.pattern(r"[ \t]*")


@frozen
class Place:
    start: int
    end: int

    def moved(self, by: int) -> Place:
        return Place(self.start + by, self.end + by)


def find_places(text: str, old: str, whole: bool = False) -> tuple[How, list[Place]]:
    """Where `old` stands in `text`, and what had to be overlooked for that; `whole`: only where it
    is whole lines. At most `MOST_PLACES`; they may overlap."""
    if found := list(itertools.islice(_exactly(text, old, whole), MOST_PLACES)):
        return "", found
    if old.strip() and len(old) <= LONGEST:
        for how in STEPS:
            if how == "indentation" and not _is_telling(old):
                continue
            if found := list(itertools.islice(_search(text, old, whole, how), MOST_PLACES)):
                return how, found
    return "", []


def _is_telling(old: str) -> bool:
    """Whether a text says where it belongs also without its indentation: `return None` does not."""
    lines = [line for line in old.split("\n") if line.strip()]
    return len(lines) > 1 or len(old.strip()) >= TELLING


def _exactly(text: str, old: str, whole: bool) -> Iterator[Place]:
    found = False
    for at in _starts(text, old, begins=whole, ends=whole and not old.endswith("\n")):
        found = True
        yield Place(at, at + len(old))
    last = old.removesuffix("\n")
    open_end = last != old and not last.endswith("\n") and text.endswith(last)
    if whole and open_end and not found:
        start = len(text) - len(last)  # the last line, which has no end
        if last and (start == 0 or text[start - 1] == "\n"):
            yield Place(start, len(text))


def _starts(text: str, wanted: str, begins: bool, ends: bool) -> Iterator[int]:
    """Where `wanted` stands in `text`, which may overlap; `begins`, `ends`: only at the beginning,
    or the end, of a line. Linear: what is no such place is no candidate."""
    head, tail = "\n" if begins else "", "\n" if ends else ""
    if begins and text.startswith(wanted + tail):
        yield 0
    at = pieces.find(text, head + wanted + tail)
    while at >= 0:
        yield at + len(head)
        at = pieces.find(text, head + wanted + tail, at + 1)
    last = len(text) - len(wanted)
    if ends and text.endswith(wanted) and (not begins or text[last - 1 : last] in ("", "\n")):
        yield last


def _search(text: str, old: str, whole: bool, how: How) -> Iterator[Place]:
    """Where `old` stands if `how` is overlooked: where it stands exactly once that is taken off
    both, line by line."""
    if how == "line ends" and "\r" not in text and "\r" not in old:
        return
    if how == "quotes and dashes":
        if text.isascii() and old.isascii():
            return
        text, old = _plain(text), _plain(old)
    lines = old.replace("\r\n", "\n").split("\n")
    start, end = _around_longest(text, lines)
    if start < 0:
        return  # quickly: most misses are
    while start < end:
        then = text.find("\n", start + pieces.PIECE, end) + 1 or end
        high = then  # a place that begins here may end some lines below
        for _ in range(len(lines) if then < end else 0):
            high = text.find("\n", high, end) + 1 or end
        found = _search_lines(text, start, high - (high < end), lines, whole, how)
        for place in found:
            if place.start >= then:
                break
            yield place
        start = then


def _search_lines(
    text: str, start: int, end: int, lines: Sequence[str], whole: bool, how: How
) -> Iterator[Place]:
    """The same in the lines from `start` to `end`, for `lines`."""
    rows = text[start:end].split("\n")
    bare = [_BARE[how](row.removesuffix("\r")) for row in rows]
    wanted = [_BARE[how](line) for line in lines]
    closed = not lines[-1]
    if closed and wanted[-2] and end == len(text) and how in ("trailing spaces", "indentation"):
        rows, bare = [*rows, ""], [*bare, ""]  # the last line of a file can lack its end
    begins = whole or how == "indentation"
    # blanks at its end say that nothing follows them on that line
    ends = not closed and (begins or wanted[-1] != lines[-1])
    at_row, at_bare = _line_starts(rows, start), _line_starts(bare, 0)
    needle = "\n".join(wanted)
    for at in _starts("\n".join(bare), needle, begins, ends):
        row = bisect_right(at_bare, at) - 1
        first = at_row[row] + (0 if begins else at - at_bare[row])
        row = bisect_right(at_bare, at + len(needle)) - 1
        column = len(rows[row].removesuffix("\r")) if ends else at + len(needle) - at_bare[row]
        yield Place(first, min(at_row[row] + column, len(text)))


def _plain(text: str) -> str:
    """With plain quotes, dashes and blanks, each in the place of one: most texts have few kinds."""
    parts: list[str] = []
    for at, end in pieces.spans(0, len(text)):
        part = text[at:end]
        for char, plain in _PLAIN.items():
            part = part.replace(char, plain) if char in part else part
        parts.append(part)
    return "".join(parts)


_BARE: Final[dict[How, Callable[[str], str]]] = {
    "line ends": str,
    "trailing spaces": lambda line: line.rstrip(" \t"),
    "indentation": lambda line: line.strip(" \t"),
    "quotes and dashes": str,
}
"""What counts of a line without its end."""


def _line_starts(rows: Sequence[str], start: int) -> list[int]:
    return [*itertools.accumulate((len(row) + 1 for row in rows[:-1]), initial=start)]


def _around_longest(text: str, lines: Sequence[str]) -> tuple[int, int]:
    """The stretch of whole lines of `text` in which `lines` can stand, by the longest of them; -1:
    in none."""
    bare = [line.strip() for line in lines]
    longest = max(bare, key=len)
    above = bare.index(longest)
    first = last = pieces.find(text, longest)
    if first < 0:
        return -1, -1
    while (at := pieces.find(text, longest, last + len(longest))) >= 0:
        last = at
    start = text.rfind("\n", 0, first) + 1
    for _ in range(above):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1
    end = last
    for _ in range(len(lines) - above):
        if (end := text.find("\n", end) + 1) == 0:
            return start, len(text)
    return start, end - 1


def adapt(text: str, place: Place, old: str, new: str, how: How) -> str | None:
    """What to put at `place` in the place of `old`, so that it becomes `new` in the way in which
    the file is written; None: that could be meant in several ways."""
    held = text[place.start : place.end]
    if held == old:
        return _with_ends(text, place, new) if "\n" not in old and "\n" in new else new
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if how == "quotes and dashes":
        plain = held.replace("\r\n", "\n")
        adapted = _requoted(plain, old, new)
        return None if adapted is None else _lined(text, place, old, new, adapted.split("\n"))
    if not new:
        return ""
    if old.endswith("\n") and not held.endswith("\n"):  # the last line of a file, without an end
        old, new = old[:-1], new.removesuffix("\n")
    lines = new.split("\n")
    if how == "indentation":
        shifted = _shifted(held.replace("\r\n", "\n").split("\n"), old.split("\n"), lines)
        if shifted is None:
            return None
        lines = shifted
    return _lined(text, place, old, new, lines)


def _with_ends(text: str, place: Place, new: str) -> str:
    """`new` with the line ends of the line that it is put into, where the file has more than one
    kind."""
    end = text.find("\n", place.end)
    end = end if end >= 0 else text.rfind("\n", 0, place.start)
    crlf = end > 0 and text[end - 1] == "\r"
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if crlf else new


def _lined(text: str, place: Place, old: str, new: str, lines: Sequence[str]) -> str:
    """`lines`, which stand for those of `new`, with line ends: those that `old` has too stay as
    they are in the file, to the last blank; the others end as most lines there do."""
    held = text[place.start : place.end].split("\n")
    usual = _usual_end(text, place)
    kept = _kept_lines(old.split("\n"), new.split("\n"))
    found: list[str] = []
    last = len(lines) - 1
    for number, line in enumerate(lines):
        own = kept.get(number)
        if own is not None and own < len(held):
            is_last = own == len(held) - 1
            line = held[own].removesuffix("\r") if not is_last else held[own]
            end = "\r\n" if not is_last and held[own].endswith("\r") else "\n"
            end = usual if is_last else end
        else:
            end = usual
        found.append(line + (end if number < last else ""))
    return "".join(found)


def _usual_end(text: str, place: Place) -> str:
    """How most lines of the stretch end; where it has no line end, those of the file."""
    for start, end in ((place.start, place.end), (0, len(text))):
        if (ends := pieces.count(text, "\n", start, end)) > 0:
            return "\r\n" if 2 * pieces.count(text, "\r\n", start, end) > ends else "\n"
    return "\n"


def _kept_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Lines of `new` that are lines of `old`, by their numbers."""
    if len(old) + len(new) > 4_000:
        return {}
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return {
        block.b + offset: block.a + offset
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    }


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found[0] if found else ""


def _width(indent: str) -> int:
    return len(indent.expandtabs(8))


def _shifted(held: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """`new` shifted as `held` is shifted against `old`; None: there is no one way to do it."""
    pairs = [
        (_indent(was), _indent(now)) for was, now in zip(old, held, strict=True) if was.strip()
    ]
    first_old = next(line for line in old if line.strip())
    first_new = next((line for line in new if line.strip()), None)
    if first_new is None:
        return list(new)
    if _indent(first_new) != _indent(first_old):
        return None  # the new text may be the one that is indented as the file is
    known: dict[str, str] = {}
    for was, now in pairs:
        if known.setdefault(was, now) != now:
            return None  # not one shift
    by_width = sorted(known, key=_width)
    widths = [_width(known[indent]) for indent in by_width]
    if widths != sorted(set(widths)):
        return None  # what is inside of what is another thing in the file
    found: list[str] = []
    for line in new:
        indent = _indent(line)
        moved = known.get(indent) if line.strip() else indent
        if moved is None:
            moved = _derived(indent, pairs)
        if moved is None:
            return None
        found.append(moved + line[len(indent) :] if line.strip() else line)
    return found


def _derived(indent: str, pairs: Sequence[tuple[str, str]]) -> str | None:
    """What becomes of an indentation that no known line has."""
    readings: set[str] = set()
    if all(now.endswith(was) for was, now in pairs):
        more = {now[: len(now) - len(was)] for was, now in pairs}
        readings |= {one + indent for one in more} if len(more) == 1 else set()
    elif all(was.endswith(now) for was, now in pairs):
        less = {was[: len(was) - len(now)] for was, now in pairs}
        cut = next(iter(less))
        if len(less) == 1 and indent.startswith(cut):
            readings.add(indent[len(cut) :])
    else:
        readings |= _in_units(indent, pairs)
    own = {mark for _, now in pairs for mark in now}
    if len(own) == 1 and any(set(one) - own for one in readings):
        return None  # tabs and spaces, where the file has only one of them
    return readings.pop() if len(readings) == 1 else None


def _in_units(indent: str, pairs: Sequence[tuple[str, str]]) -> set[str]:
    """The indentation with tabs for so many spaces each, or the reverse."""
    indented = [(was, now) for was, now in pairs if was or now]
    for mark, other in ((" ", "\t"), ("\t", " ")):
        if not all(set(was) == {mark} and set(now) == {other} for was, now in indented):
            continue
        large, small = (0, 1) if mark == " " else (1, 0)
        units = {len(pair[large]) / len(pair[small]) for pair in indented}
        unit = int(next(iter(units)))
        if len(units) != 1 or unit not in (2, 3, 4, 8) or unit not in units:
            return set()
        if set(indent) != {mark}:
            return set()
        if mark == "\t":
            return {other * (len(indent) * unit)}
        return {other * (len(indent) // unit)} if len(indent) % unit == 0 else set()
    return set()


def _requoted(held: str, old: str, new: str) -> str | None:
    """`new` with the file's own characters where it has those of `old`. What is new keeps its own,
    unless it is of a kind in which `old` and the file differ: then it must follow the order of the
    old ones, or have one counterpart; a plain quote could be meant in two ways (None)."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    if len(old) + len(new) - 2 * (head + tail) > REQUOTED:
        return None
    became: dict[str, set[str]] = {}
    for was, now in zip(old, held, strict=True):
        became.setdefault(was, set()).add(now)
    differing = {was for was, now in became.items() if now != {was}} - {" "}
    found = list(new)
    inner = old[head : len(old) - tail], new[head : len(new) - tail]
    for block in difflib.SequenceMatcher(None, *inner, autojunk=False).get_matching_blocks():
        a, b = block.a + head, block.b + head
        found[b : b + block.size] = held[a : a + block.size]
    before = [at for at in range(head, len(old) - tail) if old[at] in differing]
    after = [at for at in range(head, len(new) - tail) if new[at] in differing]
    found[:head] = held[:head]
    found[len(new) - tail :] = held[len(old) - tail :]
    if [old[at] for at in before] == [new[at] for at in after]:
        for was_at, at in zip(before, after, strict=True):
            found[at] = held[was_at]
        return "".join(found)
    for at in after:
        counterparts = became[new[at]]
        if new[at].isascii() or len(counterparts) != 1:
            return None
        found[at] = next(iter(counterparts))
    return "".join(found)


def _common(one: str, other: str) -> int:
    """Characters that both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


@frozen
class Replacement:
    place: Place
    text: str


def replace_places(text: str, replacements: Sequence[Replacement]) -> str:
    """`text` with all of them made. Raises ValueError where two overlap."""
    each = kept_stretches(len(text), replacements)
    return "".join(part for start, end, new in each for part in (text[start:end], new))


def kept_stretches(
    size: int, replacements: Sequence[Replacement]
) -> Iterator[tuple[int, int, str]]:
    """What stays of a text of `size` characters, from where to where, and what is new behind it.
    Raises ValueError where two replacements overlap."""
    at = 0
    for one in sorted(replacements, key=lambda one: (one.place.start, one.place.end)):
        if one.place.start < at:
            raise ValueError("they overlap")
        yield at, one.place.start, one.text
        at = one.place.end
    yield at, size, ""


def line_of(text: str, at: int) -> int:
    return pieces.count(text, "\n", 0, at) + 1


def list_lines(text: str, places: Sequence[Place], most: int = 10) -> str:
    """The numbers of the lines at which `places` begin."""
    numbers = ", ".join(str(line_of(text, place.start)) for place in places[:most])
    return numbers + (", …" if len(places) > most else "")
