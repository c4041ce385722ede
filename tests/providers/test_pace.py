"""Tokens of a long answer gather, and only those."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from typing import Any, TypeVar

import pytest

from agent_tui.providers.wire.pace import ALIVE, FAST, LONG, REST, Limit, Pace

T = TypeVar("T")


class Clock:
    """Moves when it is told to; a rest moves it too."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = 100.0
        self.rests = 0
        monkeypatch.setattr("agent_tui.providers.wire.pace.asyncio.sleep", self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.time += seconds
        self.rests += 1

    def __call__(self) -> float:
        return self.time

    async def chunks(self, gaps: list[float], size: int = 40) -> AsyncIterator[bytes]:
        for gap in gaps:
            self.time += gap
            yield b"x" * size


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def read(clock: Clock, gaps: list[float], size: int = 40) -> int:
    """Read all; how often it rested."""

    async def all_of_it() -> None:
        pace, chunks = Pace(clock), clock.chunks(gaps, size)
        for _ in gaps:
            assert len(await pace.read(chunks)) == size
            await pace.rest()
        with pytest.raises(StopAsyncIteration):
            await pace.read(chunks)
        await pace.rest()

    asyncio.run(all_of_it())
    return clock.rests


def test_an_answer_that_comes_token_by_token_is_read_in_handfuls(clock: Clock) -> None:
    handful = [0.01, 0.0, 0.0, 0.0, 0.0]
    assert read(clock, [LONG, *handful * 20]) == 20


def test_the_first_second_is_read_as_it_comes(clock: Clock) -> None:
    assert read(clock, [0.01] * int(LONG / 0.02)) == 0


def test_a_slow_model_is_read_token_by_token(clock: Clock) -> None:
    assert read(clock, [LONG, *[REST * 1.5] * 20]) == 0


def test_a_flood_is_never_kept_waiting(clock: Clock) -> None:
    assert read(clock, [LONG, *[0.01] * 20], FAST // 50) == 0
    assert (
        read(clock, [LONG, *[0.01, *[0.0] * 199] * 20], FAST // 1_000) <= 1
    )  # one token, before the flood


def test_the_end_is_not_waited_for(clock: Clock) -> None:
    assert read(clock, [LONG, 0.01]) == 1


def left(
    clock: Clock, chunks: list[tuple[float, bytes]], limit: float | None = 10.0
) -> float | None:
    """What a read after `chunks` may take."""

    async def come() -> AsyncIterator[bytes]:
        for gap, data in chunks:
            clock.time += gap
            yield data

    async def all_of_it() -> float | None:
        pace, source = Pace(clock), come()
        for _ in chunks:
            await pace.read(source)
            clock.time += 1_000.0  # who reads may take any time
        return pace.time_left(limit)

    return asyncio.run(all_of_it())


def test_only_a_line_or_a_kilobyte_is_a_sign_of_life(clock: Clock) -> None:
    drip = [(4.0, b"x"), (4.0, b"y")]
    assert left(clock, []) == 10.0
    assert left(clock, drip) == 2.0
    assert left(clock, drip * 2) == 0.0
    assert left(clock, drip, None) is None
    for life in (b": comment\n", b"\r", b"x" * ALIVE):
        assert left(clock, [*drip, (1.0, life)]) == 10.0
    assert left(clock, [(1.0, b"x" * (ALIVE // 2))] * 3) == 9.0


# -- the time of one read


async def wait(awaited: Awaitable[T], seconds: float | None) -> T:
    with closing(Limit(asyncio.get_running_loop())) as limit:
        return await limit.wait(awaited, seconds)


def test_what_is_there_at_once_is_not_timed() -> None:
    async def there() -> str:
        return "here"

    assert asyncio.run(wait(there(), 0.0)) == "here"


async def waits(seconds: float, told: list[str]) -> str:
    try:
        await asyncio.sleep(0)
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        told.append("cancelled")
        raise
    return "late"


def test_what_waits_has_its_time_and_no_more() -> None:
    told: list[str] = []
    assert asyncio.run(wait(waits(0.01, told), 10.0)) == "late"
    assert asyncio.run(wait(waits(0.01, told), None)) == "late"
    assert told == []
    with pytest.raises(TimeoutError):
        asyncio.run(wait(waits(60.0, told), 0.05))
    assert told == ["cancelled"]


def test_an_error_while_it_waits_comes_through() -> None:
    async def breaks() -> None:
        await asyncio.sleep(0)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        asyncio.run(wait(breaks(), 10.0))


def test_a_cancellation_reaches_the_one_that_waits() -> None:
    told: list[str] = []

    async def cancelled() -> None:
        task = asyncio.create_task(wait(waits(60.0, told), 50.0))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert told == ["cancelled"]


class Hands:
    """A loop's clock and timers, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.set = 0

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> Hands:
        self.timers.append((when, callback))
        self.set += 1
        return self

    def when(self) -> float:
        return self.timers[-1][0]

    def cancel(self) -> None:
        self.timers.pop()

    async def move(self, to: float) -> None:
        self.now = to
        while self.timers and self.timers[-1][0] <= to:
            self.timers.pop()[1]()
        for _ in range(5):  # who was told goes on
            await asyncio.sleep(0)


def test_many_waits_share_a_timer_and_each_has_its_own_time() -> None:
    hands = Hands()
    limit = Limit(hands)  # type: ignore[arg-type]

    async def waiting(come: asyncio.Event, seconds: float) -> asyncio.Task[Any]:
        task = asyncio.create_task(limit.wait(come.wait(), seconds))
        await asyncio.sleep(0)
        return task

    async def scenario() -> None:
        for _ in range(20):  # longer than a limit in all
            come = asyncio.Event()
            task = await waiting(come, 10.0)
            await hands.move(hands.now + 2.0)
            come.set()
            assert await task
        assert hands.set < 6
        await hands.move(100.0)  # nobody waits: it is for nobody
        assert hands.timers == []
        late = await waiting(asyncio.Event(), 10.0)
        await hands.move(109.0)
        assert not late.done()
        await hands.move(110.0)
        with pytest.raises(TimeoutError):
            await late
        come = asyncio.Event()
        task = await waiting(come, 60.0)
        await hands.move(111.0)
        come.set()
        assert await task
        short = await waiting(
            asyncio.Event(), 2.0
        )  # it does not wait for the timer of the one before
        await hands.move(113.0)
        with pytest.raises(TimeoutError):
            await short
        limit.close()
        limit.close()

    asyncio.run(scenario())
    assert hands.timers == []
