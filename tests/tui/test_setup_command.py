"""`/setup`: a provider is set up whenever a person likes, not only at the first start."""

from __future__ import annotations

from agent_tui.protocol.setup_op import SetUp
from tests.tui.play import Play

LOOKS = SetUp("setup", "look")


def test_it_is_there_by_its_name_and_in_the_palette() -> None:
    play = Play()
    play.type("/setup")
    play.press("escape", "enter")
    assert play.take() == [LOOKS]
    play.press("escape")
    assert play.take() == [SetUp("setup", "leave")] and play.model.overlay is None
    play.press("ctrl+p", *"/setup", "enter")
    assert play.take() == [LOOKS]


def test_not_in_the_midst_of_a_turn() -> None:
    play = Play()
    play.begin()
    play.type("/setup")
    play.press("escape", "enter")
    assert "interrupts the running turn" in play.toast and LOOKS not in play.ops
