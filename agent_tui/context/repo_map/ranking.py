"""Which files matter most: those that define what others use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from math import sqrt
from typing import Final

Named = tuple[str, str]
"""A file, and the names that it defines, as one text."""
PRIVATE: Final = 0.1
"""The weight of a name that begins with an underscore."""
PLAIN: Final = 0.3
"""That of a name that is a plain word."""
NEAR: Final = 3.0
"""How much more a name counts that a file of interest uses."""
SAME_FOLDER: Final = 2.0
MEANT: Final = 20.0
"""How much more a file counts that a word of the person is about."""
_EVERY: Final = 200


def weigh(name: str, files: int, defined: int) -> float:
    """How much `name` is used, which stands in so many files and is defined in some of these. What
    many define says little, and so does a plain word, which comments are full of."""
    base = sqrt(max(0, files - defined)) / (defined or 1)
    if name[:1] == "_":
        return base * PRIVATE
    return base * PLAIN if name.islower() and "_" not in name else base


def score_files(
    files: Sequence[Named], defined: Iterable[tuple[str, int, int]], check: Callable[[], None]
) -> dict[str, float]:
    """How much each file is used by others. `defined`: each name that is defined, in how many files
    it stands, and in how many of these it is defined."""
    weights = {name: weigh(name, number, own) for name, number, own in defined}
    scores = dict[str, float]()
    for number, (path, names) in enumerate(files):
        if not number % _EVERY:
            check()
        scores[path] = sum([weights.get(name, 0.0) for name in names.split()])
    return scores


def lift(
    score: float,
    file: Named,
    folders: Collection[str],
    used: Collection[str],
    focus: Collection[str],
) -> float:
    """The score of a file for somebody who works in `folders`, on files that use the words `used`,
    and asks about the words of `focus` (in small letters)."""
    path, text = file
    if path.rpartition("/")[0] in folders:
        score *= SAME_FOLDER
    names = text.split() if used or focus else []
    if used and (shared := sum(1 for name in names if name in used)):
        score *= 1 + NEAR * shared / len(names)
    if focus:
        score = sqrt(score) + 1
        for word in focus:
            share = sum(1 for name in names if word in name.lower()) / (len(names) or 1)
            score *= 1 + (MEANT if word in path.lower() else 0) + MEANT * share
    return score
