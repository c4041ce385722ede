"""Regular expressions that end: what a match may cost at most is known before it begins.

Python's `re` cannot be interrupted, and while it runs nothing else in the program does. So an expression whose cost
grows exponentially is refused; where it grows with a power of a line's length, so much of the line is searched as
`_STEPS` steps allow, and that is said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from agent_tui.tools._pattern_parts import Piece, Unsupported, parts
from agent_tui.tools.base import ToolFailure

_STEPS: Final = 5_000_000
"""About a tenth of a second."""
_SHORTEST: Final = 30
"""Characters that any accepted expression can afford."""
_LONGEST: Final = 100_000
_FEW: Final = 3
_SAMPLE: Final = tuple(map(chr, (*range(1, 256), 0x3B1, 0x416, 0x5D0, 0x3042, 0x4E2D, 0x1F600)))
"""Characters that stand for all when two sets are compared."""


class Expression:
    """A compiled expression. `search` a line at a time; `cut` counts lines of which only a part was searched.

    Raises ToolFailure for an expression that cannot be used.
    """

    def __init__(self, pattern: str, ignore_case: bool = False) -> None:
        if not pattern:
            raise ToolFailure("invalid_arguments", "the pattern is empty")
        try:
            self._regex = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
            if self._regex.flags & re.VERBOSE:
                raise Unsupported("the flag x is not supported here")
            choices = parts(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            literal = f"; to find just this text, write {re.escape(pattern)}"
            raise ToolFailure("invalid_arguments", f"not a regular expression: {error}{literal}") from None
        except Unsupported as error:
            raise ToolFailure("invalid_arguments", str(error)) from None
        folded = bool(self._regex.flags & re.IGNORECASE or re.search(r"\(\?[a-zA-Z-]*i", pattern))
        alone = choices[0] if len(choices) == 1 else ()
        self.cut = 0
        self.required = "" if folded else _longest_literal(alone)
        """Text that is in every match; empty if none is known."""
        self._anchored = len(choices) == 1 and pattern.startswith(("^", r"\A", ".*"))
        self._cost = _Cost(_factors(choices), self._anchored, folded, _first(alone))
        if self._cost.exponential or self._cost.at_most(_SHORTEST) > _STEPS:
            advice = "do not repeat a group that contains a repeat, as in (a+)+, or search for a simpler text"
            raise ToolFailure("invalid_arguments", f"this pattern could run for ever: {advice}")
        self._safe = next(n for n in (100_000, 10_000, 2_000, 500, 200, 100, 60, _SHORTEST)
                          if self._cost.at_most(n) <= _STEPS)  # fmt: skip

    def search(self, line: str) -> tuple[int, int] | None:
        """Where the first match lies in a line."""
        if len(line) > self._safe:
            line = self._affordable(line)
        match = self._regex.match(line) if self._anchored else self._regex.search(line)
        return match.span() if match else None

    def _affordable(self, line: str) -> str:
        whole = line
        line = line[:_LONGEST]
        while len(line) > self._safe and self._cost.of(line) > _STEPS:
            line = line[: max(self._safe, len(line) * 3 // 4)]
        self.cut += len(line) < len(whole)
        return line


@dataclass(frozen=True, slots=True)
class _Factor:
    """One place where a match may be tried in several ways: `ways` of them; or (0) as many as characters that fit
    `follow`, what must come behind it, are in the line; or, if that is empty too, as the line has characters."""

    ways: float = 0
    follow: str = ""


_NEVER_ENDS: Final = _Factor(float("inf"))
_SCAN: Final = _Factor(1.0)
"""Goes over the line, one way only."""


class _Cost:
    """The steps of a search at the most, estimated from above; `first` is what a match begins with."""

    def __init__(self, factors: Sequence[_Factor], anchored: bool, folded: bool, first: str) -> None:
        self.exponential = _NEVER_ENDS in factors
        self._moves = any(factor.ways in (0, 1) for factor in factors)
        self._flags = re.IGNORECASE if folded else 0
        self._first = "" if anchored else first
        self._anchored = anchored
        self._few = math.prod(factor.ways for factor in factors if factor.ways)
        open_ended = [factor.follow for factor in factors if not factor.ways]
        # the last of them goes over the line once for all its ways, if nothing behind it goes over it again
        self._follows = open_ended if _SCAN in factors else open_ended[:-1]

    def at_most(self, length: int) -> float:
        """For a line of so many characters, whatever they are."""
        return self._steps(length, 1 if self._anchored else length, [length] * len(self._follows))

    def of(self, line: str) -> float:
        starts = 1 if self._anchored else self._count(self._first, line)
        return self._steps(len(line), starts, [self._count(follow, line) for follow in self._follows])

    def _count(self, source: str, line: str) -> int:
        return len(re.findall(source, line, self._flags)) + 1 if source else len(line)

    def _steps(self, length: int, starts: int, counts: Sequence[int]) -> float:
        steps = length * self._few * (starts if self._moves else 1)
        for number, count in enumerate(counts, 1):
            steps *= max(1.0, count / number)  # in order: each combination once
        return steps


def _factors(choices: Sequence[Sequence[Piece]], last: bool = True) -> list[_Factor]:
    """The factors of a search; `last`: nothing follows these alternatives."""
    found = [_Factor(float(len(choices)))] if len(choices) > 1 else []
    for sequence in choices:
        for number, piece in enumerate(sequence):
            found += _of_piece(piece, sequence[number + 1 :], last)
    return found


def _of_piece(piece: Piece, behind: Sequence[Piece], last: bool) -> list[_Factor]:
    if piece.choices and piece.high > 1 and not piece.atomic and _nested(piece):
        return [_NEVER_ENDS]
    ends = last and not behind  # what ends an expression is never tried again
    found = _factors(piece.choices, ends and not piece.place) if piece.choices else []
    if piece.reference:
        found.append(_Factor())
    if ends:
        return found
    if not piece.varies:
        return [*found, _SCAN] if piece.high > _FEW else found
    if piece.high - piece.low <= _FEW:
        return [*found, _Factor(float(piece.high - piece.low + 1))]
    if _decided(piece, behind) or (last and piece.source == "." and [p.source for p in behind] == ["$"]):
        return [*found, _SCAN]
    head = next((p for p in behind if not p.place), None)
    return [*found, _Factor(follow=head.source if head and head.low else "")]


def _decided(piece: Piece, behind: Sequence[Piece]) -> bool:
    """Whether the next character always says that `piece`, a repeated character, has ended."""
    for other in behind:
        if other.place:
            continue
        if not (piece.source and other.source and _apart(piece.source, other.source)):
            return False
        if other.low:
            return True
    return False


def _nested(group: Piece) -> bool:
    """Whether a repeated group can split the same text in exponentially many ways (or may, as far as is known)."""
    inner = _all_pieces(group)
    varying = [piece for piece in inner if piece.varies or piece.reference]
    branching = [piece for piece in (group, *inner) if len(piece.choices) > 1]
    if branching:
        return bool(varying) or not all(_told_apart(piece) for piece in branching)
    [sequence] = group.choices
    return any(
        piece not in sequence or not _decided(piece, [*sequence[number + 1 :], *sequence[: number + 1]])
        for piece in varying
        for number in [sequence.index(piece) if piece in sequence else 0]
    )


def _all_pieces(group: Piece) -> list[Piece]:
    direct = [piece for sequence in group.choices for piece in sequence]
    return direct + [inner for piece in direct for inner in _all_pieces(piece)]


def _told_apart(group: Piece) -> bool:
    """Whether the first character says which alternative it is."""
    heads = [sequence[0] if sequence else None for sequence in group.choices]
    sources = [head.source for head in heads if head is not None and head.low and not head.place]
    return len(sources) == len(heads) and all(
        one and other and _apart(one, other) for one, other in combinations(sources, 2)
    )


@lru_cache(maxsize=1024)
def _apart(one: str, other: str) -> bool:
    """Whether no character fits both sets (case is never told apart, to be sure)."""
    first, second = re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE)
    return not any(first.fullmatch(char) and second.fullmatch(char) for char in _SAMPLE)


def _longest_literal(sequence: Sequence[Piece]) -> str:
    """The longest text that any match of `sequence` holds, as far as it is easy to see."""
    longest = run = ""
    for piece in sequence:
        run += piece.literal if piece.low else ""
        longest = max(longest, run, key=len)
        if not piece.place and not (piece.literal and piece.low == piece.high == 1):
            run = ""
    return longest


def _first(sequence: Sequence[Piece]) -> str:
    head = next((piece for piece in sequence if not piece.place), None)
    return head.source if head is not None and head.low else ""
