"""How often a streamed answer is read: tokens of a long one gather, and are read together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

LONG: Final = 1.0
"""Seconds after which an answer is a long one: a short one, or a tool call, is never kept waiting."""
REST: Final = 0.05
"""Seconds that tokens gather: half of what the screen waits anyway. A read costs as much as ten tokens."""
WAITED: Final = 0.001
"""Seconds that a read takes at least when nothing had gathered."""
FAST: Final = 100_000
"""Bytes a second from which a stream is read as it comes: one read brings many tokens anyway."""


class Pace:
    """Begins with the answer. `now`: the loop's clock, in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._begun = self._since = now()
        self._got = 0
        """Bytes since the last read that had to wait."""
        self._gathers = False

    async def read(self, chunks: AsyncIterator[bytes]) -> bytes:
        """The next chunk. Raises StopAsyncIteration at the end."""
        self._gathers = False
        asked = self._now()
        data = await anext(chunks)
        came = self._now()
        self._got += len(data)
        if came - asked > WAITED:
            slow = self._got < FAST * (came - self._since)
            self._gathers = slow and came - asked < REST and came - self._begun > LONG
            self._got, self._since = 0, came
        return data

    async def rest(self) -> None:
        """What the last read brought is handed on: let more gather if the tokens come one by one, and fast."""
        if self._gathers:
            await asyncio.sleep(REST)
