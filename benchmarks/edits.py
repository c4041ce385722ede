"""Edits of a file of 10 MB: the engine as the program runs it, with its log, blobs and disk.

    python -m benchmarks.edits [--quick]

Timed as the engine says it of each call, from its start to its result: an exact edit, one that
overlooks blanks, one of two places far apart, a patch, and a miss. The floor, in turns with them: to
read the file, replace the text, and write it to a new file that is synced and renamed; "kept" is the
same with a synced copy of the old content, which undo needs. Beside it, how long the engine's loop
was held at most: nothing of this may run there.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import ToolEnded, TurnEnded
from agent_tui.protocol.ops import Submit
from benchmarks.common import folder, judged, median, ms, quick, report
from benchmarks.undo import PATIENCE, engine

LINES = 2_000 if quick() else 270_000
ROUNDS = 2 if quick() else 9
NAMES = ("exact", "blanks overlooked", "two places", "patch", "miss")


def calls(turn: int) -> list[list[dict[str, Any]]]:
    """One call of each kind, each in a step of its own."""
    at = LINES // 2 + 20 * turn
    patch = (
        f"*** Begin Patch\n*** Update File: big.txt\n@@\n-{line(at + 4)}\n+patched\n*** End Patch"
    )
    edits = [{"old": line(number), "new": f"edited {number}"} for number in (turn, at + 2)]
    arguments = (
        {"old": line(at), "new": "exact"},
        {"old": f"{line(at + 6)}  \n{line(at + 7)}\n", "new": "blanks\n"},
        {"edits": edits},
        None,
        {"old": f"{line(at + 8)}\nand nothing like it", "new": "x"},
    )
    return [
        [{"call": "apply_patch", "arguments": {"patch": patch}}]
        if more is None
        else [{"call": "edit_file", "arguments": {"path": "big.txt", **more}}]
        for more in arguments
    ]


def line(number: int) -> str:
    return f"line {number:>8} of a file that is long"


def by_hand(path: Path, number: int, keeps: bool) -> float:
    """Seconds of an edit without anything around it."""
    began = time.perf_counter()
    before = path.read_bytes()
    after = before.decode().replace(line(number), "exact").encode()
    if keeps:
        written(path.with_suffix(".kept"), before)
    written(path.with_suffix(".new"), after)
    path.with_suffix(".new").replace(path)
    return time.perf_counter() - began


def written(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


class Holds:
    """How long the loop of an engine was held, at most since it was last asked."""

    def __init__(self, worker: Worker) -> None:
        self._loop, self._most, self._ends = worker._loop, 0.0, False
        self._thread = Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        while not self._ends and self._loop is not None:
            answered, began = Event(), time.perf_counter()
            self._loop.call_soon_threadsafe(answered.set)
            answered.wait()
            self._most = max(self._most, time.perf_counter() - began)
            time.sleep(0.002)

    def end(self) -> float:
        self._ends = True
        self._thread.join()
        return self._most


def main() -> None:
    with folder() as root:
        work = root.resolve() / "project"
        work.mkdir()
        data = "".join(f"{line(number)}\n" for number in range(LINES)).encode()
        (work / "big.txt").write_bytes(data)
        ready = [[{"text": "ready"}]]
        steps = [step for turn in range(ROUNDS) for step in (*calls(turn), [{"text": "done"}])]
        (work / "script.json").write_text(json.dumps({"steps": [*ready, *steps]}))
        found: dict[str, list[float]] = {name: [] for name in (*NAMES, "floor", "floor, kept")}
        bare = root / "bare.txt"
        bare.write_bytes(data)
        with engine(root / "home", work, "scripted/script.json") as running:
            running.worker.send(Submit("begin"))  # what the first turn loads is loaded
            running.until(TurnEnded)
            holds = Holds(running.worker)
            for _ in range(ROUNDS):
                running.worker.send(Submit("edit"))
                ends: list[ToolEnded] = []
                event: object = None
                while not isinstance(event, TurnEnded):
                    event = running.worker.events.get(timeout=PATIENCE)
                    ends += [event] if isinstance(event, ToolEnded) else []
                tags = [end.tag for end in ends]
                assert tags == ["ok"] * 4 + ["no_match"], [end.content[:200] for end in ends]
                for name, end in zip(NAMES, ends, strict=True):
                    found[name].append(end.duration_ms / 1000)
                for name, keeps in (("floor", False), ("floor, kept", True)):
                    number = LINES // 2 + len(found[name])
                    found[name].append(by_hand(bare, number, keeps))
            held = holds.end()
    floor, edit = median(found["floor"]), median(found["exact"])
    rows = [
        (name, ms(median(times)), ms(min(times)), f"{median(times) / floor:.1f}")
        for name, times in found.items()
    ]
    rows.append(("the engine's loop was held", ms(held), "", ""))
    report(
        f"Edits of {len(data) / 1e6:.0f} MB",
        ("what", "median", "least", "× floor"),
        rows,
        [
            judged(f"an edit of 10 MB ≤ 100 ms (is {ms(edit)})", edit <= 0.1),
            judged(f"the loop is held ≤ 50 ms (is {ms(held)})", held <= 0.05),
        ],
    )


if __name__ == "__main__":
    main()
