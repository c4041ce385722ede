"""CPU while nothing happens: no key, no turn, no overlay; beside the bare app with its cursor blink
off."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.common import (
    agent,
    bare,
    folder,
    judged,
    median,
    model,
    quick,
    report,
    running,
    server,
)


def main() -> None:
    seconds, runs = (1.0, 1) if quick() else (10.0, 3)
    used: dict[str, list[float]] = {
        "bare Textual app": [],
        "agent-tui": [],
        "agent-tui, after a turn": [],
    }
    with server() as url:
        for _ in range(runs):
            used["bare Textual app"].append(one(bare(), url, seconds))
            used["agent-tui"].append(one(agent("-m", "openai/bench"), url, seconds))
            used["agent-tui, after a turn"].append(
                one(agent("-m", "openai/bench"), url, seconds, turn=True)
            )
    floor = median(used["bare Textual app"])
    worst = max(median(used["agent-tui"]), median(used["agent-tui, after a turn"]))
    rows = [
        (name, f"{median(share):.3f} %", f"{median(share) / floor:.2f} x")
        for name, share in used.items()
    ]
    report(
        f"Idle for {seconds:g} s (median of {runs})",
        ("program", "of a core", "of the bare app"),
        rows,
        [judged("at most 1.5 x the bare app", worst <= 1.5 * floor)],
    )


def one(command: Sequence[str], url: str, seconds: float, turn: bool = False) -> float:
    """Percent of a core."""
    with folder() as home, running(command, home, **model(url)) as terminal:
        terminal.ready()
        terminal.quiet(0.5 if quick() else 4.0)
        if turn:
            terminal.mark()
            terminal.write("say hello\r")
            terminal.wait("hello")
            terminal.quiet(0.5 if quick() else 6.0)
        before = terminal.cpu()
        terminal.pump(seconds)
        used = terminal.cpu() - before
        terminal.key("ж")  # it was idle, not gone
        return used / seconds * 100


if __name__ == "__main__":
    main()
