"""Takes a regular expression apart, as far as it takes to know what it may cost.

The expression was compiled before, so that its syntax is known to be right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

MANY: Final = 1 << 30
_QUANTIFIER: Final = re.compile(r"(?:([*+?])|\{(\d*)(,?)(\d*)\})([?+]?)")
_ESCAPE: Final = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{3}|[1-9]\d?|.)", re.S
)
_GROUP: Final = re.compile(r"\((?:\?(?:P<\w+>|P=\w+\)|#[^)]*\)|\(\w+\)|<?[=!]|>|[a-zA-Z-]*(?::|\))))?")
_CHARACTERS: Final = {"\\t": "\t", "\\f": "\f", "\\v": "\v", "\\a": "\a"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sequence: `literal` is its one character, `source` the text of a literal or a set of characters;
    `choices` are the alternatives of a group."""

    source: str = ""
    literal: str = ""
    choices: tuple[tuple[Piece, ...], ...] = ()
    low: int = 1
    high: int = 1
    atomic: bool = False
    """Once matched, it is never tried otherwise."""
    reference: bool = False
    """Matches again what a group matched."""
    place: bool = False
    """Matches a place (an anchor, a look around), and takes no character."""
    plain: bool = False
    """A group that is no more than the sequence in it."""

    @property
    def varies(self) -> bool:
        return self.low != self.high and not self.atomic


_NOTHING: Final = Piece()


class Unsupported(ValueError):
    """The expression uses what is not searched with here. The text is one line."""


def parts(pattern: str) -> tuple[tuple[Piece, ...], ...]:
    """The alternatives of an expression, each a sequence. Raises Unsupported."""
    return _Scanner(pattern).choices()


class _Scanner:
    def __init__(self, pattern: str) -> None:
        self._text, self._at = pattern, 0

    def choices(self) -> tuple[tuple[Piece, ...], ...]:
        """Up to the end, or to the parenthesis that closes this group (which is not taken)."""
        found: list[tuple[Piece, ...]] = []
        sequence: list[Piece] = []
        while self._at < len(self._text) and self._text[self._at] != ")":
            if self._text[self._at] == "|":
                self._at += 1
                found.append(tuple(sequence))
                sequence = []
                continue
            piece = self._quantified(self._atom())
            if piece.plain:
                sequence.extend(piece.choices[0])
            elif piece != _NOTHING:
                sequence.append(piece)
        return (*found, tuple(sequence))

    def _atom(self) -> Piece:
        here = self._text[self._at]
        if here == "(":
            return self._group()
        if here == "[":
            return Piece(self._taken(self._class_end()))
        if here == "\\":
            return self._escape()
        self._at += 1
        if here in "^$":
            return Piece(here, place=True)
        return Piece(here) if here == "." else Piece(re.escape(here), here)

    def _escape(self) -> Piece:
        match = _ESCAPE.match(self._text, self._at)
        text = self._taken(match.end() if match else len(self._text))
        if text[1:2] in "AZbB":
            return Piece(text, place=True)
        if text[1:].isdigit():
            return Piece(reference=True) if text[1] != "0" and len(text) < 4 else Piece(text)
        if text in ("\\n", "\\r"):
            raise Unsupported("lines are searched one by one: a pattern cannot hold a line end")
        if text[1:2] in "dDsSwW":
            return Piece(text)
        character = _CHARACTERS.get(text, text[1] if len(text) == 2 else "")
        return Piece(text, character)

    def _group(self) -> Piece:
        match = _GROUP.match(self._text, self._at)
        mark = match[0] if match else "("
        self._at += len(mark)
        if mark.startswith("(?P="):
            return Piece(reference=True)
        if mark.startswith("(?("):
            raise Unsupported("conditions like (?(1)…) are not supported here")
        if mark.startswith("(?#") or (mark.endswith(")") and len(mark) > 1):
            return _NOTHING  # a comment, or flags
        inner = self.choices()
        self._at += 1  # the parenthesis
        plain = len(inner) == 1 and (mark in ("(", "(?:") or mark.startswith("(?P<"))
        return Piece(choices=inner, atomic=mark == "(?>", place=mark[-1] in "=!", plain=plain)

    def _quantified(self, piece: Piece) -> Piece:
        match = _QUANTIFIER.match(self._text, self._at)
        if match is None or match[0] == "{}":
            return piece
        self._at = match.end()
        low, high = {"*": (0, MANY), "+": (1, MANY), "?": (0, 1)}.get(match[1] or "", (0, 0))
        if not match[1]:
            low = int(match[2] or 0)
            high = int(match[4]) if match[4] else MANY if match[3] else low
        return replace(piece, low=low, high=high, atomic=piece.atomic or match[5] == "+", plain=False)

    def _class_end(self) -> int:
        """Behind the bracket that closes the set of characters that begins here."""
        at = self._at + 1
        at += self._text.startswith("^", at)
        at += self._text.startswith("]", at)
        while self._text[at] != "]":
            at += 2 if self._text[at] == "\\" else 1
        return at + 1

    def _taken(self, end: int) -> str:
        text = self._text[self._at : end]
        self._at = end
        return text
