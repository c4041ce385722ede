"""What stands in a text and is not seen: the sequences that colour it, control characters and
characters without width. `grep --color` puts them into the middle of a secret."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from agent_tui.safety.secrets.strength import Secret
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_CONTROL: Final = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
_SINGLE: Final = (
    "\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e007f"
)
_BYTES: Final = (
    "\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\xa0\x8e|\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])"
    "|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf)|\xf3\xa0[\x80\x81][\x80-\xbf]"
)
"""Characters without width as the bytes of UTF-8, of which each is taken for a letter."""
_LEADS: Final = (
    *("\xc2\xad", "\xcd\x8f", "\xd8\x9c", "\xe1\xa0\x8e", "\xe2\x80", "\xe2\x81"),
    *("\xef\xb8", "\xef\xbb\xbf", "\xf3\xa0"),
)
"""How those begin: to look for each is faster than for all at once."""
_ESCAPE: Final = (
    rf"{_CONTROL}(?:(?<=\x1b)(?:\[[0-?]*+[ -/]*+(?:[@-~]|\Z)"  # CSI, which also sets colours
    r"|[\]PX^_][^\x07\x1b\r\n]{0,4000}+(?:\x07|\x1b\\|\x1b?\Z)"  # OSC and other strings
    r"|[ -/]++(?:[0-~]|\Z)|[0-Z\\^-~]))?"
)
"""Also one that is not whole at the end of the text: more of it may come."""
_ANY: Final = rf"(?:{_ESCAPE}|[{_SINGLE}]|(?<![\x80-\xff])\xad|{_BYTES})"
_HAS_ESCAPE: Final = late.pattern(_CONTROL)
_HAS_SINGLE: Final = late.pattern(f"[\xad{_SINGLE}]")
_HAS_BYTES: Final = late.pattern(_BYTES)
_ESCAPES: Final = late.pattern(f"{_ESCAPE}(?:{_ESCAPE})*+")
_ALL: Final = late.pattern(f"{_ANY}+")
_TWICE: Final = late.pattern(r"(.)\x08(?=\1)")
"""Printed twice, to be bold."""


@frozen
class Plain:
    """A text of which parts are left out."""

    text: str
    _cuts: list[int]
    """Where in `text` something was left out, and how much until there."""
    _lengths: list[int]

    def original_index(self, at: int) -> int:
        """Where the character `at` of `text` stood."""
        return at + self._lengths[bisect_right(self._cuts, at)]

    def find(self, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
        """What `find` finds in it, where it stood."""
        for start, end, kind in find(self.text):
            if end > start:
                yield Secret(self.original_index(start), self.original_index(end - 1) + 1, kind)


def has_sequences(text: str) -> bool:
    return _HAS_ESCAPE.search(text) is not None or _has_widthless(text)


def _has_widthless(text: str) -> bool:
    if text.isascii():
        return False
    for lead in _LEADS:
        if lead in text and _HAS_BYTES.search(text):
            return True
    return _HAS_SINGLE.search(text) is not None


def _spans(text: str) -> list[tuple[int, int]]:
    """Where sequences stand, those that follow one another as one."""
    if _has_widthless(text):
        return [found.span() for found in _ALL.finditer(text)]
    return [found.span() for found in _ESCAPES.finditer(text)]


def strip_sequences(text: str) -> Plain | None:
    """`text` without sequences; None where there are none."""
    spans = _spans(text)
    return _without(text, spans) if spans else None


def _without(text: str, spans: list[tuple[int, int]]) -> Plain:
    parts, cuts, lengths = list[str](), list[int](), [0]
    at = kept = left_out = 0
    for start, end in spans:
        parts.append(text[at:start])
        kept += start - at
        left_out += end - start
        cuts.append(kept)
        lengths.append(left_out)
        at = end
    parts.append(text[at:])
    return Plain("".join(parts), cuts, lengths)


def _blanked(text: str, spans: list[tuple[int, int]]) -> Plain | None:
    """The lines in which a sequence stands between two letters, with blanks in its place: there
    one word may end and the next begin."""
    left, parts, at, end_before = list[tuple[int, int]](), list[str](), 0, 0
    for start, end in spans:
        parts += text[end_before:start], " " * (end - start)
        end_before = end
        if start >= at and text[start - 1 : start].isalnum() and text[end : end + 1].isalnum():
            line = text.rfind("\n", at, start) + 1 or at
            left += [(at, line)] if line > at else []
            at = text.find("\n", end) + 1 or len(text)
    if not at:
        return None
    left += [(at, len(text))] if at < len(text) else []
    return _without("".join((*parts, text[end_before:])), left)


def drop_sequences(text: str) -> str:
    plain = strip_sequences(text)
    return text if plain is None else plain.text


def find_through(text: str, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
    """What `find` finds in `text`, as if no sequences were there: neither within words, nor as the
    letters of one. What is found holds the sequences within it."""
    spans = _spans(text)
    if not spans:
        yield from find(text)
        return
    yield from _without(text, spans).find(find)
    if (blanked := _blanked(text, spans)) is not None:
        yield from blanked.find(find)
    if "\x08" in text:
        yield from _without(text, [found.span() for found in _TWICE.finditer(text)]).find(find)
