"""What tools take beside a model that answers at once: a step with one read, a step with ten reads
side by side, and a command that writes as fast as it can.

    python -m benchmarks.tool_steps [--quick]

Steps are timed in the engine as it runs, from one to the next: the model's answer, the call, its
record on disk. Floors: a step without a call (a turn), and the reading of the file by hand. `yes`
runs in the whole program, in a pty, with keys typed all the while; its floor is a command that says
nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from agent_tui.protocol.events import Event, StepStarted, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Submit
from benchmarks.common import (
    LETTERS,
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
from benchmarks.undo import PATIENCE, Engine, engine

ROUNDS = 3 if quick() else 40
LINES = 300
SECONDS = 1 if quick() else 10
MANY = 10
END = "Endmark"


def reads(first: int, count: int) -> list[dict[str, object]]:
    """Each of another file: the same once more is answered in one line."""
    return [
        {"call": "read_file", "arguments": {"path": f"f{number}.py"}}
        for number in range(first, first + count)
    ]


def prepared(work: Path) -> str:
    """The files, and turns of two steps: one with reads, one without."""
    work.mkdir()
    steps, number = [[{"text": "ready"}]], 0
    for count in (1, MANY) * ROUNDS:
        steps += [reads(number, count), [{"text": "done"}]]  # type: ignore[list-item]
        number += count
    for one in range(number):
        (work / f"f{one}.py").write_text("".join(f"value_{n} = {n}\n" for n in range(LINES)))
    (work / "script.json").write_text(json.dumps({"steps": steps}))
    return "scripted/script.json"


def events(running: Engine) -> Iterator[Event]:
    """Those of a turn."""
    running.worker.send(Submit("go"))
    event: object = None
    while not isinstance(event, TurnEnded):
        event = running.worker.events.get(timeout=PATIENCE)
        if isinstance(event, Event):
            yield event


def measure_steps() -> dict[str, list[float]]:
    """Seconds from the beginning of a step to that of the next, by what was in it."""
    found: dict[str, list[float]] = {"one read": [], "ten reads": [], "no call": [], "by hand": []}
    with folder() as root:
        work = root.resolve() / "project"
        model = prepared(work)
        with engine(root / "home", work, model) as running_engine:
            list(events(running_engine))  # what the first turn loads is loaded
            for name in ("one read", "ten reads") * ROUNDS:
                turn = list(events(running_engine))
                assert all(event.tag == "ok" for event in turn if isinstance(event, ToolEnded))
                first, second = (event.at for event in turn if isinstance(event, StepStarted))
                found[name].append(second - first)
                found["no call"].append(turn[-1].at - second)
                began = time.perf_counter()
                (work / "f0.py").read_bytes().decode().split("\n")
                found["by hand"].append(time.perf_counter() - began)
    return found


def measure_command(command: str) -> tuple[list[float], float]:
    """The times from keys to their echoes while `command` runs, and by how many MB the program grew."""
    echoes: list[float] = []
    with folder() as home:
        call = {"call": "run_shell_command", "arguments": {"command": command, "timeout": SECONDS}}
        (home / "work" / "case.json").write_text(json.dumps({"steps": [[call], [{"text": END}]]}))
        with running(agent("-m", "scripted/case.json", "--mode", "accept-all"), home) as terminal:
            terminal.ready()
            terminal.quiet(2.5, 5.0)
            before = most = terminal.memory()
            terminal.write("go\r")
            terminal.pump(0.3)
            until = terminal.now() + 4 * SECONDS + 10
            while END.encode() not in terminal.seen and terminal.now() < until:
                echoes.append(terminal.key(LETTERS[len(echoes) % len(LETTERS)], PATIENCE))
                most = max(most, terminal.memory())
                terminal.pump(0.03)
    return echoes, most - before


def main() -> None:
    steps = measure_steps()
    loud, grown = measure_command("yes")
    silent, silent_grown = measure_command(f"sleep {SECONDS}")
    one, ten = median(steps["one read"]), median(steps["ten reads"])
    echo = percentile(loud, 0.95)
    rows = [
        ("a step with one read (p50 / p95)", pair(steps["one read"], 0.95)),
        ("a step with ten reads", pair(steps["ten reads"], 0.95)),
        ("floor: a step without a call, the turn's last", pair(steps["no call"], 0.95)),
        ("floor: the file read by hand", pair(steps["by hand"], 0.95)),
        (f"key to echo while `yes` runs for {SECONDS} s", pair(loud, 0.95)),
        (f"floor: the same while `sleep {SECONDS}` runs", pair(silent, 0.95)),
        ("the program grows while `yes` runs", f"{grown:.1f} MB"),
        ("floor: the same while nothing is written", f"{silent_grown:.1f} MB"),
    ]
    goals = [
        judged(f"a step with a call ≤ 18 ms (is {ms(one)})", one <= 0.018),
        judged(f"ten reads ≤ 1.5 × one (are {ten / one:.2f})", ten <= 1.5 * one),
        judged(f"`yes`: key to echo p95 ≤ 50 ms (is {ms(echo)})", echo <= 0.05),
        judged(f"`yes`: ≤ 64 MB more (are {grown:.1f})", grown <= 64),
    ]
    report("Tools beside a model that answers at once", ("what", "takes"), rows, goals)


if __name__ == "__main__":
    main()
