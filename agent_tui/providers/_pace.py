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


class Limit:
    """How long waits may take, one after another. They share a timer, which is set again only when it goes off: one for
    each token would be a fifth of all work."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[Any] | None = None
        self._until = 0.0
        self._over = False

    async def wait(self, awaited: Awaitable[T], seconds: float | None) -> T:
        """What `awaited` gives. Raises TimeoutError when it takes longer; one that has not to wait is not timed."""
        steps = awaited.__await__()
        try:
            waits_for = next(steps)
        except StopIteration as done:
            found: T = done.value
            return found
        task = asyncio.current_task()
        if seconds is None or task is None:
            return await _Begun(steps, waits_for)
        self._begin(task, seconds)
        asked = task.cancelling()
        try:
            return await _Begun(steps, waits_for)
        except asyncio.CancelledError:
            if self._over and task.uncancel() <= asked:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None

    def _begin(self, task: asyncio.Task[Any], seconds: float) -> None:
        self._waiting, self._over = task, False
        self._until = self._loop.time() + seconds
        if self._timer is not None and self._timer.when() > self._until:
            self.close()
        if self._timer is None:
            self._timer = self._loop.call_at(self._until, self._went_off)

    def _went_off(self) -> None:
        self._timer = None
        if self._waiting is None:
            return  # the next wait sets it
        if self._loop.time() < self._until:
            self._timer = self._loop.call_at(self._until, self._went_off)
        else:
            self._over = True
            self._waiting.cancel()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None


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
