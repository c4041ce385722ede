"""How often a streamed answer is read, and how long a read may take: tokens of a long one gather,
and are read together.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from types import coroutine
from typing import Any, Final, TypeVar

from agent_tui import registry

T = TypeVar("T")

LONG: Final = 1.0
"""Seconds after which an answer is a long one: a short one, or a tool call, is never kept waiting.
"""
REST: Final = 0.05
"""Seconds that tokens gather: half of what the screen waits anyway. A read costs as much as ten
tokens."""
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

    def time_left(self, limit: float | None, until: float = math.inf) -> float | None:
        """Seconds that the next read may take, where the server has `limit` for a whole line, and
        `until` for all."""
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
        """What the last read brought is handed on: let more gather if the tokens come one by one,
        and fast."""
        if self._gathers:
            await asyncio.sleep(REST)


class Limit:
    """How long waits may take, one after another. They share a timer, which is set again only when
    it goes off: one for each token would be a fifth of all work."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[object] | None = None
        self._until = 0.0
        self._over = False

    async def wait(self, awaited: Awaitable[T], seconds: float | None) -> T:
        """What `awaited` gives. Raises TimeoutError when it takes longer; one that has not to wait
        is not timed."""
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

    def _begin(self, task: asyncio.Task[object], seconds: float) -> None:
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

    def __init__(self, steps: Generator[object, object, T], waits_for: object) -> None:
        self._steps, self._waits_for = steps, waits_for

    def __await__(self) -> Generator[object, object, T]:
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


with registry.late(warm=False):
    import httpx

MOST: Final = 65_536
"""Bytes in a piece, hardly more: what is there without an end is handed on all the same."""
_DRY: Final = object()


@coroutine
def _dry() -> Generator[object, None, None]:
    """Tells the one that takes the steps that there is nothing more without waiting."""
    yield _DRY


class _Left(Exception):
    """Nobody wants the rest."""


class Gathered:
    """The body of `response`, piece by piece. Who is done with it closes it, and the response
    afterwards."""

    def __init__(self, response: httpx.Response) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._steps: Coroutine[object, object, None] = self._filled(_decoded(response))
        self._open, self._begun, self._left, self._stepping = True, False, False, False
        self._error: httpx.HTTPError | None = None
        network = (
            response.extensions.get("network_stream")
            if response.http_version.startswith("HTTP/1")
            else None
        )
        self._network: object = network if hasattr(network, "__dict__") else None
        if self._network is not None:
            self._network.read = self._watched(self._network.read)

    def __aiter__(self) -> Gathered:
        return self

    @coroutine
    def __anext__(self) -> Generator[object, object, bytes]:
        step: Callable[[Any], object] = self._steps.send
        given: object = None
        while self._open:
            self._open = False  # what breaks off in the midst of a step, or while it waits, is over
            self._stepping = self._begun = True
            try:
                waits_for = step(given)
            except StopIteration:
                break
            except httpx.HTTPError as error:
                self._error = error  # what came before it is handed on first
                break
            finally:
                self._stepping = False
            if waits_for is _DRY:
                self._open = True
                break
            try:
                given, step = (yield waits_for), self._steps.send
            except asyncio.CancelledError as error:  # it is for the one that waits
                given, step = error, self._steps.throw
            self._open = True
        if self._parts:
            return self._taken()
        raise self._error or StopAsyncIteration

    def _taken(self) -> bytes:
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return data

    async def _filled(self, chunks: AsyncIterator[bytes]) -> None:
        async for data in chunks:
            self._parts.append(data)
            self._size += len(data)
            if self._size >= MOST or self._network is None:
                await _dry()
                if self._left:
                    return

    def _watched(self, read: Callable[..., Awaitable[bytes]]) -> Callable[..., Awaitable[bytes]]:
        """`read` of the network; before it, what came with the last one is handed on."""

        async def reading(max_bytes: int, timeout: float | None = None) -> bytes:
            if (
                self._parts and self._stepping
            ):  # another answer may be read here, once this one has let go
                await _dry()
                if self._left:
                    raise _Left
            return await read(max_bytes, timeout)

        return reading

    async def aclose(self) -> None:
        self._left = True
        self._parts.clear()
        if self._open and self._begun:
            with suppress(_Left, StopAsyncIteration, httpx.HTTPError):
                await anext(self)
        self._steps.close()
        if self._network is not None:
            vars(self._network).pop("read", None)


def _decoded(response: httpx.Response) -> AsyncIterator[bytes]:
    """Plain bytes were asked for; where they come, httpx has nothing to decode."""
    plain = response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
    return aiter(response.stream) if plain else response.aiter_bytes()  # type: ignore[arg-type]
