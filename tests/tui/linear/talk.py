"""Talks to the real `agent-tui chat`: through pipes, or on a terminal that can do nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agent.driving import Place
from tests.tui.pty_stage import Pty

PATIENCE = 20.0
LIST = {"call": "list_files", "arguments": {"path": "."}}
CREATE = {"call": "create_file", "arguments": {"path": "new.txt", "content": "one\ntwo\n"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


def environment(place: Place, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    base = {
        "AGENT_TUI_HOME": str(place.home),
        "HOME": str(place.root / "user"),
        "OLLAMA_HOST": "127.0.0.1:1",
    }
    return {**kept, **base, "TERM": "dumb", **more}


def command(place: Place, *arguments: str) -> list[str]:
    return ["-m", "agent_tui", "chat", "--cwd", str(place.cwd), *arguments]


def chat(place: Place, said: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """All of `said` comes at once, then the input ends."""
    return subprocess.run(
        [sys.executable, *command(place, *arguments)],
        env=environment(place, **more),
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
    )


def settled(text: str, place: Place) -> str:
    """`text` without what is another one each time: the session, its folder, times."""
    text = text.replace(str(place.cwd), "<cwd>").replace(str(place.cwd.resolve()), "<cwd>")
    text = re.sub(r"Session [0-9a-f]{8}", "Session <id>", text)
    text = re.sub(r"\b\d+(\.\d)? m?s\b", "<time>", text)
    return text.replace("thought for <time>.", "thought.")  # less than a millisecond is not said


class Terminal(Pty):
    """A dumb terminal: what came is what was said."""

    def __init__(self, place: Place, *arguments: str, **more: str) -> None:
        names = dict.fromkeys(("NO_COLOR", "COLORTERM"), "")
        super().__init__(
            command(place, *arguments), {**names, **environment(place, **more)}, (60, 24)
        )
        self.heard = 0

    def say(self, line: str) -> None:
        self.type(f"{line}\r")

    def hear(self, words: str) -> str:
        """Wait for `words`, in what was not heard yet; all up to them."""
        end = time.monotonic() + PATIENCE
        while (at := self.raw.find(words.encode(), self.heard)) < 0:
            assert time.monotonic() < end, (
                f"{words!r} did not come: {self.raw[self.heard :].decode()!r}"
            )
            self.read(0.1)
        before, self.heard = self.heard, at + len(words.encode())
        return self.raw[before : self.heard].decode()


@contextmanager
def terminal(place: Place, *arguments: str, **more: str) -> Iterator[Terminal]:
    opened = Terminal(place, *arguments, **more)
    try:
        yield opened
    finally:
        opened.close()


def steps(*said: Any) -> list[Any]:
    """Steps that each say one thing."""
    return [[{"text": text}] for text in said]
