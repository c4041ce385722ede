"""`/setup`: a provider is set up whenever a person likes, not only at the first start."""

from __future__ import annotations

from agent_tui.tui.effects import SetUp
from tests.tui.play import Play


def test_it_is_there_by_its_name_and_in_the_palette() -> None:
    play = Play()
    play.type("/setup")
    play.press("escape", "enter")
    assert play.takes(SetUp) == [SetUp()]
    play.press("ctrl+p", *"/setup", "enter")
    assert play.takes(SetUp) == [SetUp()]


def test_not_in_the_midst_of_a_turn() -> None:
    play = Play()
    play.begin()
    play.type("/setup")
    play.press("escape", "enter")
    assert "a turn is running" in play.toast and not play.takes(SetUp)
