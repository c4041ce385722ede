"""The map as text: each file with its most used definitions, by line, until the room is full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from agent_tui.context.repo_map.tags import Tag, nested
from agent_tui.structures.frozen import frozen

CHARACTERS: Final = 3
"""Of a token of code, about: fewer than of prose."""
MOST: Final = 8
"""Definitions of a file, where it is one of many."""


@frozen
class Outline:
    """A file of the map: its definitions as lines, and how many there are besides."""

    path: str
    lines: tuple[str, ...]
    left_out: int = 0

    def text(self) -> str:
        more = (f"  … {self.left_out} more",) if self.left_out else ()
        return "\n".join((self.path, *self.lines, *more))


def draw(
    path: str,
    tags: Sequence[Tag],
    weights: Mapping[str, float],
    most: int,
    hide: Callable[[str], str],
) -> Outline:
    """The outline of a file: at most `most` definitions, the most used ones. A class stands before
    those of its methods that are shown."""
    levels = list(nested(tags))
    order = sorted(range(len(levels)), key=lambda at: (-_weight(levels[at], weights), at))
    chosen = set[int]()
    for at in order:
        wanted = {at, *_above(levels, at)} - chosen
        if len(chosen) + len(wanted) <= most:
            chosen |= wanted
    lines = [_line(*levels[at]) for at in sorted(chosen)]
    shown = hide("\n".join(lines)).split("\n") if lines else []
    return Outline(path, tuple(shown), len(levels) - len(chosen))


def _weight(level: tuple[int, Tag], weights: Mapping[str, float]) -> float:
    depth, tag = level
    return weights.get(tag.name, 0.0) / (1 + depth) + (0.01 if tag.kind == "class" else 0.0)


def _above(levels: Sequence[tuple[int, Tag]], at: int) -> Iterable[int]:
    depth = levels[at][0]
    for before in range(at - 1, -1, -1):
        if levels[before][0] < depth:
            depth = levels[before][0]
            yield before


def _line(depth: int, tag: Tag) -> str:
    return f"{tag.line:>5} {'  ' * depth}{tag.text}"
