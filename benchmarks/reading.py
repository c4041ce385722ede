"""What the benchmark of providers measures with, and its floor: the same bytes, read by `httpx` and thrown away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.dialects import DIALECTS, STAMP


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is measured: tokens as they come (at so many a second), at once, and in the longest answer, whose
    memory is taken from `mark` on; answers whose tokens are timed, each shorter than the second after which tokens
    gather, and one that is longer; starts of the program."""

    paced: int = 600
    rate: int = 100
    flood: int = 20_000
    most: int = 200_000
    mark: int = 20_000
    answers: int = 6
    short: str = "80@100"
    long: str = "300@100"
    starts: int = 5


QUICK = Amount(20, 100, 1_000, 2_000, 1_000, 1, "10@100", "20@100", 1)


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds for a thousand tokens that come one by one, and at once; MiB that memory grew in the longest."""

    paced: float
    flood: float
    growth: float


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds from the moment a token is sent, token by token: of answers that are short, and of a long one."""

    short: list[float]
    long: list[float]


@dataclass(frozen=True, slots=True)
class Found:
    """All that was measured of a dialect; `sent`: seconds from asking until the request is at the server."""

    cost: Cost
    waits: Waits
    sent: list[float]


Parts = AsyncIterator[int]
"""An answer as it is read: how much came with each part."""


def resident() -> float:
    """MiB of this process. Linux."""
    return int(Path("/proc/self/status").read_text(encoding="ascii").split("VmRSS:")[1].split()[0]) / 1024


async def costs(read: Callable[[str], Parts], size: Callable[[int], int], amount: Amount) -> Cost:
    """What it costs to `read` answers; `size` says how much of it `n` tokens are."""
    await used(read, "50@0")  # what is loaded once is loaded
    paced = await used(read, f"{amount.paced}@{amount.rate}")
    flood = await used(read, f"{amount.flood}@0")
    got, before = 0, 0.0
    async for part in read(f"{amount.most}@0"):
        got += part
        if not before and got >= size(amount.mark):
            before = resident()
    return Cost(paced / amount.paced * 1_000, flood / amount.flood * 1_000, resident() - before)


async def used(read: Callable[[str], Parts], plan: str) -> float:
    """CPU seconds of this process for an answer."""
    begin = time.process_time()
    async for _ in read(plan):
        pass
    return time.process_time() - begin


def floor(name: str, url: str, amount: Amount) -> Found:
    """The same bytes read by httpx, which does nothing with them: costs, waits, and requests from the call on."""
    dialect = DIALECTS[name]

    async def measured() -> Found:
        async with httpx.AsyncClient(timeout=None, trust_env=False) as client:

            async def raw(plan: str) -> AsyncIterator[bytes]:
                body = dialect.body(f"stream {plan}")
                async with client.stream("POST", url + dialect.path, json=body) as response:
                    async for data in response.aiter_bytes():
                        yield data

            async def read(plan: str) -> Parts:
                async for data in raw(plan):
                    yield len(data)

            async def timed(plan: str) -> list[float]:
                return [
                    now - float(stamp)
                    async for data, now in _at(raw(f"{plan} stamped"))
                    for stamp in STAMP.findall(data)
                ]

            whole = sum([part async for part in read(f"{amount.mark}@0")])
            cost = await costs(read, lambda _: whole, amount)
            short = [wait for _ in range(amount.answers) for wait in await timed(amount.short)]
            sent = []
            for _ in range(amount.starts):
                begin = time.perf_counter()
                await used(read, "1@0")
                sent.append(last_arrival(url) - begin)
            return Found(cost, Waits(short, await timed(amount.long)), sent)

    return asyncio.run(measured())


async def _at(parts: AsyncIterator[bytes]) -> AsyncIterator[tuple[bytes, float]]:
    async for data in parts:
        yield data, time.perf_counter()


def last_arrival(url: str) -> float:
    arrived: list[float] = httpx.get(f"{url}/arrived", trust_env=False).json()
    return arrived[-1]
