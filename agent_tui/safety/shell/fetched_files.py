"""Files that one part of a command brings from the network, or decodes, and another part runs."""

from __future__ import annotations

import posixpath
from itertools import pairwise
from typing import Final

from agent_tui.safety.shell.programs import Call, split
from agent_tui.safety.shell.words import Simple
from agent_tui.structures import late

_WRITES: Final = late.pattern(r"-[a-zA-Z#]*[oO]|--output|--output-document|--out")
_GLUED: Final = late.pattern(r"(?:--output(?:-document)?=|-[oO])(.+)")
_INTO: Final = late.pattern(r"--output-dir|-P|--directory-prefix")
_COPIES: Final = frozenset({"cp", "mv", "ln", "install", "tee", "dd", "rsync"})


class FetchedFiles:
    """Learns from each simple command, in the order in which they stand. Files are known by the
    last part of their name: folders change on the way."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def learn(self, names: list[str], made: str) -> None:
        """`made`: what is written to these files that nobody has seen, if anything."""
        known = (posixpath.basename(name.rstrip("/")) for name in names)
        self._names |= {name: made for name in known if made and name}

    def copied(self, call: Call) -> str:
        """What a command copies that nobody has seen, and where to: with `learn`, its last word."""
        words = [posixpath.basename(word.text) for word in call.arguments]
        found = (self._names.get(word, "") for word in words[:-1])
        return next(filter(None, found), "") if call.name in _COPIES else ""

    def reason(self, simple: Simple, call: Call) -> str:
        """Why this command asks: it runs such a file."""
        if not self._names:
            return ""
        run = [*(word.text for word in call.program)]
        run += [target.text for sign, target in simple.redirects if sign == "<" and call.runs_stdin]
        before = simple.before
        while call.runs_stdin and before is not None:
            run += [word.text for word in before.words[1:]]
            run += [target.text for sign, target in before.redirects if sign == "<"]
            before = before.before
        run += [word.text for word in simple.words if "/" in word.text and _is(word.text, call)]
        names = (posixpath.basename(text) for text in run)
        found = next((name for name in names if name in self._names), "")
        return (
            f"it runs {self._names[found]} in {found}, and the code is not shown" if found else ""
        )


def _is(text: str, call: Call) -> bool:
    return posixpath.basename(text) == call.name


def written_files(simple: Simple, call: Call) -> list[str]:
    """The files that a command may write what it fetches to."""
    operands = split([word.text for word in call.arguments])[1]
    addresses = any("://" in one for one in operands)
    return named_files(simple, call) + (operands if call.name == "tee" or addresses else [])


def named_files(simple: Simple, call: Call) -> list[str]:
    """Those among them that a redirect or an option names."""
    targets = [target.text for operator, target in simple.redirects if ">" in operator]
    words = [word.text for word in call.arguments]
    for word, after in pairwise([*words, ""]):
        if glued := _GLUED.fullmatch(word):
            targets.append(glued[1])
        if _WRITES.fullmatch(word):
            targets.append(after)
        if _INTO.fullmatch(word):
            targets += [posixpath.join(after, posixpath.basename(one)) for one in words]
    return targets
