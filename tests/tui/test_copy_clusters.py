"""What was made certain to be drawn is copied and found as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.pty_stage import ROOT, Pty
from tests.tui.test_copy_terminal import clips, drag, place, say

WORDS = "हिन्दी 👩\u200d💻 ⚠\ufe0f 🇩🇪 👍🏽 \u1112\u1161\u11ab ශ්\u200dරී"


@pytest.fixture
def pty(tmp_path: Path) -> Iterator[Pty]:
    env = {
        "OPS": str(tmp_path / "ops"),
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "TMUX": "",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "ESCDELAY": "60",
    }
    started = Pty(["-m", "tests.tui.screen_program"], env, (80, 24))
    started.until("Enter send")
    yield started
    started.close()


def test_whole_messages_are_copied_as_they_were_written(pty: Pty) -> None:
    say(pty, f"first {WORDS}", "You said: first")
    say(pty, "second", "You said: second")
    asked, end = place(pty, "❯ first"), place(pty, "You said: second")
    drag(pty, (asked[0] + 2, asked[1]), (20, end[1]), (end[0] + 15, end[1]))
    pty.type("\x03")
    pty.until("copied")
    (copied,) = clips(pty)
    assert copied.startswith(f"first {WORDS}\n\nYou said: first {WORDS}\n\n")
    assert copied.endswith("\n\nsecond\n\nYou said: second")


def test_two_clicks_take_a_word_with_marks_in_cells_of_their_own(pty: Pty) -> None:
    say(pty, f"first {WORDS}", "You said: first")
    x, y = place(pty, "You said: first")
    x += len("You said: first ")
    for _ in range(2):
        pty.type(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")
        pty.read(0.05)
    pty.type("\x03")
    pty.until("copied")
    assert clips(pty) == ["हिन्दी"]


def test_a_search_finds_it(pty: Pty) -> None:
    say(pty, f"first {WORDS}", "You said: first")
    pty.type("\x06")
    pty.until("Esc")
    pty.type("\x1b[200~हिन्दी\x1b[201~")
    pty.until("2 of 2")
