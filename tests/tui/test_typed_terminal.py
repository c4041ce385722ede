"""What is typed on a real terminal is what is sent: every script's letters, and nothing of a key
that means nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

WORDS = [
    "می\u200cخواهم",
    "क्\u200dष",
    "👨\u200d👩\u200d👧",
    "🏳️\u200d🌈",
    "全\u3000角",
    "a\u00a0b\u00adc\u2060d",
]
LATE = 0.2
"""Seconds: a little less than the rest of a key is waited for."""


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[Pty]:
    (tmp_path / "s.json").write_text(json.dumps([[{"text": "ok"}]] * 20))
    env = {
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "TMUX": "",
        "STY": "",
    }
    found = Pty(
        ["-m", "agent_tui", "-m", f"scripted/{tmp_path / 's.json'}", "--cwd", str(tmp_path)], env
    )
    found.until("Enter send")
    yield found
    found.close()


def prompts(home: Path) -> list[str]:
    logs = [
        log for log in (home / "sessions").glob("*.jsonl") if not log.name.endswith(".msgs.jsonl")
    ]
    lines = [json.loads(line) for log in logs for line in log.read_text("utf-8").splitlines()]
    return [line["prompt"] for line in lines if line["type"] == "turn_started"]


def sent(pty: Pty, home: Path) -> str:
    """The prompt that Enter sends."""
    before = len(prompts(home))
    pty.read(0.3)
    pty.type("\r")
    for _ in range(200):
        if len(found := prompts(home)) > before:
            return found[-1]
        pty.read(0.05)
    raise AssertionError(f"nothing was sent\n{pty.text}")


def in_time(pty: Pty, reads: tuple[str, ...]) -> bool:
    """Type `reads`; whether none came so late that it is no part of what was before: on a machine
    with much to do."""
    late, last = False, time.monotonic()
    for read in reads:
        pty.type(read)
        pty.read(0.015)
        late, last = late or time.monotonic() - last > LATE, time.monotonic()
    return not late


def test_joiners_and_spaces_are_sent_as_they_were_typed(pty: Pty, tmp_path: Path) -> None:
    for words in WORDS:
        for letter in words:
            pty.type(letter)
            pty.read(0.02)
        assert sent(pty, tmp_path) == words


def test_a_letter_behind_the_beginning_of_an_answer_is_typed(pty: Pty, tmp_path: Path) -> None:
    for reads, words in (
        (("\x1b", "[", "?", "d"), "[?dog"),
        (("\x1b[?d",), "[?dog"),
        (("\x1b[?", "d"), "dog"),
    ):
        while not in_time(pty, (*reads, "o", "g")):
            for key in ("\x1b", "\x15"):  # whatever it was taken for: closed, and emptied
                pty.type(key)
                pty.read(0.5)
        assert sent(pty, tmp_path) == words, repr(reads)


def test_a_key_that_means_nothing_types_nothing(pty: Pty, tmp_path: Path) -> None:
    for key in (
        "\x1bP",
        "\x1bp",
        "\x1bX",
        "\x1bx",
        "\x1b_",
        "\x1bO",
        "\x1b[",
        "\x1bOZ",
        "\x1b[<",
        "\x1b]11;rgb:",
    ):
        pty.type(key)
        pty.read(1.3)  # whatever was waited for
        for letter in "dog":
            pty.type(letter)
            pty.read(0.02)
        assert sent(pty, tmp_path) == "dog", repr(key)
