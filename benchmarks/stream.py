"""An answer at 100 tokens a second from a real server, in a real pty, with keys typed meanwhile;
CPU and key echo.

The long answer runs at that rate at its start and at its end, and faster between: the two windows
are compared.
"""

from __future__ import annotations

from benchmarks.common import (
    agent,
    bare,
    folder,
    judged,
    model,
    ms,
    percentile,
    quick,
    report,
    running,
    server,
)
from benchmarks.probe import LEAD, RATE, Window, window


def row(name: str, measured: Window) -> tuple[str, str, str, str]:
    echoes = measured.echoes
    return (
        name,
        f"{measured.share:.1f} %",
        ms(percentile(echoes, 0.5)),
        ms(percentile(echoes, 0.95)),
    )


def floor(seconds: float) -> Window:
    with folder() as home, running(bare("--append", str(RATE)), home) as terminal:
        terminal.ready()
        terminal.pump(LEAD)
        return window(terminal, seconds)


def streamed(url: str, seconds: float, total: int, fast: int) -> tuple[Window, Window]:
    """The windows at the start and at the end of one answer of `total` tokens."""
    slow = int((seconds + 3 * LEAD) * RATE)
    with folder() as home, running(agent("-m", "openai/bench"), home, **model(url)) as terminal:
        terminal.ready()
        terminal.quiet(0.5, 5.0)
        terminal.mark()
        terminal.write(f"stream {slow}@{RATE} {total - 2 * slow}@{fast} {slow}@{RATE}\r")
        terminal.wait("parser")
        terminal.pump(LEAD)
        first = window(terminal, seconds)
        terminal.wait("PART2", 30 + total / fast * 2)
        terminal.pump(LEAD)
        last = window(terminal, seconds)
    return first, last


def main() -> None:
    seconds, total = (0.3, 1_000) if quick() else (20.0, 20_000)
    bottom = floor(seconds)
    with server() as url:
        first, last = streamed(url, seconds, total, fast=2_000 if quick() else 1_000)
    growth = last.share / first.share
    report(
        f"{RATE} tokens/s with keys typed, windows of {seconds:g} s in an answer of {total:,} tokens",
        ("program", "of a core", "key echo p50", "p95"),
        [
            row("bare Textual app, plain text", bottom),
            row("agent-tui, start of the answer", first),
            row("agent-tui, end of the answer", last),
        ],
        [
            judged("at most 12 % of a core", max(first.share, last.share) <= 12),
            judged(f"the end costs what the start did (is {growth:.2f} x)", growth <= 1.25),
        ],
    )


if __name__ == "__main__":
    main()
