"""From Esc to a settled turn: in a blocked stream, in an approval, and with a child that ignores
SIGTERM.

Measured twice: on the screen (the byte ESC in a real pty, until the end of the turn is drawn) and
in the engine (the Op, until `turn_ended` is on the queue).
"""

from __future__ import annotations

import json
import os
import queue
import time
from pathlib import Path

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.worker import Worker
from agent_tui.paths import Folders
from agent_tui.protocol.events import (
    ApprovalAsked,
    Event,
    Restored,
    TextDelta,
    ToolOutput,
    TurnEnded,
)
from agent_tui.protocol.ops import Cancel, Submit
from agent_tui.settings.table import Settings
from benchmarks.common import (
    PACE,
    agent,
    environment,
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

STUBBORN = "trap '' TERM; echo pid $$; while true; do sleep 1; done"


def call(command: str) -> str:
    return f"call run_shell_command {json.dumps({'command': command})}"


CASES: dict[str, tuple[str, str, str, type[Event]]] = {
    "blocked stream": ("auto", "hang", "begun", TextDelta),
    "approval": ("auto", call("env echo hello"), "once", ApprovalAsked),
    "child that ignores SIGTERM": ("accept-all", call(STUBBORN), "pid ", ToolOutput),
}
"""Mode, prompt, what the screen shows and what the engine says when it is time to cancel."""


def on_screen(
    url: str, mode: str, prompt: str, sign: str, runs: int
) -> tuple[list[float], list[float]]:
    """Seconds from Esc to the drawn end of the turn, and from a key after it to its echo."""
    ended, freed = [], []
    with (
        folder() as home,
        running(agent("-m", "openai/bench", "--mode", mode), home, **model(url)) as terminal,
    ):
        terminal.ready()
        terminal.quiet(0.5, 5.0)
        for _ in range(runs):
            terminal.mark()
            terminal.write(prompt)
            terminal.pump(0.3 * PACE)
            terminal.mark()
            terminal.write("\r")
            terminal.wait(sign)
            terminal.pump(0.7 * PACE)
            terminal.mark()
            begin = time.perf_counter()
            terminal.write("\x1b")
            ended.append(terminal.wait("interrupted") - begin)
            freed.append(terminal.key("ж"))
            terminal.pump(0.3 * PACE)
            terminal.write("\x15")
            terminal.pump(0.5 * PACE)
    return ended, freed


def in_engine(
    url: str, mode: str, prompt: str, sign: type[Event], runs: int
) -> tuple[list[float], list[float]]:
    """Seconds from the Op to the end of the turn, and until a stubborn child was gone."""
    ended, gone = [], []
    with folder() as home:
        home = Path(home)
        config = EngineConfig(
            settings=Settings(model="openai/bench", mode=mode),
            cwd=home / "work",
            folders=Folders(home, home, home),
            environment=environment(home, **model(url)),
            model_given=True,
            mode_given=True,
        )
        worker = Worker(config)
        worker.start(lambda: None)
        for _ in range(runs):
            worker.send(Submit(prompt))
            begun = until(worker, sign)
            time.sleep(0.05)
            begin = time.perf_counter()
            worker.send(Cancel())
            until(worker, TurnEnded)
            ended.append(time.perf_counter() - begin)
            if isinstance(begun, ToolOutput):
                gone.append(death(int(begun.text.split()[1]), begin))
        worker.stop(5.0)
    return ended, gone


def until(worker: Worker, kind: type[Event]) -> Event | Restored:
    """The next event of `kind`. Raises TimeoutError with what came instead."""
    seen: list[object] = []
    while True:
        try:
            event = worker.events.get(timeout=15)
        except queue.Empty:
            raise TimeoutError(f"no {kind.__name__} after {seen[-5:]}") from None
        seen.append(event)
        if isinstance(event, kind):
            return event


def death(pid: int, begin: float) -> float:
    """Seconds from `begin` until the process was gone; at most 10."""
    while Path(f"/proc/{pid}").exists() and time.perf_counter() - begin < 10:
        time.sleep(0.01)
    return time.perf_counter() - begin


def main() -> None:
    os.environ.pop("OPENAI_BASE_URL", None)
    runs = 1 if quick() else 20
    rows, worst, last_gone = [], 0.0, 0.0
    with server() as url:
        for name, (mode, prompt, words, event) in CASES.items():
            engine, gone = in_engine(url, mode, prompt, event, runs)
            screen, free = on_screen(url, mode, prompt, words, runs)
            worst = max(worst, percentile(engine, 0.95), percentile(screen, 0.95))
            last_gone = max([last_gone, *gone])
            rows.append(
                (
                    name,
                    f"{ms(median(engine))} / {ms(percentile(engine, 0.95))}",
                    f"{ms(median(screen))} / {ms(percentile(screen, 0.95))}",
                    ms(percentile(free, 0.95)),
                    f"{max(gone):.2f} s" if gone else "",
                )
            )
    report(
        f"Cancel ({runs} runs each; p50 / p95)",
        (
            "while in",
            "engine: Op to turn_ended",
            "screen: Esc to the drawn end",
            "next key (p95)",
            "child gone (max)",
        ),
        rows,
        [
            judged(f"p95 under 100 ms (worst is {ms(worst)})", worst < 0.1),
            judged(f"the child is gone about 2 s after (is {last_gone:.2f} s)", last_gone < 2.5),
        ],
    )


if __name__ == "__main__":
    main()
