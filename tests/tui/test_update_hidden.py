"""`/hidden` on the screen: a value is shown to the model only after a second look."""

from __future__ import annotations

from agent_tui.protocol.ops import Query, ShowHidden
from tests.answers import answer_event
from tests.tui.lists import labels, text
from tests.tui.play import Play

KNOWN = {"placeholder": "[hidden:key:12ab]", "tool": "read_file"}
SHOWN = {"placeholder": "[hidden:key:34cd]", "shown": True}
GONE = {"placeholder": "[hidden:key:56ef]", "problem": "its value is not in memory (any more)"}


def asked(*values: dict[str, object]) -> Play:
    play = Play()
    play.type("/hidden")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "hidden")]
    session = play.model.active
    play.feed(answer_event(overlay.query, "hidden", {"values": list(values)}, session=session))
    return play


def test_they_are_listed_with_what_a_yes_means() -> None:
    play = asked(KNOWN, SHOWN, GONE)
    assert labels(play) == ["[hidden:key:12ab]", "[hidden:key:34cd]", "[hidden:key:56ef]"]
    assert "until the turn ends" in text(play) and "server" in text(play)


def test_the_second_enter_shows_it() -> None:
    play = asked(KNOWN)
    play.press("enter", after=4.0)
    assert play.take() == [] and play.model.overlay is not None
    play.press("enter", after=4.0)
    assert play.take() == [ShowHidden("[hidden:key:12ab]")]


def test_any_other_key_leaves_it() -> None:
    play = asked(KNOWN)
    play.press("enter", "escape")
    assert play.take() == []


def test_what_is_shown_or_gone_is_only_read() -> None:
    for value in (SHOWN, GONE):
        play = asked(value)
        play.press("enter")
        assert play.take() == [] and play.model.toast is not None
