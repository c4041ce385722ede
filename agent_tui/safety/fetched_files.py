"""Files that one part of a command brings from the network, or decodes, and another part runs."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from agent_tui.safety.shell_programs import Call, split
from agent_tui.safety.shell_words import Simple

_WRITES: Final = re.compile(r"-[a-zA-Z#]*[oO]|--output|--output-document|--out")
_GLUED: Final = re.compile(r"(?:--output(?:-document)?=|-[oO])(.+)")


class FetchedFiles:
    """Learns from each simple command, in the order in which they stand. Files are known by the last
    part of their name: folders change on the way."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def learn(self, names: list[str], made: str) -> None:
        """`made`: what is written to these files that nobody has seen, if anything."""
        self._names |= {name: made for name in names if made}

    def reason(self, simple: Simple, call: Call) -> str:
        """Why this command asks: it runs such a file."""
        if not self._names:
            return ""
        run = [*(word.text for word in call.program)]
        run += [target.text for sign, target in simple.redirects if sign == "<" and call.runs_stdin]
        run += [word.text for word in simple.words if "/" in word.text and _is(word.text, call)]
        names = (posixpath.basename(text) for text in run)
        found = next((name for name in names if name in self._names), "")
        return (
            f"it runs {self._names[found]} in {found}, and the code is not shown" if found else ""
        )


def _is(text: str, call: Call) -> bool:
    return posixpath.basename(text) == call.name


def written_files(simple: Simple, call: Call) -> list[str]:
    """The names of the files that a command may write what it fetches to."""
    targets = [target.text for operator, target in simple.redirects if ">" in operator]
    words = [word.text for word in call.arguments]
    for at, word in enumerate(words):
        if glued := _GLUED.fullmatch(word):
            targets.append(glued[1])
        if _WRITES.fullmatch(word):
            targets += words[at + 1 : at + 2]
    operands = split(words)[1]
    if call.name == "tee" or any("://" in one for one in operands):
        targets += operands
    return [name for one in targets if (name := posixpath.basename(one.rstrip("/")))]
