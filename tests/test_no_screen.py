"""A terminal that says it can do nothing: no full screen, and a line that says what to use instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.boot import terminal
from tests.sessions.logs import turn, write
from tests.tui.pty_stage import ROOT, Pty


def environment(home: Path, term: str) -> dict[str, str]:
    own = {
        "AGENT_TUI_HOME": str(home),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "TERM": term,
    }
    return {**os.environ, **own}


@pytest.mark.parametrize("term", ["dumb", "unknown"])
@pytest.mark.parametrize("words", [[], ["hello"], ["--demo"]])
def test_a_dumb_terminal_is_told_of_chat_and_nothing_is_drawn(
    tmp_path: Path, term: str, words: list[str]
) -> None:
    pty = Pty(["-m", "agent_tui", *words], environment(tmp_path, term))
    assert pty.wait() == 2
    assert (
        pty.raw.decode()
        == f"agent-tui: TERM={term} cannot draw a full screen; `agent-tui chat` needs none\r\n"
    )
    assert pty.restored() == []
    pty.close()


def test_what_is_wrong_with_the_words_is_said_first(tmp_path: Path) -> None:
    pty = Pty(["-m", "agent_tui", "--nonsense"], environment(tmp_path, "dumb"))
    assert pty.wait() == 2
    assert "--nonsense" in pty.raw.decode() and "TERM" not in pty.raw.decode()
    pty.close()


def test_a_dumb_terminal_talks_line_by_line(tmp_path: Path) -> None:
    pty = Pty(["-m", "agent_tui", "chat", "--demo"], environment(tmp_path, "dumb"))
    pty.until("demo")
    pty.type("/quit\n")
    assert pty.wait() == 0
    pty.close()


def test_a_replay_names_what_needs_no_screen(tmp_path: Path) -> None:
    log = write(tmp_path / "made", "one", *turn(1, "hello"))
    pty = Pty(["-m", "agent_tui", "replay", str(log)], environment(tmp_path, "dumb"))
    assert pty.wait() == 2
    said = "agent-tui replay: TERM=dumb cannot draw a full screen; --frames DIR and --verify work without one\r\n"
    assert pty.raw.decode() == said
    pty.close()


def test_the_terminal_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(terminal, "take_terminal", lambda: pytest.fail("it was taken"))
    assert terminal.prepare([]) is None
