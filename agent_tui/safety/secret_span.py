"""A secret that was found in a text, and how those of one text are put in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

PLACEHOLDER: Final = re.compile(r"\[hidden:[a-z][a-z-]*:[0-9a-f]{4}\]")
"""What stands in a text in the place of a secret: its kind, and the beginning of its hash, so that equal ones are seen
to be equal."""


class Secret(NamedTuple):
    """Where in a text a secret stands, and of which kind it is."""

    start: int
    end: int
    kind: str


def disjoint(text: str, found: Iterable[Secret]) -> list[Secret]:
    """`found`, in whatever order, so that a text can be put together around them: in order, none over another, and
    none over the placeholder of what was hidden before."""
    apart: list[Secret] = []
    for one in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
        elif one.end > apart[-1].end:
            apart[-1] = apart[-1]._replace(end=one.end)
    return [piece for one in apart for piece in _around_placeholders(text, one)] if "[hidden:" in text else apart


def _around_placeholders(text: str, secret: Secret) -> Iterator[Secret]:
    at = secret.start
    line = max(text.rfind("\n", 0, at) + 1, at - 80)
    for hidden in PLACEHOLDER.finditer(text, line):
        if hidden.start() >= secret.end:
            break
        if hidden.start() > at:
            yield Secret(at, hidden.start(), secret.kind)
        at = max(at, hidden.end())
    if at < secret.end:
        yield Secret(at, secret.end, secret.kind)
