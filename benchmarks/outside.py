"""The program from the outside, in a pty of 120 x 40, beside its floors in the same run.

The floors: `python -c pass`, the bare app (`bare.py`), a Textual log without Markdown and a
`RichLog` (`plain.py`). All answers come from the local server. Each session begins with a short
answer, so that what is loaded once (parsers, highlighting, the HTTP client) is loaded; only the
start and the first answer are measured cold.
"""

from __future__ import annotations

import sys
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

AGENT, BARE, PASS = "agent-tui", "bare Textual app", "python -c pass"
LOG, RICH = "Textual log, no Markdown", "RichLog, no Markdown"
PLAIN = [sys.executable, "-m", "benchmarks.plain"]
COMMANDS: dict[str, Sequence[str]] = {
    AGENT: agent("-m", "openai/bench"), BARE: bare(), LOG: PLAIN, RICH: [*PLAIN, "--rich"],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is measured."""

    starts: int = 15
    cold: int = 1
    """Starts before these that are not counted: they warm the caches of the disk."""
    sessions: int = 3
    seconds: float = 10.0
    tokens: int = 20_000
    most: int = 100_000
    resizes: int = 3
    answers: int = 3


QUICK = Amount(
    starts=1, cold=0, sessions=1, seconds=0.3, tokens=1_000, most=2_000, resizes=1, answers=1
)


@dataclass(slots=True)
class Session:
    """What one program showed, over several sessions."""

    typing: list[probe.Window] = field(default_factory=list)
    watching: list[probe.Window] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    most: list[float] = field(default_factory=list)
    resizes: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    memory_most: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    first_answer: list[float] = field(default_factory=list)

    @property
    def echoes(self) -> list[float]:
        return [echo for window in self.typing for echo in window.echoes]

    def row(self, name: str) -> tuple[str, ...]:
        typed, watched = (
            f"{median([one.share for one in each]):.1f}" for each in (self.typing, self.watching)
        )
        return (
            name,
            typed,
            watched,
            pair(self.echoes, 0.95),
            f"{seconds(self.wall)} / {seconds(self.cpu)}" if self.wall else "",
            seconds(self.most),
            pair(self.resizes, 1.0),
            megabytes(self.memory),
            megabytes(self.memory_most),
            f"{median(self.idle):.2f} %" if self.idle else "",
            f"{median(self.written):,}" if self.written else "",
            seconds(self.first_answer),
        )


HEADER = (
    "program",
    "typing: % of a core",
    "not typing",
    "keys p50 / p95",
    "at once: wall / CPU",
    "most at once",
    "resize p50 / max",
    "memory",
    "after most",
    "idle",
    "bytes",
    "first answer",
)


def seconds(values: Sequence[float]) -> str:
    return f"{median(values):.2f} s" if values else ""


def megabytes(values: Sequence[float]) -> str:
    return f"{median(values):.0f} MB" if values else ""


def starts(url: str, amount: Amount) -> dict[str, list[tuple[float, float]]]:
    """First paint and input ready of the programs, taking turns; for `python -c pass` its whole
    time, twice."""
    took: dict[str, list[tuple[float, float]]] = {PASS: [], BARE: [], AGENT: []}
    for number in range(amount.cold + amount.starts):
        whole = probe.interpreter(sys.executable)
        once = {PASS: (whole, whole)}
        for name in (BARE, AGENT):
            with folder() as home, running(COMMANDS[name], home, **model(url)) as terminal:
                once[name] = probe.start(terminal, blanks=name == BARE)  # its screen holds no text
        if number >= amount.cold:
            for name, pair_of in once.items():
                took[name].append(pair_of)
    return took


def report_starts(took: dict[str, list[tuple[float, float]]]) -> None:
    paint = {name: median([one for one, _ in pairs]) for name, pairs in took.items()}
    ready = {name: median([one for _, one in pairs]) for name, pairs in took.items()}
    rows = [
        (
            name,
            ms(paint[name]),
            "" if name == PASS else ms(ready[name]),
            ms(min(one for one, _ in pairs)),
            "" if name == PASS else ms(percentile([one for _, one in pairs], 0.95)),
        )
        for name, pairs in took.items()
    ]
    first, then = paint[AGENT] / paint[PASS], ready[AGENT] / ready[BARE]
    report(
        f"Start ({len(took[AGENT])} each, in turns, medians)",
        ("program", "first paint", "input ready", "fastest paint", "ready p95"),
        rows,
        [
            judged(f"first paint at most 2 x `python -c pass` (is {first:.2f} x)", first <= 2),
            judged(f"input ready at most 1.15 x the bare app (is {then:.2f} x)", then <= 1.15),
        ],
    )


def stream(found: Session, terminal: Pty, amount: Amount) -> None:
    """An answer at the usual rate, watched; then another with keys typed meanwhile."""
    watched, written = probe.at_rate(terminal, amount.seconds, typing=False)
    found.watching.append(watched)
    found.written.append(written)
    found.typing.append(probe.at_rate(terminal, amount.seconds, typing=True)[0])


def session(found: Session, name: str, url: str, amount: Amount) -> None:
    with folder() as home, running(COMMANDS[name], home, **model(url)) as terminal:
        probe.warm_up(terminal)
        if name == AGENT:
            found.idle.append(probe.idle(terminal, amount.seconds))
        stream(found, terminal, amount)
        if name == RICH:
            return  # it is the floor of the bytes, no more
        wall, cpu = probe.at_once(terminal, amount.tokens)
        found.wall.append(wall)
        found.cpu.append(cpu)
        found.resizes.extend(probe.resizes(terminal, amount.resizes))
        found.memory.append(terminal.memory())
        found.most.append(probe.at_once(terminal, amount.most)[0])
        found.memory_most.append(terminal.memory())
    found.first_answer.extend(
        probe.first_answer(COMMANDS[name], url) for _ in range(amount.answers)
    )


def bare_session(found: Session, amount: Amount) -> None:
    with folder() as home, running(bare(), home) as terminal:
        terminal.ready()
        found.idle.append(probe.idle(terminal, amount.seconds))
        found.resizes.extend(probe.resizes(terminal, amount.resizes))
        found.memory.append(terminal.memory())
    with folder() as home, running(bare("--append", str(probe.RATE)), home) as terminal:
        terminal.ready()
        terminal.pump(probe.LEAD)
        found.watching.append(probe.window(terminal, amount.seconds, typing=False))
        found.typing.append(probe.window(terminal, amount.seconds))


def goals(found: dict[str, Session]) -> list[Goal]:
    ours, log = found[AGENT], found[LOG]
    typed, watched = (
        median([one.share for one in windows]) for windows in (ours.typing, ours.watching)
    )
    keys, ratio = percentile(ours.echoes, 0.95), median(ours.wall) / median(log.wall)
    written, floor = median(ours.written), median(found[RICH].written)
    return [
        judged(f"100 tokens/s: at most 12 % of a core with typing (is {typed:.1f})", typed <= 12),
        judged(f"100 tokens/s: at most 8 % of a core without (is {watched:.1f})", watched <= 8),
        judged(f"keys p95 at most 25 ms meanwhile (is {ms(keys)})", keys <= 0.025),
        judged(
            f"an answer at once: at most 1.2 x the log's wall time (is {ratio:.2f} x)", ratio <= 1.2
        ),
        judged(
            f"most tokens at once: at most 6 s (is {seconds(ours.most)})", median(ours.most) <= 6
        ),
        judged(
            f"a resize settles in 50 ms (p50 is {ms(median(ours.resizes))})",
            median(ours.resizes) <= 0.05,
        ),
        judged(f"memory at most 80 MB (is {megabytes(ours.memory)})", median(ours.memory) <= 80),
        judged(
            f"idle at most 0.2 % of a core (is {median(ours.idle):.2f} %)", median(ours.idle) <= 0.2
        ),
        judged(f"bytes at most those of a RichLog (is {written / floor:.2f} x)", written <= floor),
        judged(
            f"first answer within 1.6 s (is {seconds(ours.first_answer)})",
            median(ours.first_answer) <= 1.6,
        ),
    ]


def main() -> None:
    amount = QUICK if quick() else Amount()
    found = {name: Session() for name in (BARE, LOG, RICH, AGENT)}
    with server() as url:
        report_starts(starts(url, amount))
        for _ in range(amount.sessions):
            bare_session(found[BARE], amount)
            for name in (LOG, RICH, AGENT):
                session(found[name], name, url, amount)
    report(
        f"{probe.RATE} tokens/s for {amount.seconds:g} s; {amount.tokens:,} and then {amount.most:,} tokens at once "
        f"(median of {amount.sessions})",
        HEADER,
        [one.row(name) for name, one in found.items()],
        goals(found),
    )


if __name__ == "__main__":
    main()
