"""Hides what must not be shown to others: letter for letter, so that places in the text stay where they are.

The formats are those that the issuers document; a guess by entropy would hide hashes and ids that explain a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Final

DOT: Final = "•"
_FORMATS: Final = (
    r"sk-[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic and those that follow them
    r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}",
    r"glpat-[A-Za-z0-9_-]{20,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"npm_[A-Za-z0-9]{36}",
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",  # a JSON web token
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z ]*PRIVATE KEY-----",
    r"(?<=://)[^/?#\s:@]{0,256}:[^/?#\s@]{1,256}(?=@)",
    r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{12,}",
    r"(?i:(?<=password=)|(?<=password: )|(?<=passwd=)|(?<=api_key=)|(?<=apikey=)|(?<=secret=)|(?<=token=))"
    r"[^\s\"'&]{6,}",
)


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
        self._pattern = re.compile("|".join((*own, *_FORMATS, *begun)))

    def learned(self, texts: Iterable[str]) -> Redactor:
        """One that knows the secrets which stand in `texts`, where they are cut short (a label, half of a word
        that was typed) or stand where no format tells of them."""
        values, home = self._own
        found = {match[0] for text in texts for match in self._pattern.finditer(text)} | {*values}
        whole = sorted(value for value in found if len(value) >= _BEGUN + 4 and len(value.split()) == 1)
        return Redactor(values, home, whole[:_MOST])

    def text(self, text: str) -> str:
        """`text`, of the same length, with dots in the place of what is hidden; line ends stay."""
        return self._pattern.sub(lambda found: re.sub(r"[^\n]", DOT, found[0]), text)


def _beginning(value: str) -> str:
    """What fits `value`, and as much of its beginning as there is."""
    tail = ""
    for letter in reversed(value[_BEGUN:_LONGEST]):
        tail = f"(?:{re.escape(letter)}{tail})?"
    return re.escape(value[:_BEGUN]) + tail
