"""How often a streamed answer is read, and how long a read may take: tokens of a long one gather, and are read
together.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from typing import Any, Final, TypeVar

T = TypeVar("T")

LONG: Final = 1.0
"""Seconds after which an answer is a long one: a short one, or a tool call, is never kept waiting."""
REST: Final = 0.05
"""Seconds that tokens gather: half of what the screen waits anyway. A read costs as much as ten tokens."""
WAITED: Final = 0.001
"""Seconds that a read takes at least when nothing had gathered."""
ALIVE: Final = 1_024
"""Bytes without a line end that are a sign of life all the same: part of something large."""
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
        self._waited, self._unfinished = 0.0, 0
        """Seconds and bytes since the last sign of life: a byte now and then is none."""

    def left(self, limit: float | None, until: float = math.inf) -> float | None:
        """Seconds that the next read may take, where the server has `limit` for a whole line, and `until` for all."""
        left = min(math.inf if limit is None else limit - self._waited, until - self._now())
        return None if left == math.inf else max(0.0, left)

    async def read(self, chunks: AsyncIterator[bytes]) -> bytes:
        """The next chunk. Raises StopAsyncIteration at the end."""
        self._gathers = False
        asked = self._now()
        data = await anext(chunks)
        came = self._now()
        self._got += len(data)
        self._unfinished += len(data)
        if self._unfinished >= ALIVE or b"\n" in data or b"\r" in data:
            self._waited, self._unfinished = 0.0, 0
        else:
            self._waited += came - asked
        if came - asked > WAITED:
            slow = self._got < FAST * (came - self._since)
            self._gathers = slow and came - asked < REST and came - self._begun > LONG
            self._got, self._since = 0, came
        return data

    async def rest(self) -> None:
        """What the last read brought is handed on: let more gather if the tokens come one by one, and fast."""
        if self._gathers:
            await asyncio.sleep(REST)


async def in_time(awaited: Awaitable[T], seconds: float | None) -> T:
    """What `awaited` gives. Raises TimeoutError when it takes longer; one that has not to wait costs no timer, which
    in a flood of chunks is a fifth of all work."""
    steps = awaited.__await__()
    try:
        waits_for = next(steps)
    except StopIteration as done:
        found: T = done.value
        return found
    async with asyncio.timeout(seconds):
        return await _Begun(steps, waits_for)


class _Begun(Awaitable[T]):
    """An awaitable that has taken its first step, and waits for `waits_for`."""

    def __init__(self, steps: Generator[Any, Any, T], waits_for: Any) -> None:
        self._steps, self._waits_for = steps, waits_for

    def __await__(self) -> Generator[Any, Any, T]:
        waits_for = self._waits_for
        try:
            while True:
                try:
                    yield waits_for
                except asyncio.CancelledError as error:  # it is for the one that waits
                    waits_for = self._steps.throw(error)
                else:
                    waits_for = next(self._steps)
        except StopIteration as done:
            found: T = done.value
            return found
        finally:
            self._steps.close()
