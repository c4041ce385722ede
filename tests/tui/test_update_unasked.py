"""Sheets that come by themselves, and what is asked before an action: a row of keys does nothing in
them."""

from __future__ import annotations

import pytest

from agent_tui.protocol.ops import Delete, Resume
from tests.tui.play import Play
from tests.tui.test_update_sessions import listed, locked


@pytest.mark.parametrize("gap", [0.05, 0.2, 0.4, 0.49])
@pytest.mark.parametrize(
    "keys", [["enter"], ["down", "enter"], ["x", "enter"], ["up", "up", "tab"]]
)
def test_a_row_of_keys_that_began_before_takes_nothing(keys: list[str], gap: float) -> None:
    play = Play()
    locked(play)
    play.effects.clear()
    for key in keys * 10:
        play.press(key, after=gap)
    assert play.take() == [] and play.model.overlay is not None
    play.press("down", "enter", after=0.6)
    assert play.take() == [Resume("b2", "fork")]


@pytest.mark.parametrize("gap", [0.05, 0.12, 0.25, 0.4, 0.7, 1.0])
def test_hammered_enters_take_no_second_look(gap: float) -> None:
    play = listed()
    play.press("delete")
    play.press("enter", after=0.1)
    for _ in range(20):
        play.press("enter", after=gap)
    assert not any(isinstance(op, Delete) for op in play.take())
    play.press("enter", after=5.5)
    assert play.take() == [Delete("a1")]
