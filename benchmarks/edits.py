"""Edits of a file of 10 MB: the engine as the program runs it, with its log, blobs and disk.

    python -m benchmarks.edits [--quick]

Timed as the engine says it of each call, from its start to its result: an exact edit, one that
overlooks blanks, one of two places far apart, a patch, and a miss; beside writing and syncing the
same bytes twice, which is what keeping the old content and replacing it take.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

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


def written_twice(path: Path, data: bytes) -> float:
    began = time.perf_counter()
    for _ in range(2):
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    return time.perf_counter() - began


def main() -> None:
    with folder() as root:
        work = root.resolve() / "project"
        work.mkdir()
        data = "".join(f"{line(number)}\n" for number in range(LINES)).encode()
        (work / "big.txt").write_bytes(data)
        steps = [step for turn in range(ROUNDS) for step in (*calls(turn), [{"text": "done"}])]
        (work / "script.json").write_text(json.dumps({"steps": steps}))
        found: dict[str, list[float]] = {name: [] for name in NAMES}
        with engine(root / "home", work, "scripted/script.json") as running:
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
        bare = median([written_twice(work / "bare.txt", data) for _ in range(ROUNDS)])
    rows = [(f"{name}, median", ms(median(times))) for name, times in found.items()]
    rows.append((f"writing {len(data) / 1e6:.0f} MB twice, synced", ms(bare)))
    edit = median(found["exact"])
    report("Edits", ("what", "time"), rows, [judged("an edit of 10 MB ≤ 100 ms", edit <= 0.1)])


if __name__ == "__main__":
    main()
