"""kill -9 while an archive is written: it is there whole or not at all, and what was begun goes
with the next one."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.sessions.logs import turn, write

BUG = "import sys; from agent_tui.cli.bug import bug; print('begins', flush=True); sys.exit(bug(sys.argv[1:]))"


def started(log: Path, made: Path) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", BUG, str(log), "--output", str(made)]
    env = {**os.environ, "AGENT_TUI_HOME": str(log.parent), "HOME": str(log.parent)}
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout is not None
    assert child.stdout.readline() == "begins\n"
    return child


def entries(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as file:
        assert file.testzip() is None
        return set(file.namelist())


@pytest.mark.parametrize("seed", range(2))
def test_a_kill_leaves_a_whole_archive_or_none(tmp_path: Path, seed: int) -> None:
    chance, out = random.Random(seed), tmp_path / "out"
    out.mkdir()
    log = write(
        tmp_path,
        "one",
        *(event for n in range(1, 120) for event in turn(n, f"prompt {n}", "answer " * 500)),
    )
    content, wanted = log.read_bytes(), {"about.json", "one.jsonl"}
    for number in range(4):
        made = out / f"{number}.zip"
        with started(log, made) as child:
            time.sleep(chance.random() * 0.8)  # the moment of the kill: any will do
            child.kill()
        assert log.read_bytes() == content
        assert not made.exists() or entries(made) == wanted
    for part in out.glob(".*"):
        os.utime(part, (1, 1))
    (out / ".agent-tui-bug-mine").mkdir()  # no file: not ours
    with started(log, out / "last.zip") as child:
        assert child.wait(60) == 0
    assert entries(out / "last.zip") == wanted
    assert {path.name for path in out.iterdir() if path.suffix != ".zip"} == {".agent-tui-bug-mine"}
