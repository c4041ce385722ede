"""The output of a command as a person would see it in a terminal: without colours and titles, and a
line that a progress bar wrote anew as it was in the end. And the lines of it that say what failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent_tui.structures import late

LONGEST_LINE: Final = 8_000
"""Characters of a line that wait for its end; what comes after is passed on as it is."""
MARKS: Final = "\x1b\r\b\x9b\x9d\x90"
"""Where none of these is in a text, nothing is to be folded."""
_SEQUENCE: Final = late.pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    # each of those goes on until the next begins: no text is looked through twice
    r"|(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x18\x1a\x1b\x90\x9c\x9d\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"
)
SHOWN: Final = 300
"""Characters of a line that says what failed."""
_FAILURE: Final = late.pattern(
    r"^(?:FAILED |FAIL\b|ERROR |E   |not ok |panic: |---- .* stdout ----|={3,} .*\bfailed\b"
    r"|\s*--- FAIL: |\s*[●✕✗✘×] |error(?:\[\w+\])?: |test .* \.\.\. FAILED|thread '.*' panicked"
    r"|\w[\w.]*(?:Error|Exception)\b(?:: |$)|make.*\*\*\* )"
    r"|^\S+:\d+(?::\d+)?: (?:fatal )?(?:error|\w*Error)\b|: error TS\d+: "
)
"""How lines begin, or what they hold, by which pytest, unittest, jest, go, cargo, TAP, compilers
and make say what failed."""
_HINTS: Final = (
    *("FAIL", "ERROR", "E   ", "not ok ", "panic", " stdout ----", "failed", "rror", "xception"),
    *("*** ", "● ", "✕ ", "✗ ", "✘ ", "× "),
)
"""A text without any of these has no such line: a flood is not looked at line by line."""


class Fold:
    """Folds text as it comes. The line that has not ended waits: what follows may write over it."""

    __slots__ = ("_line",)

    def __init__(self) -> None:
        self._line = ""

    def feed(self, text: str, final: bool = False) -> str:
        """What is certain now that `text` has come; with `final` all of it."""
        text = self._line + text
        whole = len(text) if final else text.rfind("\n") + 1
        line = text[whole:]
        over = line.rstrip("\r").rfind("\r") + 1  # where it was begun again, nothing before is seen
        if len(line) - over > LONGEST_LINE:
            whole, line, over = len(text), "", 0
        self._line = line[over:]
        return fold(text[:whole])

    @property
    def waiting(self) -> str:
        """The line that has not ended, as it is by now."""
        return fold(self._line)


def fold(text: str) -> str:
    """`text` as a terminal would show it."""
    if not any(mark in text for mark in MARKS):
        return text
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(
            line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line
            for line in text.split("\n")
        )
    if "\b" in text:
        text = "\n".join(_rub_out(line) if "\b" in line else line for line in text.split("\n"))
    return text


def _rub_out(line: str) -> str:
    """Each backspace takes the character before it; at the beginning there is none."""
    kept = list[str]()
    for character in line:
        if character == "\b" and kept and kept[-1] != "\b":
            kept.pop()
        else:
            kept.append(character)
    return "".join(kept)


def failing_lines(text: str) -> Iterator[str]:
    """The lines of `text` that say what failed."""
    lines = text.split("\n") if any(hint in text for hint in _HINTS) else ()
    for line in lines:
        if _FAILURE.search(line[:SHOWN]):
            yield line[:SHOWN]
