"""Between the screen of a session and that of its replay nothing that is typed is shown, and none
of it is lost."""

from __future__ import annotations

import json
import os
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"
EDITOR = """\
import sys, termios
cooked = termios.ECHO | termios.ICANON
sys.stdout.write("ECHO" if termios.tcgetattr(0)[3] & cooked == cooked else "NO")
sys.stdout.write(" in the editor")
sys.stdout.flush()
open(sys.argv[1], "a").write("edited " + input())
"""


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[Pty]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "s.json").write_text(json.dumps({"steps": [[{"text": "An answer."}]]}))
    (tmp_path / "editor.py").write_text(EDITOR)
    env = {
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "VISUAL": f"{sys.executable} {tmp_path / 'editor.py'}",
    }
    started = Pty(
        ["-m", "agent_tui", "-m", "scripted/s.json", "--cwd", str(tmp_path / "work")], env, (80, 24)
    )
    started.until("Ask, or type")
    yield started
    started.close()


def left(pty: Pty, times: int) -> None:
    """Wait until a screen of the program has been left for the time that is `times`."""
    pty.until(lambda _: pty.raw.count(LEFT) == times)


def between(pty: Pty, number: int) -> bytes:
    """What the terminal got after a screen had been left for the `number`th time, until the next
    was entered."""
    return pty.raw.split(LEFT)[number].split(ENTERED)[0]


def echoes(pty: Pty) -> bool:
    return bool(termios.tcgetattr(pty.fd)[3] & termios.ECHO)


def test_keys_on_the_way_to_a_replay_and_back_are_kept_and_not_echoed(pty: Pty) -> None:
    pty.type("the prompt\r")
    pty.until("completed")
    pty.type("/replay\r")
    left(pty, 1)
    assert not echoes(pty)
    pty.type("+")
    pty.until("Replay paused 2×")
    pty.type("q")
    left(pty, 2)
    assert not echoes(pty)
    pty.type("ж")
    pty.until(lambda text: "❯ ж" in text and "Replay" not in text)
    assert b"+" not in between(pty, 1)
    assert "ж".encode() not in between(pty, 2)
    pty.type("\x15\x04")
    assert pty.wait() == 0
    assert pty.restored() == []


def test_an_editor_after_a_replay_finds_the_terminal_as_it_was(pty: Pty) -> None:
    pty.type("the prompt\r")
    pty.until("completed")
    pty.type("/replay\r")
    pty.until("Replay paused")
    pty.type("q")
    pty.until(lambda text: "Ask, or" in text and "Replay" not in text)
    pty.type("\x07")
    pty.until("ECHO in the editor")
    pty.type("line\r")
    pty.until("edited line")
    os.kill(pty.pid, 15)
    assert pty.wait() == 143
    assert pty.restored() == []
