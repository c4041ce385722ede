"""The queue in a real terminal: queue three, edit one, steer one, a kill, Esc, resume; and a
question on the side."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty

Start = Callable[..., Pty]
WAITS = {
    "call": "run_shell_command",
    "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"},
}
STEPS = [
    {
        "branches": [
            {"when": "on the side", "items": [{"text": "aside **answered**"}]},
            {"items": ["Off I go.", WAITS]},
        ]
    },
    [{"text": "seen and slow"}, {"hang": True}],
    [{"text": "first done"}],
    [{"text": "second done"}],
]
ALT_Q, DOWN, ESC = "\x1bq", "\x1b[B", "\x1b"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program on a script in its own folder."""
    running: list[Pty] = []
    work = tmp_path / "work"
    work.mkdir()
    (work / "s.json").write_text(json.dumps({"steps": STEPS}))

    def starter(*more: str, size: tuple[int, int] = (80, 24)) -> Pty:
        env = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "TMUX": "",
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
        }
        argv = [
            "-m",
            "agent_tui",
            "-m",
            "scripted/s.json",
            "--mode",
            "accept-all",
            "--cwd",
            str(work),
            *more,
        ]
        pty = Pty(argv, env, size)
        running.append(pty)
        pty.until("Enter")
        return pty

    yield starter
    for pty in running:
        pty.close()


def _send(pty: Pty, text: str, shown: str) -> None:
    pty.type(text)
    pty.until(text)
    pty.type("\r")
    pty.until(shown)


def _begun(tmp_path: Path) -> list[str]:
    [path] = (tmp_path / "sessions").glob("*-????????????.jsonl")
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    names = {"turn_started": "prompt", "steer_seen": "text"}
    return [record[names[record["type"]]] for record in records if record["type"] in names]


def _three_wait(pty: Pty) -> None:
    _send(pty, "begin", "Off I go.")
    for number, text in enumerate(("uno", "dos", "tres"), 1):
        _send(pty, text, f"queued ({number})")


def test_queue_three_edit_one_steer_one_escape_and_resume(start: Start, tmp_path: Path) -> None:
    pty = start()
    _three_wait(pty)
    pty.type(ALT_Q)
    pty.until("Queued prompts (3)")
    pty.type(DOWN)
    pty.until("❯ 2 dos")
    pty.type("e")
    pty.until("press Enter to edit")
    pty.type("\r")
    pty.until("being edited: dos")
    _send(pty, " y medio", "2 dos y medio")
    pty.until(lambda text: "being edited" not in text)
    pty.read(0.5)  # else it is one Enter, pressed twice
    pty.type("\r")
    pty.until("at the next step")
    (tmp_path / "work" / "go").touch()
    pty.until("seen and slow")
    pty.type(ESC)
    pty.until("queued (2) paused")
    pty.type("\r")
    pty.until("second done")
    assert _begun(tmp_path) == ["begin", "uno", "dos y medio", "tres"]
    assert "queued" not in pty.text


def test_a_kill_while_one_is_edited_keeps_all_of_them(start: Start, tmp_path: Path) -> None:
    pty = start()
    _three_wait(pty)
    pty.type("\x1b[A")
    pty.until("being edited: tres")
    pty.type(" mas")
    pty.until("tres mas")
    pty.signal(signal.SIGKILL)
    pty.wait()
    again = start("--continue")
    text = again.until("queued (3) paused")
    assert all(
        f"{number} {prompt}" in text for number, prompt in enumerate(("uno", "dos", "tres"), 1)
    )
    assert "Ask, or type" in text  # what was queued is not in the prompt as well
    again.type("\r")
    again.until("seen and slow")
    assert _begun(tmp_path) == ["begin", "uno"]


def test_what_one_is_edited_to_stands_once_after_a_kill(start: Start, tmp_path: Path) -> None:
    pty = start()
    _three_wait(pty)
    pty.type("mine")
    pty.until("❯ mine")
    pty.type(ALT_Q)
    pty.until("Queued prompts (3)")
    pty.type(DOWN)
    pty.until("❯ 2 dos")
    pty.type("\r")
    pty.until("being edited: dos")
    pty.type(" y medio")
    pty.until("dos y medio")
    [log] = (tmp_path / "sessions").glob("*-????????????.jsonl")
    deadline = time.monotonic() + 20.0
    while "dos y medio" not in log.read_text("utf-8"):
        assert time.monotonic() < deadline
        pty.read(0.05)
    pty.signal(signal.SIGKILL)
    pty.wait()
    again = start("--continue")
    text = again.until("being edited: dos")
    assert text.count("dos y medio") == 1 and "mine" not in text
    again.type("\r")
    text = again.until("2 dos y medio")
    assert "❯ mine" in text and "being edited" not in text and "queued (3) paused" in text


def test_the_list_works_at_forty_columns(start: Start) -> None:
    pty = start(size=(40, 24))
    _three_wait(pty)
    pty.type(ALT_Q)
    pty.until("next: uno")
    pty.type("d")
    pty.until("press Enter to remove")
    pty.type("\r")
    pty.until("Queued prompts (2)")
    pty.pause()  # else it is a word that begins
    pty.type("p")
    pty.until("press Enter to pause")
    pty.type("\r")
    pty.until("Queued prompts (2), paused")
    pty.type(ESC)
    pty.until(lambda text: "Queued prompts" not in text)


def test_a_question_on_the_side_is_answered_beside_the_turn(start: Start, tmp_path: Path) -> None:
    pty = start()
    _send(pty, "begin", "Off I go.")
    _send(pty, "/btw is it on?", "not in the context")
    assert "aside answered" in pty.text
    pty.type(ESC)
    pty.until(lambda text: "Side question" not in text)
    (tmp_path / "work" / "go").touch()
    pty.until("seen and slow")
    assert _begun(tmp_path) == ["begin"]
