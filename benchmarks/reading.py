"""What the benchmark of providers measures with, and its floor: the same bytes, read by `httpx` and
thrown away."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.common import median
from benchmarks.dialects import DIALECTS, STAMP


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is measured: tokens as they come (at so many a second), at once (so often), and in
    the longest answer, whose memory is taken from `mark` on; answers whose tokens are timed, each
    shorter than the second after which tokens gather, and one that is longer; starts of the
    program."""

    paced: int = 600
    rate: int = 100
    flood: int = 20_000
    floods: int = 5
    most: int = 200_000
    mark: int = 20_000
    answers: int = 6
    short: str = "80@100"
    long: str = "300@100"
    starts: int = 5


QUICK = Amount(20, 100, 1_000, 1, 2_000, 1_000, 1, "10@100", "20@100", 1)


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds for a thousand tokens that come one by one, and at once (answer by answer); MiB
    that memory grew in the longest."""

    paced: float
    floods: list[float]
    growth: float

    @property
    def flood(self) -> float:
        return median(self.floods)


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds from the moment a token is sent, token by token: of each answer that is short, and of
    a long one."""

    answers: list[list[float]]
    long: list[float]

    @property
    def short(self) -> list[float]:
        return [wait for answer in self.answers for wait in answer]


@dataclass(frozen=True, slots=True)
class Found:
    """All that was measured of a dialect; `sent`: seconds from asking until the request is at the
    server."""

    cost: Cost
    waits: Waits
    sent: list[float]


Parts = AsyncIterator[int]
"""An answer as it is read: how much came with each part."""


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` reads the answer to a plan; `size` says how much of it `n` tokens are."""

    read: Callable[[str], Parts]
    size: Callable[[int], int]


def resident() -> float:
    """MiB of this process. Linux."""
    return (
        int(Path("/proc/self/status").read_text(encoding="ascii").split("VmRSS:")[1].split()[0])
        / 1024
    )


async def costs(readers: Sequence[Reader], amount: Amount) -> list[Cost]:
    """What it costs each of `readers` to read answers: in turns, so that they have the same from
    the machine. The first of them is also the first to read the longest answer: what another one
    left would be taken for its own."""
    paced, floods = [], [list[float]() for _ in readers]
    for reader in readers:
        await used(reader, "50@0")  # what is loaded once is loaded
    for _ in range(amount.floods):
        for reader, found in zip(readers, floods, strict=True):
            found.append(await used(reader, f"{amount.flood}@0") / amount.flood * 1_000)
    for reader in readers:
        paced.append(await used(reader, f"{amount.paced}@{amount.rate}") / amount.paced * 1_000)
    growth = [await grown(reader, amount) for reader in readers]
    return [Cost(*each) for each in zip(paced, floods, growth, strict=True)]


async def used(reader: Reader, plan: str) -> float:
    """CPU seconds of this process for an answer."""
    begin = time.process_time()
    async for _ in reader.read(plan):
        pass
    return time.process_time() - begin


async def grown(reader: Reader, amount: Amount) -> float:
    """MiB that the longest answer takes from `mark` tokens on."""
    got, before = 0, 0.0
    async for part in reader.read(f"{amount.most}@0"):
        got += part
        if not before and got >= reader.size(amount.mark):
            before = resident()
    return resident() - before


class Alone:
    """The floor: httpx reads the same bytes, and does nothing with them."""

    def __init__(self, client: httpx.AsyncClient, name: str, url: str) -> None:
        self._client, self._dialect, self._url = client, DIALECTS[name], url

    async def _raw(self, plan: str) -> AsyncIterator[bytes]:
        body = self._dialect.body(f"stream {plan}")
        async with self._client.stream(
            "POST", self._url + self._dialect.path, json=body
        ) as response:
            async for data in response.aiter_bytes():
                yield data

    async def read(self, plan: str) -> Parts:
        async for data in self._raw(plan):
            yield len(data)

    async def reader(self, mark: int) -> Reader:
        whole = sum([part async for part in self.read(f"{mark}@0")])
        return Reader(self.read, lambda _: whole)

    async def waits(self, plan: str) -> list[float]:
        found = []
        async for data in self._raw(f"{plan} stamped"):
            now = time.perf_counter()
            found += [now - float(stamp) for stamp in STAMP.findall(data)]
        return found

    async def sent(self, starts: int) -> list[float]:
        """Seconds from the call to the server."""
        found = []
        for _ in range(starts):
            begin = time.perf_counter()
            async for _ in self.read("1@0"):
                pass
            found.append(last_arrival(self._url) - begin)
        return found


@asynccontextmanager
async def alone(name: str, url: str) -> AsyncIterator[Alone]:
    async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
        yield Alone(client, name, url)


def last_arrival(url: str) -> float:
    arrived: list[float] = httpx.get(f"{url}/arrived", trust_env=False).json()
    return arrived[-1]
