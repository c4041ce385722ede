"""What the length of a session and of one answer cost: the whole program in a pty, beside the bare
app.

The sessions are logs of 100 to 50,000 blocks (`sessions.py`), opened with `-c`; the answer has
1,000 to 100,000 tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks import probe
from benchmarks.common import (
    Goal,
    Pty,
    agent,
    bare,
    folder,
    judged,
    median,
    model,
    ms,
    pair,
    percentile,
    quick,
    report,
    running,
    server,
)
from benchmarks.sessions import write_session

SIZES = (100, 1_000, 10_000, 50_000)
LENGTHS = (1_000, 20_000, 100_000)
PAGE_UP = "\x1b[5~"
FLAT = 1.5
"""So many times what the shortest costs may the longest cost: what is left is noise."""


@dataclass(slots=True)
class Costs:
    """Of a session: seconds until it was shown, resident MB with it, and what things took then."""

    shown: float = 0.0
    memory: float = 0.0
    keys: list[float] = field(default_factory=list)
    tick: float = 0.0
    pages: list[float] = field(default_factory=list)
    resizes: list[float] = field(default_factory=list)

    def row(self, name: str) -> tuple[str, ...]:
        return (
            name,
            f"{self.shown:.2f} s" if self.shown else "",
            pair(self.keys, 0.95),
            ms(self.tick) if self.tick else "",
            pair(self.pages, 1.0),
            pair(self.resizes, 1.0),
            f"{self.memory:.0f} MB",
        )


def floor(seconds: float, times: int) -> Costs:
    with folder() as home, running(bare(), home) as terminal:
        terminal.ready()
        terminal.quiet(probe.QUIET)
        costs = Costs(memory=terminal.memory(), keys=probe.window(terminal, seconds).echoes)
        costs.resizes = probe.resizes(terminal, times)
    return costs


def measured(url: str, blocks: int, seconds: float, times: int) -> Costs:
    with folder() as home:
        write_session(home, blocks)
        with running(agent("-m", "openai/bench", "-c"), home, **model(url)) as terminal:
            shown = terminal.wait("resumed", 60.0) - terminal.started
            probe.warm_up(terminal)
            costs = Costs(shown, terminal.memory(), probe.window(terminal, seconds).echoes)
            costs.tick = probe.at_rate(terminal, seconds, typing=False)[0].tick
            costs.pages = [page(terminal) for _ in range(times * 4)]
            costs.resizes = probe.resizes(terminal, times)
    return costs


def page(terminal: Pty) -> float:
    terminal.write(PAGE_UP)
    return probe.settled(terminal)


def answer(url: str, seconds: float, lengths: Sequence[int]) -> list[float]:
    """CPU seconds of a tick at the usual rate, when so many tokens of one answer have come."""
    slow, plan, had = int((seconds + probe.LEAD) * probe.RATE), "", 0
    for length in lengths:
        plan += f"{length - had}@0 {slow}@{probe.RATE} "
        had = length + slow
    ticks = []
    with folder() as home, running(agent("-m", "openai/bench"), home, **model(url)) as terminal:
        probe.warm_up(terminal)
        signs = probe.typed(terminal, plan.strip())
        probe.enter(terminal)
        for sign in signs[::2]:
            terminal.wait(sign, 60.0)
            terminal.pump(probe.LEAD / 2)
            terminal.mark()
            ticks.append(probe.window(terminal, seconds, typing=False).tick)
        terminal.wait(signs[-1], 60.0)
    return ticks


def goals(bottom: Costs, costs: dict[int, Costs]) -> list[Goal]:
    first, last = costs[min(costs)], costs[max(costs)]
    each = list(costs.values())
    keys, limit = (
        max(percentile(one.keys, 0.95) for one in each),
        max(0.010, 1.5 * percentile(bottom.keys, 0.95)),
    )
    tick, pages = max(one.tick for one in each), max(median(one.pages) for one in each)
    memory = (last.memory - first.memory) / (max(costs) - min(costs)) * 1000
    growth = max(last.tick / first.tick, median(last.keys) / median(first.keys))
    resized = median(last.resizes)
    return [
        judged(
            f"key to echo p95 at most {ms(limit)}: 10 ms or 1.5 x the bare app's (is {ms(keys)})",
            keys <= limit,
        ),
        judged(f"at most 8 ms CPU a tick (is {ms(tick)})", tick <= 0.008),
        judged(f"a page up is drawn in 20 ms (p50 is {ms(pages)})", pages <= 0.020),
        judged(
            f"at {max(costs):,} blocks a resize settles in 110 ms (p50 is {ms(resized)})",
            resized <= 0.110,
        ),
        judged(
            f"memory at most 1.5 MB per 1,000 blocks, all in (is {memory:.2f} MB)", memory <= 1.5
        ),
        judged(
            f"flat: key and tick of the longest within {FLAT} x the shortest (is {growth:.2f} x)",
            growth <= FLAT,
        ),
    ]


def main() -> None:
    sizes, lengths = ((100, 300), (500, 1_000)) if quick() else (SIZES, LENGTHS)
    seconds, times = (0.3, 1) if quick() else (10.0, 3)
    with server() as url:
        bottom = floor(seconds, times)
        costs = {size: measured(url, size, seconds, times) for size in sizes}
        ticks = answer(url, seconds, lengths)
    report(
        f"The program with a session of so many blocks (tick: {probe.RATE} tokens/s, CPU)",
        (
            "session",
            "start to shown",
            "key p50 / p95",
            "tick",
            "page up p50 / max",
            "resize p50 / max",
            "memory",
        ),
        [
            bottom.row("bare Textual app"),
            *(one.row(f"{size:,} blocks") for size, one in costs.items()),
        ],
        goals(bottom, costs),
    )
    growth = ticks[-1] / ticks[0]
    report(
        "One answer, when so many tokens of it have come",
        ("tokens", "tick"),
        [(f"{length:,}", ms(tick)) for length, tick in zip(lengths, ticks, strict=True)],
        [
            judged(f"at most 8 ms CPU a tick (is {ms(max(ticks))})", max(ticks) <= 0.008),
            judged(f"flat: the last within {FLAT} x the first (is {growth:.2f} x)", growth <= FLAT),
        ],
    )


if __name__ == "__main__":
    main()
