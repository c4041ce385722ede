"""A start that is forked finds what an executed one finds, and does what that does."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import starts
from tests.tui.pty_stage import Pty

FACTS = [sys.executable, "-m", "tests.start_facts"]
PATH = {"PATH": os.environ["PATH"], "PYTHONPATH": str(starts.ROOT)}
PROGRAM = [sys.executable, "-m", "agent_tui"]

Ways = Callable[[Callable[[], Any]], list[Any]]


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Ways:
    """What comes of starts that are executed, and of the same ones forked."""
    born: list[int] = []
    real = starts.fork

    def fork(*given: Any, **more: Any) -> int:
        born.append(real(*given, **more))
        return born[-1]

    monkeypatch.setattr(starts, "fork", fork)
    monkeypatch.setattr(starts, "PAYS", 1)

    def both(start: Callable[[], Any]) -> list[Any]:
        found = []
        for switch in (False, True):
            monkeypatch.setattr(starts, "switched_on", switch)
            born.clear()
            found.append(start())
            assert born and all(bool(pid) == switch for pid in born)
        return found

    return both


def said(*words: str, errors: bool = False, **how: Any) -> dict[str, Any]:
    how.setdefault("env", PATH)
    done = subprocess.run([*FACTS, *words], capture_output=True, text=True, **how)
    assert done.returncode == 7, done.stderr
    found = json.loads(done.stderr if errors else done.stdout)
    assert isinstance(found, dict)
    return found


SURROUNDINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cwd": {"cwd": "/"},
    "all": {"env": {**os.environ}},
    "session": {"start_new_session": True},
    "input": {"input": "x"},
    "null": {"stdin": subprocess.DEVNULL},
    "errors": {"errors": True},
    "odd": {"env": {**PATH, "ODD": "\udcff é", "TZ": "Asia/Tokyo", "LINES": "7"}},
    "C": {"env": {**PATH, "LANG": "C", "TERM": "dumb"}},
    "POSIX": {"env": {**PATH, "LC_ALL": "POSIX"}},
    "ascii": {"env": {**PATH, "PYTHONIOENCODING": "ascii:replace", "PYTHONUTF8": "0"}},
    "unbuffered": {"env": {**PATH, "PYTHONUNBUFFERED": "1"}},
    "warnings": {"env": {**PATH, "PYTHONWARNINGS": "error::ResourceWarning"}},
}


@pytest.mark.parametrize("how", SURROUNDINGS)
def test_it_finds_the_same(ways: Ways, how: str) -> None:
    words = ("--errors",) if how == "errors" else ("word", "é", "")
    executed, forked = ways(lambda: said(*words, **SURROUNDINGS[how]))
    assert forked == executed


def test_it_has_the_umask_of_who_starts_it(ways: Ways) -> None:
    before = os.umask(0o027)
    try:
        executed, forked = ways(said)
    finally:
        os.umask(before)
    assert forked == executed and forked["umask"] == 0o027


def test_on_a_terminal(ways: Ways) -> None:
    def shown() -> Any:
        pty = Pty(["-m", "tests.start_facts"], PATH, (200, 40), b"typed")
        try:
            assert pty.wait() == 7, pty.text
        finally:
            pty.close()
        return json.loads(pty.raw[pty.raw.index(b"{") :])

    executed, forked = ways(shown)
    assert forked == executed and all(forked["leads"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_its_end_is_told(ways: Ways, tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "s.json").write_text('[[{"hang": true}]]')

    def ended() -> tuple[int, bytes]:
        with subprocess.Popen(
            [*PROGRAM, "run", "-m", "scripted/s.json", "hi", "--output", "stream-json"],
            cwd=tmp_path,
            env=place(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            assert process.stdout is not None and process.poll() is None
            while b"turn_started" not in process.stdout.readline():
                assert process.poll() is None
            process.send_signal(number)
            return process.wait(20), process.pid == 0

    executed, forked = ways(ended)
    assert forked == executed


def place(tmp_path: Path) -> dict[str, str]:
    own = {"AGENT_TUI_HOME": str(tmp_path / "home"), "HOME": str(tmp_path / "user")}
    return {**PATH, **own, "OLLAMA_HOST": "127.0.0.1:1"}


COMMANDS = {
    "version": ["--version"],
    "run": ["run", "hi", "-m", "scripted/s.json"],
    "json": ["run", "hi", "-m", "scripted/s.json", "--output", "json"],
    "chat": ["chat", "-m", "scripted/s.json"],
    "config": ["config"],
    "tools": ["tools"],
    "policy": ["policy", "check", "rm -rf /"],
    "sessions": ["sessions"],
    "wrong": ["run", "--no-such-flag"],
    "no terminal": [],
}
TELLING = (
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|Session [0-9a-f]{8}|agent-[\d-]+\.log"
    r"|\d+(\.\d)? m?s\b|_ms\": \d+|\d{4}-\d\d-\d\d[T ][\d:.]+"
)
"""What is another one each time: ids, times."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_the_same(ways: Ways, tmp_path: Path, name: str) -> None:
    def done() -> tuple[Any, ...]:
        folder = tmp_path / str(time.monotonic_ns())
        folder.mkdir()
        (folder / "s.json").write_text(
            '[[{"call": "list_files", "arguments": {"path": "."}}], [{"text": "Hi"}]]'
        )
        ended = subprocess.run(
            [*PROGRAM, *COMMANDS[name]],
            cwd=folder,
            env=place(folder),
            input="hello\n",
            capture_output=True,
            text=True,
        )
        logs = "\n".join(sorted(log.read_text() for log in (folder / "home").rglob("*.jsonl")))
        kinds = re.findall(r'"type": ?"(\w+)"', logs)
        files = sorted(
            re.sub(TELLING, "", str(path.relative_to(folder))) for path in folder.rglob("*")
        )
        texts = [
            re.sub(TELLING, "", text).replace(folder.name, "")
            for text in (ended.stdout, ended.stderr)
        ]
        return ended.returncode, texts, kinds, files

    executed, forked = ways(done)
    assert forked == executed


def test_the_screen_is_the_same(ways: Ways, tmp_path: Path) -> None:
    def shown() -> tuple[Any, ...]:
        folder = tmp_path / f"{time.monotonic_ns():020}"
        folder.mkdir()
        pty = Pty(
            [*PROGRAM[1:], "--demo", "--cwd", str(tmp_path)],
            {**place(folder), "TERM": "xterm-256color"},
            (80, 24),
        )
        try:
            first = pty.until("Enter send")
            pty.type("hello")
            typed = pty.until("hello")
            pty.type("\x03\x04")
            return first, typed, pty.wait(), pty.restored()
        finally:
            pty.close()

    executed, forked = ways(shown)
    assert forked == executed
