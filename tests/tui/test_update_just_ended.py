"""Keys in the first moments after something changed: they were meant for what was there before."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import TurnEnded
from agent_tui.protocol.ops import Cancel
from agent_tui.tui.core.effects import Quit
from tests.tui.play import Play

STOPS = ("ctrl+c", "escape", "ctrl+x")


def ended(draft: str = "") -> Play:
    """A turn has just come to its end by itself."""
    play = Play()
    play.begin()
    if draft:
        play.type(draft)
    play.end()
    play.take()
    return play


@pytest.mark.parametrize("key", STOPS)
@pytest.mark.parametrize("draft", ["", "some words"])
def test_a_key_that_stops_is_meant_for_the_turn_that_has_just_ended(key: str, draft: str) -> None:
    play = ended(draft)
    play.press(key, after=0.05)
    assert play.toast == "the turn had just ended"
    assert play.model.composer.draft == draft, "nothing is cleared"
    play.press(key, after=0.6)
    assert not play.takes(Quit) and play.model.overlay is None, "nor was it the first of two"


def test_ctrl_c_quits_when_it_is_pressed_twice_after_it() -> None:
    play = ended()
    play.press("ctrl+c", after=0.05)
    play.press("ctrl+c", after=0.2)
    assert "again to quit" in play.toast
    play.press("ctrl+c", after=0.3)
    assert play.takes(Quit)


def test_who_stopped_the_turn_is_not_told_that_it_ended() -> None:
    play = Play()
    play.begin()
    play.press("ctrl+c")
    assert isinstance(play.take()[-1], Cancel)
    play.feed(TurnEnded(state="cancelled", turn=1, session="s"), after=0.1)
    play.press("ctrl+c", after=0.2)
    assert play.model.composer.draft == "" and "cleared" in play.toast, "the words came back"


def test_esc_twice_opens_the_rewind_once_the_end_was_there_to_be_seen() -> None:
    play = ended()
    play.press("escape", after=0.6)
    play.press("escape", after=0.3)
    assert play.model.overlay is not None and play.model.overlay.kind == "rewind"
