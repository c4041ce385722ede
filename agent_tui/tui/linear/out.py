"""Where lines go: whole ones, made harmless, at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Final, Literal

from agent_tui.structures.visible import visible

Tone = Literal["", "you", "assistant", "tool", "warning", "bad"]
COLOURS: Final[dict[Tone, str]] = {
    "you": "1", "assistant": "36", "tool": "35", "warning": "33", "bad": "31",
}  # fmt: skip
ADDED, REMOVED = "32", "31"


class Out:
    """`coloured`: asked for; else no control sequence ever leaves."""

    def __init__(self, coloured: bool = False) -> None:
        self.coloured = coloured
        if sys.stdout is None:  # closed by who started us
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end

    @property
    def terminal(self) -> bool:
        return sys.stdout.isatty()

    def say(self, lines: Iterable[str], tone: Tone = "") -> None:
        """Append `lines`; the first has the colour of its `tone`."""
        for number, text in enumerate(lines):
            for line in visible(text).split("\n"):
                sys.stdout.write(f"{self._coloured(line.rstrip(), tone if number == 0 else '')}\n")
        sys.stdout.flush()

    def _coloured(self, line: str, tone: Tone) -> str:
        code = COLOURS.get(tone, "")
        if not code and tone == "" and line[:1] in ("+", "-"):
            code = ADDED if line[0] == "+" else REMOVED
        return f"\x1b[{code}m{line}\x1b[0m" if self.coloured and code and line else line
