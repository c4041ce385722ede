"""When the recording of the screen is made: a second after something happened, in slices, for
nobody to wait."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from agent_tui.protocol.ops import KeepRecording
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import Msg
from agent_tui.tui.runtime.engine_client import Link

LATER: Final = 1.0
REST: Final = 0.02
WORK: Final = 0.003
"""Seconds between two slices, and of one: a key that comes waits for no more."""


def current_time() -> float:
    """Seconds since the epoch, to the millisecond: so they are short where they are written
    down."""
    return round(time.time(), 3)


class Recorder(Protocol):
    def write(self, taken: deque[tuple[Msg, Model, Model]]) -> bool: ...


Keep = Callable[[str, str, str], None]
"""Is given a session, the run that opened it, and lines of its recording."""


class Taping:
    """What is taken is recorded where `record` says by what. The lines go to the engine, which
    knows where the session is; `failed` is told in words why nothing more is recorded, should that
    happen.
    """

    def __init__(self, link: Link, failed: Callable[[str], None]) -> None:
        self.record: Callable[[Keep], Recorder] | None = None
        self._link, self._failed = link, failed
        self._taken: deque[tuple[Msg, Model, Model]] = deque()
        self._recorder: Recorder | None = None
        self._timer: asyncio.TimerHandle | None = None

    def write_step(self, msg: Msg, before: Model, after: Model) -> None:
        """`msg` made `after` of the model `before`."""
        if self.record is not None:
            self._taken.append((msg, before, after))
            if self._timer is None and self._link.is_open:
                self._timer = asyncio.get_running_loop().call_later(LATER, self._write)

    def flush(self) -> None:
        """Write down what there is, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._taken:
            self._slice()

    def _write(self) -> None:
        ends = time.perf_counter() + WORK
        while (more := self._slice()) and time.perf_counter() < ends:
            pass
        self._timer = asyncio.get_running_loop().call_later(REST, self._write) if more else None

    def _keep(self, session: str, run: str, lines: str) -> None:
        self._link.tell(KeepRecording(session, lines, run))

    def _slice(self) -> bool:
        assert self.record is not None
        self._recorder = self._recorder or self.record(self._keep)
        try:
            return self._recorder.write(self._taken)
        except (
            TypeError,
            ValueError,
            LookupError,
            AttributeError,
            RecursionError,
        ) as error:  # a value without a form
            self.record = None
            self._taken.clear()
            self._failed(f"the screen is no longer recorded: {type(error).__name__}: {error}")
            return False
