"""Taking back what was done to 200 files: the engine as the program runs it, with its log, blobs
and disk.

    python -m benchmarks.undo [--quick]

A turn changes files that were there, makes new ones in new folders, and a command changes others of
a repository. Timed from the Op to its answer: what would change (with its differences), taking it
back, and making it again.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.worker import Worker
from agent_tui.paths import Folders
from agent_tui.protocol.events import Answered, Event, FilesRestored, TurnEnded
from agent_tui.protocol.ops import FileChoice, Op, Query, RestoreFiles, Submit
from agent_tui.settings.table import Settings
from benchmarks.common import folder, judged, median, ms, quick, report

FILES = 12 if quick() else 200
ROUNDS = 1 if quick() else 5
LINES = 200
PATIENCE = 60.0


def content(number: int, word: str) -> str:
    return "".join(f"{word} {number} {line}\n" for line in range(LINES))


def prepared(work: Path) -> str:
    """A repository, and a script that changes `FILES` of its files; returns the model."""
    work.mkdir()
    third = FILES // 3
    for number in range(2 * third):
        (work / f"f{number}").write_text(content(number, "old"))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], cwd=work, check=True)
    changed = [
        {
            "call": "create_file",
            "arguments": {"path": f"f{n}", "content": content(n, "new"), "overwrite": True},
        }
        for n in range(third)
    ]
    made = [
        {
            "call": "create_file",
            "arguments": {"path": f"new/{n}/file", "content": content(n, "made")},
        }
        for n in range(FILES - 2 * third)
    ]
    names = " ".join(f"f{n}" for n in range(third, 2 * third))
    command = {
        "call": "run_shell_command",
        "arguments": {"command": f"for f in {names}; do echo more >> $f; done"},
    }
    (work / ".git" / "script.json").write_text(
        json.dumps({"steps": [[*changed, *made, command], [{"text": "done"}]]})
    )
    return "scripted/.git/script.json"


class Engine:
    def __init__(self, home: Path, work: Path, model: str, mode: str = "accept-all") -> None:
        config = EngineConfig(
            settings=Settings(model, mode),
            cwd=work,
            folders=Folders(home, home, home / "cache"),
            environment={"HOME": str(home), "PATH": os.environ["PATH"]},
            mode_given=True,
        )
        self.worker = Worker(config)
        self.worker.start(lambda: None)

    def until(self, kind: type[Event], of: str = "") -> Any:
        while True:
            event = self.worker.events.get(timeout=PATIENCE)
            if isinstance(event, kind) and (not of or getattr(event, "kind", "") == of):
                return event

    def timed(self, op: Op, of: str) -> float:
        began = time.perf_counter()
        self.worker.send(op)
        self.until(Answered, of)
        return time.perf_counter() - began


@contextmanager
def engine(home: Path, work: Path, model: str, mode: str = "accept-all") -> Iterator[Engine]:
    running = Engine(home, work, model, mode)
    try:
        yield running
    finally:
        running.worker.stop(10)


def main() -> None:
    with folder() as root:
        work = root.resolve() / "project"
        model = prepared(work)
        with engine(root / "home", work, model) as running:
            running.worker.send(Submit("change all of it"))
            running.until(TurnEnded)
            names = [f"f{n}" for n in range(2 * (FILES // 3))]
            choices: dict[str, FileChoice] = dict.fromkeys(
                names, "restore"
            )  # also what a command changed
            everything = RestoreFiles(choices=choices)
            times = [
                (
                    running.timed(Query("q", "undo"), "undo"),
                    running.timed(everything, "restored"),
                    running.timed(RestoreFiles(redo=True), "restored"),
                )
                for _ in range(ROUNDS)
            ]
            running.worker.send(everything)
            restored: FilesRestored = running.until(FilesRestored)
        done = sum(file.outcome == "done" for file in restored.files)
        assert done == FILES and not (work / "new").exists(), (
            f"{done} of {FILES} files were put back"
        )
    told, undone, redone = (median(column) for column in zip(*times, strict=True))
    slowest = max(undo for _, undo, _ in times)
    rows = [
        (f"what would change, {FILES} files, median", ms(told)),
        ("taking it back, median", ms(undone)),
        ("taking it back, slowest", ms(slowest)),
        ("making it again, median", ms(redone)),
    ]
    report("Undo", ("what", "time"), rows, [judged("undo of 200 files ≤ 1 s", undone <= 1.0)])


if __name__ == "__main__":
    main()
