"""How well a path fits a query whose letters it holds: they count more in a row, and where names and words begin."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_LETTER: Final = 16
_FIRST: Final = 2
"""Where the first letter stands counts so many times."""
_IN_ROW: Final = 5
_GAP: Final = 3
_FURTHER: Final = 1
"""What a gap costs, and each letter of it after the first."""
_SEGMENT: Final = 10
_WORD: Final = 8
_HUMP: Final = 7
"""What the beginning of a part of the path is worth, that of a word, and that of a hump (`fooBar`)."""
_NAME: Final = 14
"""What it is worth that all letters are in the name."""
_ENDS: Final = "_-. "


def by_words(query: str) -> re.Pattern[str]:
    """Each letter of `query` at the start of a word, in this order."""
    return re.compile("".join(f"(?>.*?(?<![^/_\\-. ]){re.escape(letter)})" for letter in query), re.DOTALL)


def scorer(query: str) -> Callable[[str, str], int]:
    """How well a path that matches fits: the text it is compared by, and the path as it is written."""
    words = by_words(query)

    def mark(text: str, path: str) -> int:
        written = path if len(path) == len(text) else text
        name = text.rfind("/", 0, -1) + 1
        best = -(10**6)
        for begin, extra in ((name, _NAME), (0, 0)):
            places = _tight(query, text, begin)
            if places is not None:
                best = max(best, _sum(written, places) + extra)
            if (one := _piece(query, written, text, begin)) >= 0:
                best = max(best, _sum(written, range(one, one + len(query))) + extra)
            if (found := words.match(text, begin)) is not None:
                best = max(best, _sum(written, _word_starts(query, text, begin, found.end())) + extra)
            if places is not None:
                break  # what is in the name is worth more than what is in the folders
        return best

    return mark


def _tight(query: str, text: str, begin: int) -> list[int] | None:
    """Places of the letters: the first end that can be reached, and from there backwards the nearest ones."""
    end = begin
    for letter in query:
        end = text.find(letter, end) + 1
        if not end:
            return None
    places: list[int] = []
    for letter in reversed(query):
        end = text.rfind(letter, begin, end)
        places.append(end)
    return places[::-1]


def _piece(query: str, written: str, text: str, begin: int) -> int:
    """Where the query stands in one piece, at the start of a word if there is such a place; negative: nowhere."""
    first = place = text.find(query, begin)
    for _ in range(8):
        if place < 0 or _start(written, place):
            break
        place = text.find(query, place + 1)
    return place if place >= 0 else first


def _word_starts(query: str, text: str, begin: int, end: int) -> list[int]:
    """The places of the letters where each begins a word, as it was found to be possible."""
    places: list[int] = []
    at = begin
    for letter in query:
        at = text.find(letter, at, end)
        while at > 0 and text[at - 1] not in "/_-. ":
            at = text.find(letter, at + 1, end)
        places.append(at)
        at += 1
    return places


def _start(written: str, place: int) -> int:
    """What it is worth that a letter stands there: the beginning of a name, of a word, of a hump."""
    if not place or written[place - 1] == "/":
        return _SEGMENT
    before, here = written[place - 1], written[place]
    if before in _ENDS:
        return _WORD
    return _HUMP if (before.islower() and here.isupper()) or (here.isdigit() and not before.isdigit()) else 0


def _sum(written: str, places: Sequence[int]) -> int:
    total, last, run = 0, -1, 0
    for number, place in enumerate(places):
        worth = _start(written, place)
        if number and place == last + 1:
            worth = max(worth, run, _IN_ROW)
        else:
            run = worth
            if number:
                total -= _GAP + _FURTHER * (place - last - 2)
        total += _LETTER + (worth * _FIRST if not number else worth)
        last = place
    return total
