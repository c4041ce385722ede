"""`/doctor` on the screen: what is wrong stands first, with what to do."""

from __future__ import annotations

from typing import Any

from agent_tui.protocol.ops import Query
from agent_tui.tui.core.effects import Copy
from tests.answers import answer_event
from tests.tui.lists import chosen, labels, text
from tests.tui.play import Play

FINE = {"area": "settings", "state": "ok", "said": "no problems with it", "fix": ""}
NOTE = {
    "area": "servers",
    "state": "note",
    "said": "not running",
    "fix": "start it with `ollama serve`",
}
WRONG = {"area": "permissions", "state": "bad", "said": "others have access", "fix": "chmod 600 it"}


def asked(checks: Any) -> Play:
    play = Play()
    play.type("/doctor")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "doctor")]
    assert "looking" in text(play)
    play.feed(answer_event(overlay.query, "doctor", {"checks": checks}, session=play.model.active))
    return play


def test_what_is_wrong_stands_first_with_what_to_do() -> None:
    play = asked([FINE, NOTE, WRONG])
    assert labels(play) == [
        "✗ permissions: others have access",
        "✓ no problems with it",
        "· not running",
    ]
    assert chosen(play).startswith("✗") and "1 problem to fix" in text(play)
    assert "To fix it: chmod 600 it" in text(play)
    assert "others have access" not in text(play), "its row says it"


def test_nothing_wrong_is_said() -> None:
    assert "no problems" in text(asked([FINE, NOTE]))


def test_enter_copies_all_and_f5_looks_again() -> None:
    play = asked([NOTE, WRONG])
    play.press("f5")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "doctor")]
    play.press("enter")
    said = "✗ others have access; chmod 600 it\n· not running; start it with `ollama serve`"
    assert play.takes(Copy) == [Copy(said)]


def test_all_is_copied_whatever_is_looked_for() -> None:
    play = asked([NOTE, WRONG])
    play.press(*"running")
    assert labels(play) == ["· not running"]
    play.press("enter")
    (copied,) = play.takes(Copy)
    assert "chmod 600 it" in copied.text and "ollama serve" in copied.text
