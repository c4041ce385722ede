"""What the variables of a command line are known to hold: `X=/; rm -rf $X`, `for d in ~/*; do rm -rf $d; done`.

Only what stands there literally is known. Where it may be this or that, both are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.safety.shell_words import Simple, Word

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE: Final = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)[^{}]*\})")
_ECHO: Final = re.compile(r"\$\(echo ([^$()`]+)\)|`echo ([^$()`]+)`")
_DECLARES: Final = frozenset({"export", "readonly", "declare", "local", "typeset"})
_MOST: Final = 20
"""Values of one variable, and words that one word becomes."""


class ShellValues:
    """Learns from each simple command, in the order in which they stand."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[str, ...]] = {}

    def fill(self, simple: Simple) -> None:
        """Put the values that are known into `simple`; what it sets itself is known from now on."""
        simple.words = [one for word in simple.words for one in self._filled(word)]
        self._learn([word.text for word in simple.words])

    def _learn(self, texts: list[str]) -> None:
        if texts[1:2] == ["in"]:  # the head of a loop
            self._values[texts[0]] = tuple(texts[2 : 2 + _MOST])
        for text in texts:
            found = _ASSIGNMENT.fullmatch(text)
            if found:
                self._values[found[1]] = (found[2],)
            elif text not in _DECLARES and not text.startswith("-"):
                return

    def _filled(self, word: Word) -> Iterator[Word]:
        """The word as it may be: one for each value of its variables."""
        texts = [_ECHO.sub(lambda found: found[1] or found[2], word.text)]
        for found in _VARIABLE.finditer(texts[0]):
            known = self._values.get(found[1] or found[2])
            if known is not None:
                texts = [text.replace(found[0], value) for text in texts for value in known][:_MOST]
        if texts == [word.text]:
            return iter((word,))
        whole = texts if word.quoted else [part for text in texts for part in text.split()]
        return (replace(word, text=text) for text in whole)
