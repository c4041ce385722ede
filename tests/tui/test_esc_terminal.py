"""Esc and words right behind it, with the time between the bytes that a person takes, on a terminal
with legacy keys."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tui.pty_stage import ROOT, Pty

RUNS = [{"text": "long " * 400, "rate": 20}]
ASKS = [{"call": "run_shell_command", "arguments": {"command": "touch ran"}}]
Start = Callable[[list[Any]], Pty]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    opened: list[Pty] = []

    def run(first: list[Any]) -> Pty:
        (tmp_path / "s.json").write_text(json.dumps([first, *[[{"text": "ok"}]] * 9]))
        env = {
            "AGENT_TUI_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "TMUX": "",
            "STY": "",
        }
        words = ["-m", "agent_tui", "-m", f"scripted/{tmp_path / 's.json'}"]
        opened.append(Pty([*words, "--cwd", str(tmp_path)], env))
        opened[-1].until("Enter send")
        opened[-1].type("go\r")
        return opened[-1]

    yield run
    for one in opened:
        one.close()


def press(pty: Pty, keys: str, gap: float) -> None:
    for key in keys:
        pty.type(key)
        end = time.monotonic() + gap
        while (left := end - time.monotonic()) > 0:
            pty.read(left)


@pytest.mark.parametrize("gap", [0.12, 0.2])
def test_words_right_behind_esc_stop_the_turn_and_are_whole(start: Start, gap: float) -> None:
    pty = start(RUNS)
    pty.until("long long")
    press(pty, "queued", 0.02)
    press(pty, "\r", 0.3)
    press(pty, "\x1b", gap)
    press(pty, "stop it now", 0.1)
    pty.until("interrupted")
    pty.until("stop it now")


def test_a_letter_right_behind_esc_allows_nothing(start: Start, tmp_path: Path) -> None:
    pty = start(ASKS)
    pty.until("Allow")
    pty.pause()
    press(pty, "\x1b", 0.12)
    press(pty, "y", 1.0)
    pty.until("interrupted")
    press(pty, "\r", 0.5)
    pty.until("ok")
    assert not (tmp_path / "ran").exists()


def test_escs_right_behind_the_one_that_stops_open_nothing_and_words_are_the_prompts(
    start: Start,
) -> None:
    pty = start(RUNS)
    pty.until("long long")
    press(pty, "\x1b\x1b\x1b", 0.3)
    press(pty, "words", 0.05)
    pty.until("❯ words")
    assert "interrupted" in pty.text and "Rewind" not in pty.text
