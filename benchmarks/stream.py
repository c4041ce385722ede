"""An answer at 100 tokens a second from a real server, in a real pty, with keys typed meanwhile; CPU and key echo.

The long answer runs at that rate at its start and at its end, and faster between: the two windows are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.common import (
    LETTERS,
    Goal,
    Pty,
    agent,
    bare,
    folder,
    model,
    ms,
    percentile,
    quick,
    report,
    running,
    server,
)

RATE = 100


@dataclass(slots=True)
class Window:
    """What a stretch of time cost."""

    seconds: float = 0.0
    cpu: float = 0.0
    echoes: list[float] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Percent of a core."""
        return self.cpu / self.seconds * 100

    def row(self, name: str) -> tuple[str, str, str, str]:
        echo = self.echoes
        return name, f"{self.share:.1f} %", ms(percentile(echo, 0.5)), ms(percentile(echo, 0.95))


def window(terminal: Pty, seconds: float) -> Window:
    """Type four keys a second for `seconds`."""
    measured = Window()
    begin, cpu = terminal.now(), terminal.cpu()
    while terminal.now() - begin < seconds:
        letter = LETTERS[len(measured.echoes) % len(LETTERS)]
        measured.echoes.append(terminal.key(letter))
        terminal.pump(0.25 - measured.echoes[-1] % 0.25)
    measured.seconds, measured.cpu = terminal.now() - begin, terminal.cpu() - cpu
    return measured


def floor(seconds: float) -> Window:
    with folder() as home, running(bare("--append", str(RATE)), home) as terminal:
        terminal.ready()
        terminal.pump(1.0)
        return window(terminal, seconds)


def streamed(url: str, seconds: float, total: int, fast: int) -> tuple[Window, Window]:
    """The windows at the start and at the end of one answer of `total` tokens."""
    slow = int((seconds + 3) * RATE)
    with folder() as home, running(agent("-m", "openai/bench"), home, **model(url)) as terminal:
        terminal.ready()
        terminal.quiet(0.5, 5.0)
        terminal.mark()
        terminal.write(f"stream {slow}@{RATE} {total - 2 * slow}@{fast} {slow}@{RATE}\r")
        terminal.wait("parser")
        terminal.pump(1.0)
        first = window(terminal, seconds)
        terminal.wait("PART2", 30 + total / fast * 2)
        terminal.pump(1.0)
        last = window(terminal, seconds)
    return first, last


def main() -> None:
    seconds, total = (2.0, 3_000) if quick() else (20.0, 20_000)
    bottom = floor(seconds)
    with server() as url:
        first, last = streamed(url, seconds, total, fast=2_000 if quick() else 1_000)
    growth = last.share / first.share
    report(
        f"{RATE} tokens/s with keys typed, windows of {seconds:g} s in an answer of {total:,} tokens",
        ("program", "of a core", "key echo p50", "p95"),
        [
            bottom.row("bare Textual app, plain text"),
            first.row("agent-tui, start of the answer"),
            last.row("agent-tui, end of the answer"),
        ],
        [
            Goal("at most 15 % of a core", None if quick() else max(first.share, last.share) <= 15),
            Goal(f"the end costs what the start did (is {growth:.2f} x)", None if quick() else growth <= 1.25),
        ],
    )


if __name__ == "__main__":
    main()
