"""Link reference definitions (`[id]: url`) of a text that is drawn in pieces: which piece needs those of another.

Found by what they look like; the parser decides, piece by piece, whether they are definitions and uses in truth. Those
inside quotes and lists hold for their own piece alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vec import Vec

T = TypeVar("T")

_DEFINITION = late.pattern(r" {0,3}\[((?:[^\[\]\\]|\\.){1,999}+)\]:[ \t]*\S")
_TITLE = late.pattern(r"[ \t]*(?:\"[^\"]*\"|'[^']*'|\([^()]*\))[ \t]*$")
_LABEL = late.pattern(r"\\[\s\S]|\[((?:[^\[\]\\]|\\[\s\S]){1,999}+)\]")
_TICKS = late.pattern(r"`+")
_FENCE = late.pattern(r"\s*(?:```|~~~)")


@frozen
class Links:
    """What a piece is told of the others of its text."""

    given: str = ""
    """Definitions that it uses and another piece has, as Markdown."""
    taken: tuple[str, ...] = ()
    """Labels that it defines and another piece uses, or defined before it."""


NO_LINKS: Final = Links()


def normalized(label: str) -> str:
    """Labels are the same if this is: by case and white space they do not differ."""
    return " ".join(label.split()).lower().upper()


def links(pieces: Sequence[str]) -> list[Links]:
    """For each of `pieces`, the Markdown of one text, what it is told. Linear, and next to nothing without `]:`."""
    prose = ["" if _FENCE.match(piece) else piece for piece in pieces]
    first: dict[str, tuple[int, str]] = {}
    taken: list[set[str]] = [set() for _ in prose]
    for number, piece in enumerate(prose):
        if "]:" in piece:
            defined, prose[number] = _definitions(piece)
            for label, source in defined:
                if first.setdefault(label, (number, source))[0] != number:
                    taken[number].add(label)
    if not first:
        return [Links()] * len(prose)
    given: list[list[str]] = [[] for _ in prose]
    for number, piece in enumerate(prose):
        for label in _uses(piece) if "[" in piece else ():
            owner, source = first.get(label, (number, ""))
            if owner != number:
                given[number].append(source)
                taken[owner].add(label)
    return [Links("".join(own), tuple(sorted(labels))) for own, labels in zip(given, taken, strict=True)]


def linked(rows: Vec[T], base: int, kind: type[Any], text: str) -> Vec[T]:
    """`rows`, where the blocks of `kind` from `base` on, the pieces of `text`, are told of each other's definitions
    (`links`)."""
    if "]:" not in text:  # so it is with nearly all, and a hundred thousand pieces take a while to look at
        return rows
    texts = [(row, block) for row in range(base, len(rows)) if isinstance(block := rows[row], kind)]
    for (row, block), told in zip(texts, links([block.lead + block.text for _, block in texts]), strict=True):
        if told != block.links:
            rows = rows.set(row, replace(block, links=told))
    return rows


def _definitions(piece: str) -> tuple[list[tuple[str, str]], str]:
    """Label and source of what looks like a definition (it begins a block, or follows another one), and the rest."""
    found: list[tuple[str, str]] = []
    rest: list[str] = []
    may_begin = True
    lines = [line.rstrip("\r") for line in piece.split("\n")]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        match = _DEFINITION.match(line) if may_begin else None
        if match:
            title = f"{after}\n" if _TITLE.match(after) else ""
            found.append((normalized(match[1]), f"{line}\n{title}\n"))
        else:
            rest.append(line)
            may_begin = not line.strip() or (may_begin and bool(found) and bool(_TITLE.match(line)))
    return found, "\n".join(rest)


def _uses(text: str) -> dict[str, None]:
    """Every label in brackets outside code, in order."""
    return {normalized(found[1]): None for found in _LABEL.finditer(_without_code(text)) if found[1]}


def _without_code(text: str) -> str:
    """`text` without what stands between runs of equally many backticks."""
    runs = list(_TICKS.finditer(text))
    closing: list[int] = []
    nearest: dict[int, int] = {}
    for number, run in reversed([*enumerate(runs)]):
        size = run.end() - run.start()
        closing.append(nearest.get(size, 0))
        nearest[size] = number
    closing.reverse()
    parts, end, number = list[str](), 0, 0
    while number < len(runs):
        if last := closing[number]:
            parts.append(text[end : runs[number].start()])
            end = runs[last].end()
        number = (last or number) + 1
    return "".join((*parts, text[end:]))
