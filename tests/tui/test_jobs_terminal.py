"""Jobs on a real terminal: the list lives while it is open, one is kept, and quitting asks."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.safety.test_processes import alive, gone
from tests.tui.pty_stage import ROOT, Pty

COUNTER = "sh count.sh & echo $! > pid"
COUNT = "i=0; while :; do i=$((i+1)); echo count $i; sleep 0.2; done"


@contextmanager
def opened(folder: Path) -> Iterator[Pty]:
    (folder / "s.json").write_text(json.dumps([[{"text": f"answer {n}"}] for n in range(9)]))
    (folder / "count.sh").write_text(COUNT)
    env = {
        "AGENT_TUI_HOME": str(folder / "home"),
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "TMUX": "",
        "STY": "",
    }
    words = ["-m", "scripted/s.json", "--cwd", str(folder)]
    found = Pty(["-m", "agent_tui", *words], env, (100, 30))
    try:
        found.until("Enter send")
        yield found
    finally:
        found.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """What a test that failed kept is ended."""
    yield tmp_path
    for file in tmp_path.glob("home/jobs/*.json"):
        pid = int(json.loads(file.read_text())["process"].split()[0])
        if alive(pid):
            os.kill(pid, signal.SIGUSR1)


def begin(pty: Pty) -> None:
    pty.type(f"!{COUNTER}\r")
    pty.until("1 running")


def newest(text: str) -> int:
    """The highest number that the list shows."""
    return max(map(int, re.findall(r"count (\d+)", text)), default=0)


def pid_of(folder: Path) -> int:
    return int((folder / "pid").read_text())


def test_the_list_lives_and_a_job_that_is_kept_goes_on_after_the_end(folder: Path) -> None:
    with opened(folder) as pty:
        begin(pty)
        pty.type("/jobs\r")
        pty.until("count ")
        first = newest(pty.text)
        pty.until(lambda text: newest(text) > first + 5)
        pty.type("\x1bOQ")
        pty.until("kept after quit")
        pty.type("\x1b")
        pty.until("Goes on when you quit")
        pty.pause()
        pty.type("\x04")
        assert pty.wait() == 0
        said = pty.raw.decode()[pty.raw.decode().rindex("?1049l") :]
        assert "Still running: sh count.sh" in said
    pid = pid_of(folder)
    assert alive(pid)
    with opened(folder) as pty:
        pty.until("Still running from before")
        pty.type("/jobs\r")
        pty.until("kept after quit")
        pty.until("count ")
        pty.pause()
        pty.pause()
        pty.type("\r")
        pty.until("Stopped by you")
        assert gone(pid)


def test_quitting_names_the_job_and_enter_ends_it(folder: Path) -> None:
    with opened(folder) as pty:
        begin(pty)
        pty.pause()
        pty.type("\x04")
        pty.until("1 background job ends with agent-tui")
        assert "sh count.sh" in pty.text
        pty.type("\x1b")
        pty.until(lambda text: "ends with agent-tui" not in text)
        pty.pause()
        pty.type("\x04")
        pty.until("1 background job ends with agent-tui")
        pty.pause()
        pty.type("\r")
        assert pty.wait() == 0
        said = pty.raw.decode()[pty.raw.decode().rindex("?1049l") :]
        assert "Ended in the background: sh count.sh" in said
    assert gone(pid_of(folder))
