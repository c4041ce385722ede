"""What each dialect costs beside `httpx` reading the same bytes: CPU for a thousand tokens, memory
over a long answer, how long a token takes to the event queue, and a request from Enter to the
server in a program that was just started.

The server (`dialects.py`) is a process of its own. So is each measurement, so that nothing is warm
that would be cold, and memory that another one left is not taken for this one's; in it the program
and `httpx` alone read in turns, so that what the machine does beside them is done to both.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.worker import Worker
from agent_tui.paths import Folders
from agent_tui.protocol.events import Event, Restored, SessionStarted, TextDelta, TurnEnded
from agent_tui.protocol.messages import Request, UserMessage
from agent_tui.protocol.ops import Submit
from agent_tui.providers.base import Failed, TextChunk
from agent_tui.providers.choosing import choose
from agent_tui.settings.layers import Configuration
from agent_tui.settings.table import ProviderSettings, Settings
from benchmarks import probe
from benchmarks.common import (
    PACE,
    Goal,
    agent,
    folder,
    judged,
    median,
    ms,
    pair,
    percentile,
    quick,
    report,
    running,
)
from benchmarks.dialects import DIALECTS, END, STAMP, Dialect, served
from benchmarks.reading import (
    QUICK,
    Amount,
    Cost,
    Found,
    Parts,
    Reader,
    Waits,
    alone,
    costs,
    last_arrival,
)
from benchmarks.server import TOKENS

T = TypeVar("T")
MOST_CPU, MOST_OWN, MOST_WAIT, MOST_GROWTH, MOST_TO_SEND = 0.020, 0.006, 0.002, 5.0, 0.150
PATIENCE = 60.0


def apart(work: Callable[..., T], *arguments: Any) -> T:
    """What `work` gives in a fresh process; in this one in a quick run, where it counts for
    nothing what memory others took."""
    if quick():
        return work(*arguments)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: T = pool.apply(work, arguments)
        return found


def adapter(name: str, url: str, amount: Amount) -> list[Cost]:
    """The provider itself, from its request to the items of its stream; and `httpx` alone."""
    dialect = DIALECTS[name]
    provider = choose.make(
        dialect.model,
        Configuration(
            Path(),
            Folders(Path(), Path(), Path()),
            dialect.environment(url),
            settings=settings(dialect),
        ),
    )

    async def read(plan: str) -> Parts:
        async with aclosing(
            provider.stream(Request("", (UserMessage(f"stream {plan}"),)))
        ) as items:
            async for item in items:
                if isinstance(item, Failed):
                    raise RuntimeError(item.text)
                yield len(item.text) if isinstance(item, TextChunk) else 0

    async def measured() -> list[Cost]:
        try:
            async with alone(name, url) as base:
                return await costs(
                    [Reader(read, characters), await base.reader(amount.mark)], amount
                )
        finally:
            await provider.close()

    return asyncio.run(measured())


def characters(tokens: int) -> int:
    whole, rest = divmod(tokens, len(TOKENS))
    return whole * sum(map(len, TOKENS)) + sum(map(len, TOKENS[:rest]))


class Stamped(SimpleQueue[Event | Restored]):
    """The engine's queue, that knows when words were put on it."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[float, str]] = []
        self.opened, self.ended = threading.Event(), threading.Event()

    def put(self, item: Event | Restored, block: bool = True, timeout: float | None = None) -> None:
        super().put(item, block, timeout)
        if isinstance(item, TextDelta):
            self.told.append((time.perf_counter(), item.text))
        elif isinstance(item, SessionStarted):
            self.opened.set()
        elif isinstance(item, TurnEnded):
            self.ended.set()


def queued(name: str, url: str, amount: Amount) -> tuple[Waits, Waits]:
    """The whole engine, from the moment that a token is sent to the event on the queue; and `httpx`
    alone."""
    dialect = DIALECTS[name]
    with folder() as home:
        place = Folders(home, home, home / "logs")
        worker = Worker(
            EngineConfig(home / "work", place, dialect.environment(url), settings=settings(dialect))
        )
        events = worker.events = Stamped()
        worker.start(lambda: None)
        try:
            _happened(events.opened)
            turn(worker, events, "50@0")
            asyncio.run(_alone(name, url, "50@0"))
            short, base = list[list[float]](), list[list[float]]()
            for _ in range(amount.answers):
                short.append(turn(worker, events, f"{amount.short} stamped"))
                base.append(asyncio.run(_alone(name, url, amount.short)))
            long = turn(worker, events, f"{amount.long} stamped")
            return Waits(short, long), Waits(base, asyncio.run(_alone(name, url, amount.long)))
        finally:
            worker.stop(10)


async def _alone(name: str, url: str, plan: str) -> list[float]:
    async with alone(name, url) as base:
        return await base.waits(plan)


async def _sent(name: str, url: str, starts: int) -> list[float]:
    async with alone(name, url) as base:
        await base.sent(1)
        return await base.sent(starts)


def turn(worker: Worker, events: Stamped, plan: str) -> list[float]:
    events.told.clear()
    events.ended.clear()
    worker.send(Submit(f"stream {plan}"))
    _happened(events.ended)
    if END not in "".join(text for _, text in events.told[-3:]):
        raise RuntimeError(f"no whole answer came: {events.told[-3:]}")
    return [
        now - float(stamp) for now, text in events.told for stamp in STAMP.findall(text.encode())
    ]


def _happened(event: threading.Event) -> None:
    if not event.wait(PATIENCE):
        raise TimeoutError("the engine does not answer")


