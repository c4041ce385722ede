"""Pastes in a real terminal: words typed around them stay in sight, also queued, steered, resumed."""

from __future__ import annotations

import json
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
STEPS = [["Off I go.", WAITS], [{"text": "seen that"}], [{"text": "all done"}]]
ROWS = {
    name: [f"{name} row {number}" for number in range(80)] for name in ("ash", "elm", "fir", "oak")
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the program on a script in its own folder."""
    running: list[Pty] = []
    work = tmp_path / "work"
    work.mkdir()
    (work / "s.json").write_text(json.dumps({"steps": STEPS}))

    def starter(*more: str, size: tuple[int, int] = (80, 40)) -> Pty:
        env = {
            "AGENT_TUI_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "TMUX": "",
            "TERM": "xterm-256color",
            "ESCDELAY": "60",
        }
        runs = ["-m", "scripted/s.json", "--mode", "accept-all", "--cwd", str(work), *more]
        pty = Pty(["-m", "agent_tui", *runs], env, size)
        running.append(pty)
        pty.until("Enter")
        return pty

    yield starter
    for pty in running:
        pty.close()


def _write(pty: Pty, shown: str, *said: str) -> None:
    """Type words, and paste the rows that a word is the name of, until the prompt shows it; Enter
    comes as a person would press it: a line end right behind a paste sends nothing."""
    for words in said:
        pty.type("\x1b[200~" + "\r".join(ROWS[words]) + "\x1b[201~" if words in ROWS else words)
    _until(pty, shown)
    time.sleep(0.2)


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def _until(pty: Pty, *said: str) -> None:
    """Wait for a screen with all of `said`, and nothing of what was pasted."""
    pty.until(lambda text: all(one in _plain(text) for one in said) and " row " not in text)


SENT = "alpha [Pasted text #1 · 80 lines]beta [Pasted text #2 · 80 lines]gamma"
STEERED = "delta [Pasted text #3 · 80 lines]epsilon"
QUEUED = "zeta [Pasted text #4 · 80 lines]eta"
ALL = f"❯ {SENT}", f"↳ {STEERED}", f"❯ {QUEUED}", "all done"
STEER, OPEN, QUIT = "\x1bs", "\x0f", "\x04"


def test_own_words_and_labels_stay_in_sight_sent_queued_steered_and_resumed(
    start: Start, tmp_path: Path
) -> None:
    pty = start()
    _write(pty, SENT, "alpha ", "ash", "beta ", "elm", "gamma")
    pty.type("\r")
    _until(pty, f"❯ {SENT}", "Off I go.")
    _write(pty, STEERED, "delta ", "fir", "epsilon")
    pty.type(STEER)
    _until(pty, f"↳ {STEERED}", "at the next step")
    _write(pty, QUEUED, "zeta ", "oak", "eta")
    pty.type("\r")
    _until(pty, f"1 {QUEUED}")
    (tmp_path / "work" / "go").touch()
    _until(pty, *ALL)
    pty.type(OPEN)  # everything opens, and the end stays in view
    pty.until(lambda text: all(one in text for one in ("oak row 78", "oak row 79eta", "all done")))
    pty.type(OPEN)
    _until(pty, *ALL)
    pty.type(QUIT)
    pty.wait()
    again = start("-c")
    _until(again, *ALL)


def test_a_click_on_a_label_opens_its_prompt(start: Start) -> None:
    pty = start(size=(60, 30))
    said = "alpha [Pasted text #1 · 80 lines]beta"
    _write(pty, said, "alpha ", "ash", "beta")
    pty.type("\r")
    _until(pty, f"❯ {said}", "Off I go.")
    lines = pty.text.split("\n")
    row = next(number for number, line in enumerate(lines, 1) if "❯ alpha" in line)
    pty.type(f"\x1b[<0;15;{row}M\x1b[<0;15;{row}m")
    pty.until(lambda text: "ash row" in text)
