"""A command that seems to wait for input: an unfinished line that asks, silence, and no work."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from agent_tui.safety.process import input_wait, processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.secrets.scrubber import Scrubber
from tests.safety.test_processes import PATIENCE


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_wait, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(input_wait, "CHECK_SECONDS", 0.1)


def questions(folder: Path, command: str, enough: int = 1) -> list[str]:
    """What was told of `command` while it ran: until so much was, or it ended."""
    told: list[str] = []

    async def scene() -> None:
        def tell(question: str) -> None:
            told.append(question)
            if len(told) == enough:
                task.cancel()

        captured = Captured(1000, folder / "out.txt", Scrubber((), formats=True).stream())
        run = processes.run(
            command,
            folder,
            dict(os.environ),
            PATIENCE,
            lambda _: None,
            captured,
            on_question=tell,
        )
        task = asyncio.ensure_future(run)
        await asyncio.wait([task])
        await processes.settle(20)

    asyncio.run(scene())
    return told


@pytest.mark.parametrize(
    "question", ["Continue? [y/N] ", "Password: ", "Overwrite it?", "mysql> ", "(y/n)"]
)
def test_a_question_without_an_end_of_its_line_is_told(tmp_path: Path, question: str) -> None:
    command = f"echo begun; printf '%s' '{question}'; sleep 300"
    assert questions(tmp_path, command) == [question.strip()]


def test_what_asks_over_a_terminal_of_its_own_is_told(tmp_path: Path) -> None:
    hold = "import os, pty, time\npid, fd = pty.fork()\n"
    hold += "if not pid: os.execvp('sh', ['sh', '-c', 'printf \"Name: \"; read name'])\n"
    hold += "os.write(1, os.read(fd, 99)); os.waitpid(pid, 0)\n"
    (tmp_path / "asks.py").write_text(hold)
    assert questions(tmp_path, "python3 asks.py") == ["Name:"]


@pytest.mark.parametrize(
    "command",
    [
        "echo 'Continue?'; sleep 1",
        "printf 'Downloading 45%%'; sleep 1",
        "printf 'Compiling: '; end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done",
        "for i in 1 2 3 4 5 6 7 8; do printf 'ok: '; sleep 0.1; done",
    ],
    ids=["a whole line", "no question", "it computes", "it goes on"],
)
def test_what_works_is_not_told(tmp_path: Path, command: str) -> None:
    assert questions(tmp_path, command) == []


def test_that_it_goes_on_is_told_too(tmp_path: Path) -> None:
    command = "printf 'Sure? '; while [ ! -e go ]; do sleep 0.5; done; echo yes"
    command = f"(sleep 1.5; touch go) & {command}"
    assert questions(tmp_path, command, 2)[-1:] == [""]


def test_nothing_ticks_for_a_command_that_is_silent_behind_a_whole_line() -> None:
    async def scene() -> int:
        looks = 0

        def begun() -> str:
            nonlocal looks
            looks += 1
            return ""

        wait = input_wait.InputWait(begun, lambda: 0, lambda _: None)
        wait.on_output()
        loop = asyncio.get_running_loop()
        end = time.monotonic() + PATIENCE
        while not looks and time.monotonic() < end:
            await asyncio.sleep(0.05)
        scheduled: list[object] = [one for one in loop._scheduled if not one.cancelled()]  # type: ignore[attr-defined]
        assert not [one for one in scheduled if "InputWait" in repr(one)]
        return looks

    assert asyncio.run(scene()) == 1
