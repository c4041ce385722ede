"""Commands of a program that is killed: real processes, `kill -9`, and nobody left who should have ended them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.safety.test_sandbox import alive, gone, number

ROOT = Path(__file__).parents[2]
HOLDER = """
import asyncio, os, sys
from pathlib import Path
from agent_tui.safety import sandbox
async def main():
    for command in sys.argv[1:]:
        run = sandbox.run(command, Path.cwd(), dict(os.environ), 0, lambda _: None, 1000)
        await asyncio.wait([asyncio.ensure_future(run)], timeout=float(os.environ.get("WAIT", "60")))
    print("done", flush=True)
    await asyncio.sleep(float(os.environ.get("WAIT", "60")))
    await sandbox.settle(3.0)
asyncio.run(main())
"""


@pytest.fixture
def clean(tmp_path: Path) -> Iterator[None]:
    """Nothing is left of a test that failed."""
    yield
    for file in tmp_path.glob("*.pid"):
        if alive(int(file.read_text())):
            os.kill(int(file.read_text()), signal.SIGKILL)


def holder(tmp_path: Path, *commands: str, wait: str = "60") -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "WAIT": wait}
    argv = [sys.executable, "-c", HOLDER, *commands]
    return subprocess.Popen(argv, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)


def watchers(parent: int) -> list[int]:
    """The shells that watch for this program."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                same = (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(parent)
                if same and b"ends what a killed" in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > a.pid; sleep 300",
        "echo $$ > a.pid; sleep 300 | cat",
        "(trap '' TERM HUP; echo $BASHPID > a.pid; while :; do sleep 1; done)",
        "setsid sh -c 'echo $$ > a.pid; exec sleep 300' & sleep 300",
        "(setsid sh -c 'echo $$ > a.pid; exec sleep 300' &) ; sleep 300",
    ],
)
@pytest.mark.usefixtures("clean")
def test_a_running_command_ends_when_the_program_is_killed(tmp_path: Path, command: str) -> None:
    program = holder(tmp_path, command)
    pid = number(tmp_path / "a.pid")
    program.kill()
    program.wait()
    assert gone(pid)


@pytest.mark.usefixtures("clean")
def test_what_a_command_left_in_the_background_ends_with_the_program_too(tmp_path: Path) -> None:
    program = holder(tmp_path, "sleep 300 & echo $! > a.pid")
    assert program.stdout is not None
    assert program.stdout.readline() == "done\n"
    pid = number(tmp_path / "a.pid")
    assert alive(pid)
    program.kill()
    program.wait()
    assert gone(pid)


@pytest.mark.usefixtures("clean")
def test_the_watcher_forgets_what_has_ended_and_goes_with_the_program(tmp_path: Path) -> None:
    program = holder(tmp_path, *["true"] * 30, "sh -c 'echo $$ > a.pid; sleep 300'")
    number(tmp_path / "a.pid")
    [watcher] = watchers(program.pid)
    program.kill()
    program.wait()
    assert gone(watcher)


@pytest.mark.usefixtures("clean")
def test_a_watcher_that_was_killed_is_replaced(tmp_path: Path) -> None:
    killing = "kill -9 $(pgrep -P $PPID -f 'ends what a killed'); sleep 0.1"
    program = holder(tmp_path, killing, "echo $$ > a.pid; sleep 300")
    pid = number(tmp_path / "a.pid")
    assert len(watchers(program.pid)) == 1
    program.kill()
    program.wait()
    assert gone(pid)


def test_an_end_in_order_leaves_no_watcher(tmp_path: Path) -> None:
    program = holder(tmp_path, "true", "sleep 300 & echo $! > a.pid", wait="1")
    assert program.wait(30) == 0
    assert gone(number(tmp_path / "a.pid"))
    assert watchers(program.pid) == []


def test_the_agents_command_ends_with_a_killed_program(tmp_path: Path) -> None:
    call = {"call": "run_shell_command", "arguments": {"command": "echo $$ > a.pid; sleep 300"}}
    (tmp_path / "script.json").write_text(json.dumps([[call]]))
    argv = [sys.executable, "-m", "agent_tui", "run", "-m", "scripted/script.json", "--mode", "accept-all", "go"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(tmp_path / "home")}
    program = subprocess.Popen(argv, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    pid = number(tmp_path / "a.pid")
    assert alive(pid)
    program.kill()
    program.wait()
    assert gone(pid)
