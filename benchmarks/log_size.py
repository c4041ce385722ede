"""How many bytes a session keeps of the files that it writes: its log by kind of record, and the
blobs.

    python -m benchmarks.log_size [--quick]

The engine as the program runs it: files of 10 to 200 kB are created, each is changed at three
places, and some are written anew as a whole. The floor is what was written: the bytes of each file
after each call.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from agent_tui.protocol.events import ApprovalAsked, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Answer, Submit
from benchmarks.common import Goal, folder, judged, quick, report
from benchmarks.undo import PATIENCE, engine

FILES = 3 if quick() else 20
SIZES = (10_000, 30_000, 60_000, 100_000, 200_000)
"""Bytes of the files, in turns."""
PLACES = 3
GOAL = 2.0
SOURCE = Path(__file__).resolve().parent.parent / "agent_tui"

KINDS = ("assistant_message", "approval_asked", "tool_started", "file_changed", "tool_ended")
RUNS = (
    ("created and edited", "ce", "accept-all"),
    ("created and edited, each asked about", "ce", "ask"),
    ("created", "c", "ask"),
    ("created and written anew", "ca", "ask"),
    ("created and edited, in Cyrillic", "ce", "ask"),
)
CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопярстувшычз")
Call = dict[str, Any]


def source_texts() -> list[list[str]]:
    """Texts as people have them: this program's own files, in an order of its own each."""
    lines = [path.read_text().splitlines() for path in sorted(SOURCE.rglob("*.py"))]
    found = []
    for number in range(FILES):
        random.Random(number).shuffle(lines)
        wanted, text, size = SIZES[number % len(SIZES)], list[str](), 0
        for line in (line for file in lines for line in file):
            text.append(line)
            size += len(line.encode()) + 1
            if size >= wanted:
                break
        found.append(text)
    return found


def written(text: list[str]) -> str:
    return "\n".join(text) + "\n"


def create(number: int, text: list[str], anew: bool = False) -> Call:
    """`anew`: the lines change their order, too."""
    if anew:
        random.Random(number).shuffle(text)
    arguments = {"path": f"f{number}.py", "content": written(text), "overwrite": anew}
    return {"call": "create_file", "arguments": arguments}


def edit(number: int, text: list[str]) -> Call:
    """Changes `text`, too."""
    edits = []
    for place in range(PLACES):
        at = (place + 1) * len(text) // (PLACES + 1)
        old, new = "\n".join(text[at : at + 8]), f"changed {number} {place}\n{text[at]}"
        edits.append({"old": old, "new": new})
        text[at : at + 8] = [*new.split("\n"), *[f"kept {place} {row}" for row in range(6)]]
        edits[-1]["new"] = "\n".join(text[at : at + 8])
    return {"call": "edit_file", "arguments": {"path": f"f{number}.py", "edits": edits}}


def session(kinds: str, cyrillic: bool) -> tuple[list[Call], int]:
    """The calls, and how many bytes they write."""
    calls, size = list[Call](), 0
    for number, lines in enumerate(source_texts()):
        text = [line.translate(CYRILLIC) for line in lines] if cyrillic else lines
        for kind in kinds:
            done = edit(number, text) if kind == "e" else create(number, text, kind == "a")
            calls.append(done)
            size += len(written(text).encode())
    return calls, size


def measured(root: Path, name: str, kinds: str, mode: str) -> tuple[int, Counter[str], int]:
    """The bytes that were written, those of the log by kind of record, those of the blobs."""
    work, home = root / "project", root / "home"
    work.mkdir(parents=True)
    calls, size = session(kinds, "Cyrillic" in name)
    steps = [[call] for call in calls]
    (work / "script.json").write_text(json.dumps({"steps": [*steps, [{"text": "done"}]]}))
    with engine(home, work, "scripted/script.json", mode) as running:
        running.worker.send(Submit("write all of it"))
        event: object = None
        while not isinstance(event, TurnEnded):
            event = running.worker.events.get(timeout=PATIENCE)
            assert not isinstance(event, ToolEnded) or event.tag == "ok", event
            if isinstance(event, ApprovalAsked):
                running.worker.send(Answer(event.id, "once"))
    [log] = (home / "sessions").glob("*.jsonl")
    found: Counter[str] = Counter()
    for line in log.read_bytes().splitlines(keepends=True):
        found[json.loads(line)["type"]] += len(line)
    return size, found, sum(path.stat().st_size for path in (home / "blobs").glob("*"))


def main() -> None:
    goals, rows = list[Goal](), list[tuple[str, ...]]()
    for name, kinds, mode in RUNS:
        with folder() as root:
            size, log, blobs = measured(root, name, kinds, mode)
        total = log.total() + blobs
        rest = log.total() - sum(log[kind] for kind in KINDS)
        cells = [*(log[kind] for kind in KINDS), rest, blobs, total]
        rows.append((name, f"{size:,}", *(f"{cell:,}" for cell in cells), f"{total / size:.2f}"))
        words = f"{name}: log and blobs ≤ {GOAL} × the bytes written (is {total / size:.2f})"
        goals.append(judged(words, total <= GOAL * size))
    header = ("session", "written", *KINDS, "other records", "blobs", "all", "× written")
    report(f"The log of {FILES} files", header, rows, goals)


if __name__ == "__main__":
    main()
