"""Where vim's motions lead and what its text objects hold: pure functions of a text and a place in
it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from agent_tui.structures.frozen import frozen
from agent_tui.tui.core.model import VimMode
from agent_tui.tui.prompt.readline import kind, line_end, line_start

MARK: Final = 9
"""The class of punctuation: a word of its own, other than `kind` has it."""


@frozen
class Target:
    """Where a motion leads. With an operator: `whole` lines, or up to the place, `inclusive` of
    what stands there."""

    at: int
    inclusive: bool = False
    whole: bool = False


def last_place(text: str, at: int) -> int:
    """The nearest place that a caret of the normal mode may have: on a character, unless the line
    is empty."""
    at = max(0, min(at, len(text)))
    start, end = line_start(text, at), line_end(text, at)
    return max(start, min(at, end - 1))


def first_word(text: str, at: int) -> int:
    """The first character of the line that is not white."""
    at, end = line_start(text, at), line_end(text, at)
    while at < end and text[at] in " \t":
        at += 1
    return at


def vertical(text: str, at: int, lines: int, column: int) -> int | None:
    """The place `lines` further down (or up) in `column`; None: there is no such line."""
    for _ in range(abs(lines)):
        if lines > 0:
            end = line_end(text, at)
            if end == len(text):
                return None
            at = end + 1
        else:
            start = line_start(text, at)
            if not start:
                return None
            at = start - 1
    return min(line_start(text, at) + column, line_end(text, at))


def sort(character: str, large: bool) -> int:
    """0: white. `large`: everything else is alike (`W` instead of `w`)."""
    if character.isspace():
        return 0
    return 1 if large else kind(character) or MARK


def word_on(text: str, at: int, large: bool) -> int:
    """`w`: the beginning of the next word; an empty line is one."""
    end = len(text)
    if at < end and (now := sort(text[at], large)):
        while at < end and sort(text[at], large) == now:
            at += 1
    while at < end and text[at].isspace():
        at += 1
        if text[at - 1] == "\n" and at < end and text[at] == "\n":
            break
    return at


def word_end(text: str, at: int, large: bool) -> int:
    """`e`: the last character of this word, or of the next one."""
    at, end = at + 1, len(text)
    while at < end and text[at].isspace():
        at += 1
    if at >= end:
        return max(0, end - 1)
    now = sort(text[at], large)
    while at + 1 < end and sort(text[at + 1], large) == now:
        at += 1
    return at


def word_back(text: str, at: int, large: bool) -> int:
    """`b`: the beginning of this word, or of the one before."""
    while at and text[at - 1].isspace():
        at -= 1
        if text[at] == "\n" and at and text[at - 1] == "\n":
            return at
    if at:
        now = sort(text[at - 1], large)
        while at and sort(text[at - 1], large) == now:
            at -= 1
    return at


def paragraph(text: str, at: int, down: bool) -> int:
    """`}` and `{`: the next empty line."""
    if down:
        while at < len(text) and text[at] == "\n":
            at += 1
        found = text.find("\n\n", at)
        return len(text) if found < 0 else found + 1
    while at and text[at - 1] == "\n" and text[at : at + 1] in ("\n", ""):
        at -= 1
    found = text.rfind("\n\n", 0, at)
    return 0 if found < 0 else found + 1


def find_in_line(
    text: str, at: int, how: str, character: str, count: int, again: bool = False
) -> Target | None:
    """`f` `t` `F` `T` in this line. `again`: a `t` that stands before a hit goes on to the next."""
    start, end = line_start(text, at), line_end(text, at)
    place = at
    for number in range(count):
        skip = 1 if how in "tT" and again and not number else 0
        if how in "ft":
            place = text.find(character, place + 1 + skip, end)
        else:
            place = text.rfind(character, start, max(start, place - skip))
        if place < 0:
            return None
    if how == "t":
        place -= 1
    return Target(place + 1 if how == "T" else place, inclusive=how in "ft")


# -- text objects: from, to


def object_of(text: str, at: int, around: bool, name: str, count: int) -> tuple[int, int] | None:
    """What `iw`, `a"`, `i(` … hold at this place; None: there is none."""
    if name in ("w", "W"):
        return _word(text, at, around, name == "W", count)
    if name in "\"'`":
        return _quoted(text, at, around, name)
    if name == "p":
        return _lines(text, at, around)
    return _bracketed(text, at, around, BRACKETS[name], count) if name in BRACKETS else None


BRACKETS: Final = {
    **dict.fromkeys("()b", "()"), **dict.fromkeys("[]", "[]"), **dict.fromkeys("{}B", "{}"),
    **dict.fromkeys("<>", "<>"),
}  # fmt: skip


def _word(text: str, at: int, around: bool, large: bool, count: int) -> tuple[int, int] | None:
    start, end = line_start(text, at), line_end(text, at)
    if start == end:
        return None
    at = min(at, end - 1)

    def run(place: int, step: int) -> int:
        """The end of what is alike, in one direction."""
        now = sort(text[place], large)
        while start <= place + step < end and sort(text[place + step], large) == now:
            place += step
        return place

    first, last = run(at, -1), run(at, 1) + 1
    white = not sort(text[at], large)
    for number in range(2 * count - 1 if around else count - 1):
        if last >= end:
            if around and number == 0 and not white:  # no white space after it: the one before
                while first > start and text[first - 1].isspace():
                    first -= 1
            break
        if around and number == 0 and not white and not text[last].isspace():
            while first > start and text[first - 1].isspace():
                first -= 1
            break
        last = run(last, 1) + 1
    return first, last


def _quoted(text: str, at: int, around: bool, mark: str) -> tuple[int, int] | None:
    start, end = line_start(text, at), line_end(text, at)
    marks = [
        n for n in range(start, end) if text[n] == mark and (n == start or text[n - 1] != "\\")
    ]
    for first, last in zip(marks[::2], marks[1::2], strict=False):
        if at <= last:
            return (first, last + 1) if around else (first + 1, last)
    return None


def _bracketed(text: str, at: int, around: bool, pair: str, count: int) -> tuple[int, int] | None:
    opening, closing = pair[0], pair[1]
    place = at + 1 if at < len(text) and text[at] == opening else at
    first = place
    for _ in range(count):
        depth = 0
        first -= 1
        while first >= 0 and (text[first] != opening or depth):
            depth += (text[first] == closing) - (text[first] == opening)
            first -= 1
        if first < 0:
            return None
    last, depth = first + 1, 0
    while last < len(text) and (text[last] != closing or depth):
        depth += (text[last] == opening) - (text[last] == closing)
        last += 1
    if last >= len(text):
        return None
    return (first, last + 1) if around else (first + 1, last)


def _lines(text: str, at: int, around: bool) -> tuple[int, int] | None:
    """A paragraph, whole lines; `around`: with the empty lines after it."""
    first, last = line_start(text, at), line_end(text, at)
    if first == last:
        return None
    while first and line_start(text, first - 1) != first - 1:
        first = line_start(text, first - 1)
    while last < len(text) and line_end(text, last + 1) != last + 1:
        last = line_end(text, last + 1)
    while around and last < len(text) and text[last : last + 2] in ("\n\n", "\n"):
        last += 1
    return first, last


def matching_bracket(text: str, at: int) -> Target | None:
    """`%`: the other one of the pair of brackets that comes next in the line."""
    end = line_end(text, at)
    while at < end and text[at] not in "()[]{}":
        at += 1
    if at == end:
        return None
    pair = BRACKETS[text[at]]
    step = 1 if text[at] == pair[0] else -1
    depth, place = 0, at
    while 0 <= place < len(text):
        depth += (text[place] == pair[0]) - (text[place] == pair[1])
        if not depth:
            return Target(place, inclusive=True)
        place += step
    return None


def _words(
    go: Callable[[str, int, bool], int], large: bool, inclusive: bool
) -> Callable[[str, int, int], Target]:
    def motion(text: str, at: int, count: int) -> Target:
        for _ in range(count):
            at = go(text, at, large)
        return Target(at, inclusive)

    return motion


MOTIONS: Final[dict[str, Callable[[str, int, int], Target | None]]] = {
    "h": lambda text, at, count: Target(max(line_start(text, at), at - count)),
    "l": lambda text, at, count: Target(min(line_end(text, at), at + count)),
    " ": lambda text, at, count: Target(min(len(text), at + count)),
    "0": lambda text, at, _: Target(line_start(text, at)),
    "^": lambda text, at, _: Target(first_word(text, at)),
    "$": lambda text, at, count: Target(line_end(text, vertical(text, at, count - 1, 0) or at)),
    "{": lambda text, at, _: Target(paragraph(text, at, down=False)),
    "}": lambda text, at, _: Target(paragraph(text, at, down=True)),
    "%": lambda text, at, _: matching_bracket(text, at),
    "w": _words(word_on, False, False),
    "W": _words(word_on, True, False),
    "e": _words(word_end, False, True),
    "E": _words(word_end, True, True),
    "b": _words(word_back, False, False),
    "B": _words(word_back, True, False),
}  # fmt: skip
"""Motions of one key; each is given how often."""


Way = Literal["", "pass", "undo", "redo", "up", "down", "elsewhere"]


@frozen
class Vim:
    mode: VimMode = "insert"
    typed: str = ""
    """The keys of a command that is not complete."""
    register: str = ""
    whole: bool = False
    """The register holds whole lines."""
    found: str = ""
    """The last `f`, `t`, `F` or `T` with its character."""
    anchor: int = 0
    caret: int = 0
    """Where the visual mode began, and where it is."""
    change: str = ""
    inserted: str = ""
    """The last change as it was typed, and what was inserted after it."""
    began: tuple[str, int] = ("", 0)
    """The text and the caret when the insert mode began."""
    typing: str = ""
    """The command that began it; empty: none that `.` does again."""
    times: int = 1


@frozen
class Done:
    """What came of a key. `way`: what the prompt is to do by itself."""

    vim: Vim
    text: str
    caret: int
    way: Way = ""
