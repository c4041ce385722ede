"""`/doctor` on the screen: what is wrong stands first, with what to do."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Query
from agent_tui.tui.effects import Copy
from tests.tui.lists import chosen, labels, sheet, text
from tests.tui.play import Play

FINE = {"area": "settings", "state": "ok", "said": "nothing is wrong with it", "fix": ""}
NOTE = {"area": "servers", "state": "note", "said": "not running", "fix": "start it with `ollama serve`"}
WRONG = {"area": "permissions", "state": "bad", "said": "others have access", "fix": "chmod 600 it"}


def asked(checks: Any) -> Play:
    play = Play()
    play.type("/doctor")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "doctor")]
    assert "looking" in text(play)
    play.feed(Answered(id=overlay.query, kind="doctor", data={"checks": checks}, session=play.model.active))
    return play


def test_what_is_wrong_stands_first_with_what_to_do() -> None:
    play = asked([FINE, NOTE, WRONG])
    assert labels(play) == ["✗ permissions: others have access", "✓ nothing is wrong with it", "· not running"]
    assert chosen(play).startswith("✗") and "1 thing to mend" in text(play)
    assert "To mend it: chmod 600 it (others have access)" in text(play)


def test_nothing_wrong_is_said() -> None:
    assert "nothing is wrong" in text(asked([FINE, NOTE]))


def test_enter_copies_all_and_f5_looks_again() -> None:
    play = asked([NOTE, WRONG])
    play.press("f5")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "doctor")]
    play.press("enter")
    said = "✗ To mend it: chmod 600 it (others have access)\n· not running; start it with `ollama serve`"
    assert play.takes(Copy) == [Copy(said)]


@pytest.mark.parametrize("checks", [None, "x", [3], [{}]])
def test_checks_of_another_shape_break_nothing(checks: Any) -> None:
    assert sheet(asked(checks)).title == "Doctor"
