"""The whole program records, and another process plays that back: the same hashes, the same screen,
a fork of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.tmux_live import TmuxWindow

STEPS = [
    {"items": [{"text": "Forty-two words, more or less, of an answer."}]},
    {"items": [{"call": "run_shell_command", "arguments": {"command": "echo one; echo two"}}]},
    {"items": [{"text": "Both lines came."}]},
]


def opened(tmp_path: Path, *words: str) -> TmuxWindow:
    argv = [
        "-m",
        "agent_tui",
        "-m",
        "scripted/s.json",
        "--mode",
        "accept-all",
        "--cwd",
        str(tmp_path / "work"),
        *words,
    ]
    return TmuxWindow(argv, tmp_path, {}, (100, 30))


@pytest.fixture
def window(tmp_path: Path) -> Iterator[TmuxWindow]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "s.json").write_text(json.dumps({"steps": STEPS}))
    started = opened(tmp_path)
    yield started
    started.close()


def replay(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`agent-tui replay`, in a process of its own."""
    env = {**os.environ, "AGENT_TUI_HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "agent_tui", "replay", *words]
    return subprocess.run(
        argv, env=env, cwd=tmp_path / "work", capture_output=True, encoding="utf-8", check=False
    )


def framed(tmp_path: Path) -> str:
    """All frames of the session, as text."""
    assert replay(tmp_path, "--frames", str(tmp_path / "frames")).returncode == 0
    return "".join(path.read_text() for path in sorted((tmp_path / "frames").iterdir()))


def talk(window: TmuxWindow) -> None:
    window.until("Ask, or type")
    window.send("the first prompt", "more or less")
    window.until("completed")
    window.send("the second prompt", "Both lines came")
    window.until(lambda text: text.count("completed") == 2)


def test_another_process_comes_to_the_same_hashes_and_frames(
    window: TmuxWindow, tmp_path: Path
) -> None:
    talk(window)
    window.type("!!echo nobody knows")
    window.press("Enter")
    window.until("exit code 0")
    window.press("Escape")
    window.until(lambda text: "Esc close" not in text)
    window.type("a draft that stays")
    window.until(
        lambda _: "> a draft that stays" in framed(tmp_path)
    )  # it is recorded a second later

    told = replay(tmp_path, "--verify")
    assert (told.returncode, told.stderr) == (0, ""), told.stdout
    assert " 0 differences" in told.stdout and " 0 compared" not in told.stdout
    frames = framed(tmp_path)
    assert "Both lines came." in frames and "1 line, not recorded" in frames
    [tape] = (tmp_path / "sessions").glob("*.msgs.jsonl")
    assert "nobody knows" not in frames + tape.read_text()


def test_a_session_that_was_only_looked_at_once_more_is_the_same(
    window: TmuxWindow, tmp_path: Path
) -> None:
    window.until("Ask, or type")
    window.send("the first prompt", "more or less")
    window.until("completed")
    window.leave()
    before = replay(tmp_path, "--verify")
    assert (before.returncode, before.stderr) == (0, ""), before.stdout
    (tmp_path / "config.toml").write_text("nonsense = 1\n")
    again = opened(tmp_path, "-c")
    try:
        again.until("nonsense")  # so the engine has opened it, and told of records
        again.leave()
    finally:
        again.close()
    after = replay(tmp_path, "--verify")
    assert (after.returncode, after.stdout) == (0, before.stdout)


def test_the_running_session_is_looked_back_at_and_forked(
    window: TmuxWindow, tmp_path: Path
) -> None:
    talk(window)
    window.type("/replay")
    window.press("Enter")
    window.until("Replay paused")
    window.press("++0")  # in one read, as on a slow line
    window.until(lambda text: "Replay paused 4×  0:00 ●" in text)
    window.press("End")
    window.until(lambda text: "0:00 ●" not in text)
    window.press("i")
    window.until("The request: ")
    window.press("Escape")
    window.until(lambda text: "This moment" not in text)
    window.press("p")
    window.until(lambda text: "Both lines" not in text)
    window.press("Left", "f")
    window.until("forked: q opens it")
    window.press("q")
    window.until(
        lambda text: "more or less" in text and "Replay" not in text and "the second prompt" in text
    )
    assert len(list((tmp_path / "sessions").glob("*-????????????.jsonl"))) == 2


def test_what_cannot_be_played_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "sessions").mkdir()
    assert replay(tmp_path).stderr == "agent-tui replay: there is no session here yet\n"
    (tmp_path / "work" / "a.jsonl").touch()
    told = replay(tmp_path, "./a.jsonl")
    assert told.returncode == 1 and told.stderr.count("\n") == 1 and "it is empty" in told.stderr
