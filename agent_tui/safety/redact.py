"""Hides what must not be shown to others: letter for letter, so that places in the text stay where they are.

What looks like a secret is what `secret_formats` says, as in the output of tools, and a little more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Final

from agent_tui.safety.secret_formats import find_secrets

DOT: Final = "•"
_GENEROUS: Final = (
    r"(?<=://)[^/?#\s:@]{0,256}:[^/?#\s@]{1,256}(?=@)",
    r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{12,}",
    r"(?i:(?<=password=)|(?<=password: )|(?<=passwd=)|(?<=api_key=)|(?<=apikey=)|(?<=secret=)|(?<=token=))"
    r"[^\s\"'&]{6,}",
)
"""For others less is better: what stands in these places is hidden although it looks like a word."""
_BEGUN: Final = 12
"""Characters of a secret that was cut short which are hidden: fewer are little more than the name of its format."""
_LONGEST: Final = 80
_MOST: Final = 500


class Redactor:
    """`values` are hidden wherever they stand, and the name of the person whose `home` it is in paths. Of
    `whole` values the beginnings are hidden, too."""

    def __init__(self, values: Iterable[str] = (), home: str = "", whole: Iterable[str] = ()) -> None:
        self._own = (tuple(values), home)
        own = [re.escape(value) for value in sorted({*values} - {""}, key=len, reverse=True)]
        name = PurePath(home).name
        if len(name) > 1 and name != "root":
            own.append(rf"(?<=/){re.escape(name)}(?=/|$|\W)")
        begun = [_beginning(value) for value in sorted({*whole}, key=len, reverse=True)]
        self._pattern = re.compile("|".join((*own, *_GENEROUS, *begun)))

    def learned(self, texts: Iterable[str]) -> Redactor:
        """One that knows the secrets which stand in `texts`, where they are cut short (a label, half of a word
        that was typed) or stand where no format tells of them."""
        values, home = self._own
        found = {text[start:end] for text in texts for start, end in self._spans(text)} | {*values}
        whole = sorted(value for value in found if len(value) >= _BEGUN + 4 and len(value.split()) == 1)
        return Redactor(values, home, whole[:_MOST])

    def text(self, text: str) -> str:
        """`text`, of the same length, with dots in the place of what is hidden; line ends stay."""
        parts, at = list[str](), 0
        for start, end in sorted(self._spans(text)):
            start = max(start, at)
            parts += text[at:start], re.sub(r"[^\n]", DOT, text[start:end])
            at = max(at, end)
        return "".join((*parts, text[at:])) if at else text

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        yield from (found.span() for found in self._pattern.finditer(text))
        yield from ((found.start, found.end) for found in find_secrets(text))


def _beginning(value: str) -> str:
    """What fits `value`, and as much of its beginning as there is."""
    tail = ""
    for letter in reversed(value[_BEGUN:_LONGEST]):
        tail = f"(?:{re.escape(letter)}{tail})?"
    return re.escape(value[:_BEGUN]) + tail
