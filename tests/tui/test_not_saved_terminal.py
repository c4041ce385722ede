"""A session that cannot be written, on a real terminal: the mark, the question at the end, and the
words after it."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.protocol.events import TurnStarted
from agent_tui.sessions.log.store import read
from tests.tui.pty_stage import ROOT, Pty


def argv(folder: Path) -> list[str]:
    return ["-m", "agent_tui", "-m", f"scripted/{folder / 's.json'}", "--cwd", str(folder)]


def env(folder: Path) -> dict[str, str]:
    return {
        "AGENT_TUI_HOME": str(folder / "home"),
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "TMUX": "",
        "STY": "",
    }


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[Pty]:
    (tmp_path / "s.json").write_text(json.dumps([[{"text": f"answer {n}"}] for n in range(9)]))
    found = Pty(argv(tmp_path), env(tmp_path), (100, 30))
    found.until("Enter send")
    found.type("first\r")
    found.until("answer 0")
    found.until("Enter send")
    yield found
    found.close()


def close_home(home: Path) -> None:
    """Nothing can be written there any more, whoever we are: a file stands where the folder was."""
    shutil.rmtree(home / "sessions")
    (home / "sessions").write_text("no folder")


def ask(pty: Pty, prompt: str, answer: str) -> None:
    pty.type(f"{prompt}\r")
    pty.until(answer)
    pty.until("Enter send")


def test_it_is_asked_what_to_do_and_nothing_is_said_to_be_kept(pty: Pty, tmp_path: Path) -> None:
    close_home(tmp_path / "home")
    ask(pty, "second", "answer 1")
    pty.until("not saved")
    pty.type("/quit\r")
    pty.until("Not all of this session is saved")
    pty.pause()
    pty.type("\r")
    pty.until("still not saved")
    pty.pause()
    pty.type("\x1b[B\x1b[B")
    pty.pause()
    pty.type("\r")
    pty.until("Leave and lose what is not saved?")
    pty.pause()
    pty.pause()
    pty.type("\r")
    assert pty.wait() == 5
    said = pty.raw.decode()[pty.raw.decode().rindex("?1049l") :]
    assert (
        "the session is not saved: " in said
        and "prompt" in said
        and "Not sent, but kept" not in said
    )
    assert pty.restored() == []


def test_it_is_written_elsewhere_and_comes_back_when_the_folder_does(
    pty: Pty, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    close_home(home)
    ask(pty, "second", "answer 1")
    pty.until("not saved")
    (home / "sessions").unlink()
    pty.until(lambda text: "not saved" not in text.split("\n")[0])
    sessions = home / "sessions"
    [log] = set(sessions.glob("*.jsonl")) - set(sessions.glob("*.msgs.jsonl"))
    assert [event.prompt for event in read(log)[0] if isinstance(event, TurnStarted)] == [
        "first",
        "second",
    ]
    close_home(home)
    ask(pty, "third", "answer 2")
    pty.until("not saved")
    pty.type("/quit\r")
    pty.until("Write it elsewhere")
    pty.type("\x1b[B\r")
    pty.until("Write the session to this file or folder")
    pty.type("mine.jsonl\r")
    assert pty.wait() == 0
    assert "agent-tui sessions import" in pty.raw.decode()
    events, problems = read(tmp_path / "mine.jsonl")
    assert problems == ()
    assert [event.prompt for event in events if isinstance(event, TurnStarted)] == [
        "first",
        "second",
        "third",
    ]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_draft_is_kept_by_whatever_ends_the_program(
    pty: Pty, tmp_path: Path, number: signal.Signals
) -> None:
    close_home(tmp_path / "home")
    ask(pty, "second", "answer 1")
    pty.until("not saved")
    pty.type("words not sent")
    pty.until("words not sent")
    pty.read(1.5)
    pty.signal(number)
    assert pty.wait() == 128 + number
    said = pty.raw.decode()[pty.raw.decode().rindex("?1049l") :]
    assert ("your draft is saved" in said) == (number == signal.SIGTERM)
    again = Pty(argv(tmp_path), env(tmp_path), (100, 30))
    try:
        again.until("words not sent")
    finally:
        again.close()


def test_a_draft_that_can_be_kept_nowhere_is_said(pty: Pty, tmp_path: Path) -> None:
    close_home(tmp_path / "home")
    ask(pty, "second", "answer 1")
    pty.until("not saved")
    shutil.rmtree(tmp_path / "home")
    (tmp_path / "home").write_text("no folder")
    pty.type("words not sent")
    pty.until("words not sent")
    pty.read(1.5)
    pty.signal(signal.SIGTERM)
    pty.wait()
    said = pty.raw.decode()[pty.raw.decode().rindex("?1049l") :]
    assert "These are your words:" in said and "words not sent" in said


def test_leaving_before_the_engine_is_up_loses_no_words_without_a_sign(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps([[{"text": "answer"}]]))
    (tmp_path / "home").write_text("no folder")
    pty = Pty(argv(tmp_path), env(tmp_path), (100, 30))
    try:
        pty.until("Shift+Tab")
        pty.type("precious words")
        pty.until("precious words")
        pty.type("\r")
        pty.read(0.1)
        pty.type("\x04")
        asked = "Not all of this session is saved"
        pty.until(lambda text: asked in text or pty.poll() is not None)
        if pty.poll() is None:
            return  # the engine was faster, and it is asked
        pty.read(0.2)
        said = pty.raw.decode()[pty.raw.decode().rindex("?1049l") :]
        assert pty.code == 5 and "not saved: " in said
        assert "precious words" in said or "the prompt is not on disk" in said
    finally:
        pty.close()
