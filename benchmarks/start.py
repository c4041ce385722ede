"""From the start of the process to the first key drawn in the prompt, beside the bare app, taking
turns."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.common import (
    agent,
    bare,
    folder,
    judged,
    median,
    model,
    ms,
    percentile,
    quick,
    report,
    running,
    server,
)


def main() -> None:
    runs = 1 if quick() else 15
    took: dict[str, list[float]] = {"bare Textual app": [], "agent-tui": []}
    with server() as url:
        for number in range(runs + 1):
            for name, command in (
                ("bare Textual app", bare()),
                ("agent-tui", agent("-m", "openai/bench")),
            ):
                seconds = one(command, url)
                if number:  # the first of each warms the caches of the disk
                    took[name].append(seconds)
    ratio = median(took["agent-tui"]) / median(took["bare Textual app"])
    rows = [
        (name, ms(min(seconds)), ms(median(seconds)), ms(percentile(seconds, 0.95)))
        for name, seconds in took.items()
    ]
    report(
        f"Start to first key echoed ({runs} runs each)",
        ("program", "min", "median", "p95"),
        rows,
        [judged(f"median at most 1.25 x the bare app (is {ratio:.2f} x)", ratio <= 1.25)],
    )


def one(command: Sequence[str], url: str) -> float:
    with folder() as home, running(command, home, **model(url)) as terminal:
        return terminal.ready()


if __name__ == "__main__":
    main()
