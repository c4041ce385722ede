"""Whether a command seems to wait for input: its output ends in the middle of a line, as a question
does, nothing comes for a while, and none of its processes computes.

Commands have no terminal and no input, so most cannot wait; one that opens a terminal of its own,
or asks over a connection, can. Nobody can be sure of it, so it is only said.

Nothing ticks for a command that is silent behind a whole line: each output sets one timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from agent_tui.structures import late

QUIET_SECONDS: Final = 20.0
"""So long nothing came."""
CHECK_SECONDS: Final = 5.0
"""So long after that none of its processes may have computed."""
_QUESTION: Final = late.pattern(r"[?:>\])]\s*$")
"""How what asks for something ends; a bar of progress ends otherwise."""


class InputWait:
    """`begun`: the last line of the output, as far as it has come; `spent`: the processor time that
    its processes have had. `on_change` is told the line when it begins to wait, and "" when it goes
    on."""

    def __init__(
        self, begun: Callable[[], str], spent: Callable[[], int], on_change: Callable[[str], None]
    ) -> None:
        self._begun, self._spent, self._on_change = begun, spent, on_change
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._at = 0.0
        self._spent_before = -1
        self.question = ""
        """What it seems to wait behind; empty: it does not."""

    def on_output(self) -> None:
        self._at, self._spent_before = self._loop.time(), -1
        if self.question:
            self.question = ""
            self._on_change("")
        if self._timer is None:
            self._timer = self._loop.call_later(QUIET_SECONDS, self._look)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        left = self._at + QUIET_SECONDS - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
            return
        line = self._begun().strip()
        if not _QUESTION.search(line):
            return
        before, self._spent_before = self._spent_before, self._spent()
        if before == self._spent_before:
            self.question = line
            self._on_change(line)
        else:
            self._timer = self._loop.call_later(CHECK_SECONDS, self._look)