def settings(dialect: Dialect) -> Settings:
    provider = dialect.model.partition("/")[0]
    own: Mapping[str, ProviderSettings] = {provider: ProviderSettings(options=dialect.options)}
    return Settings(dialect.model, providers=own)


def first_request(dialect: Dialect, url: str) -> float:
    """Seconds from Enter to the server, in a program that was just started: it has had the time
    that typing takes."""
    with folder() as home:
        (home / "agent-tui").mkdir()
        own = "".join(f"{name} = {json.dumps(value)}\n" for name, value in dialect.options.items())
        config = home / "agent-tui" / "config.toml"
        config.write_text(f"[providers.{dialect.model.partition('/')[0]}]\n{own}", encoding="utf-8")
        with running(agent("-m", dialect.model), home, **dialect.environment(url)) as terminal:
            probe.first_paint(terminal)
            terminal.ready()
            terminal.pump(probe.PAUSE)
            terminal.write("stream 3@0")
            terminal.pump(probe.PAUSE)
            probe.enter(terminal)
            begin = time.perf_counter()
            terminal.wait(END)
            terminal.pump(0.1 * PACE)
            return last_arrival(url) - begin


def main() -> None:
    amount = QUICK if quick() else Amount()
    rows, found = [], []
    with served() as url:
        for name, dialect in DIALECTS.items():
            (cost, base), (waits, base_waits) = (
                apart(adapter, name, url, amount),
                apart(queued, name, url, amount),
            )
            sent = [first_request(dialect, url) for _ in range(amount.starts)]
            ours = Found(cost, waits, sent)
            floor = Found(base, base_waits, asyncio.run(_sent(name, url, amount.starts)))
            rows += [row(name, ours), row("  httpx alone", floor), own(ours, floor)]
            found.append((ours, floor))
    report(
        f"Providers: {amount.paced:,} tokens at {amount.rate}/s, {amount.flood:,} and {amount.most:,} at once",
        (
            "dialect",
            "CPU for 1,000, one by one",
            "at once",
            f"memory from {amount.mark:,} tokens on",
            "sent to queue p50 / p95",
            "long answer",
            "Enter to server p50 / max",
        ),
        rows,
        goals(found),
    )


def row(name: str, found: Found) -> tuple[str, ...]:
    cost, waits = found.cost, found.waits
    return (
        name,
        ms(cost.paced),
        ms(cost.flood),
        f"{cost.growth:+.1f} MB",
        pair(waits.short, 0.95),
        pair(waits.long, 0.95),
        pair(found.sent, 1.0),
    )


def own(ours: Found, floor: Found) -> tuple[str, ...]:
    """What the program adds to `httpx` alone."""
    return (
        "  its own",
        ms(_paced(ours, floor)),
        ms(_flood(ours, floor)),
        "",
        f"p95 {ms(_wait(ours, floor))}",
        "",
        "",
    )


def _paced(ours: Found, floor: Found) -> float:
    return ours.cost.paced - floor.cost.paced


def _flood(ours: Found, floor: Found) -> float:
    """Round by round: what disturbs a round disturbs both of its answers."""
    return median(
        [mine - base for mine, base in zip(ours.cost.floods, floor.cost.floods, strict=True)]
    )


def _wait(ours: Found, floor: Found) -> float:
    """Of the 95th percentiles, answer by answer, as above."""
    pairs = zip(ours.waits.answers, floor.waits.answers, strict=True)
    return median([percentile(mine, 0.95) - percentile(base, 0.95) for mine, base in pairs])


def goals(found: list[tuple[Found, Found]]) -> list[Goal]:
    """The whole, and what is the program's own of it. Tokens that come one by one are judged by
    that alone: httpx has to wake for each of them. What a token takes until httpx has it is the
    machine's, and no adapter's."""
    cpu = max(ours.cost.flood for ours, _ in found)
    flood, added = max(_flood(*pair) for pair in found), max(_paced(*pair) for pair in found)
    wait = max(percentile(ours.waits.short, 0.95) for ours, _ in found)
    floor, late = (
        max(percentile(base.waits.short, 0.95) for _, base in found),
        max(_wait(*pair) for pair in found),
    )
    growth = max(ours.cost.growth for ours, _ in found)
    sent = max(median(ours.sent) for ours, _ in found)
    return [
        judged(
            f"CPU for 1,000 tokens at once at most {ms(MOST_CPU)} (is {ms(cpu)})", cpu <= MOST_CPU
        ),
        judged(
            f"at most {ms(MOST_OWN)} of it more than httpx alone (is {ms(flood)})",
            flood <= MOST_OWN,
        ),
        judged(
            f"one by one at most {ms(MOST_CPU)} more than httpx alone (is {ms(added)})",
            added <= MOST_CPU,
        ),
        judged(
            f"token sent to event p95 at most {ms(MOST_WAIT)} (is {ms(wait)}, httpx alone {ms(floor)})",
            wait <= MOST_WAIT,
        ),
        judged(
            f"at most {ms(MOST_WAIT)} after httpx alone has it (is {ms(late)})", late <= MOST_WAIT
        ),
        judged(
            f"memory grows by less than {MOST_GROWTH:g} MB (is {growth:+.1f} MB)",
            growth < MOST_GROWTH,
        ),
        judged(
            f"Enter to server p50 at most {ms(MOST_TO_SEND)} (is {ms(sent)})", sent <= MOST_TO_SEND
        ),
    ]


if __name__ == "__main__":
    main()
