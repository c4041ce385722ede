"""Temporary folders end with their program: at its end, or with the next run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_tui.temporary import FRESH_SECONDS, PREFIX

HOLDS = """
import sys, time
from agent_tui.temporary import PrivateFolder
with PrivateFolder(sys.argv[1]) as folder:
    (folder / "file").write_text("mine")
    print(folder, flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A run that has a folder in `place`."""
    argv = [sys.executable, "-c", HOLDS, str(place)]
    run = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None and run.stdin is not None
    with run:
        folder = Path(run.stdout.readline().strip())
        assert (folder / "file").read_text() == "mine" and folder.stat().st_mode & 0o777 == 0o700
        yield run, folder
        run.stdin.close()


def grow_old(folder: Path) -> None:
    long_ago = time.time() - 2 * FRESH_SECONDS
    os.utime(folder, (long_ago, long_ago))


def test_it_is_gone_with_its_run(tmp_path: Path) -> None:
    with holding(tmp_path):
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())


def test_what_a_killed_run_left_is_removed_by_the_next_and_nothing_else(tmp_path: Path) -> None:
    with holding(tmp_path) as (run, left):
        run.send_signal(signal.SIGKILL)
        run.wait()
    fresh, foreign, link = (tmp_path / f"{PREFIX}{name}" for name in ("fresh", "x", "link"))
    fresh.mkdir()
    foreign = tmp_path / "agent-tui-notes"
    foreign.mkdir()
    link.symlink_to(foreign)
    with holding(tmp_path) as (_, alive):
        for folder in (left, foreign, alive):
            grow_old(folder)
        with holding(tmp_path):
            assert alive.exists() and fresh.exists() and foreign.exists() and link.is_symlink()
            assert not left.exists()
