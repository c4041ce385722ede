"""What a click does in a sheet: the first selects, a second one on the same row acts."""

from __future__ import annotations

import pytest

from agent_tui.protocol.ops import Delete, Query
from agent_tui.tui.core.msg import OptionClicked
from tests.tui.lists import chosen, text
from tests.tui.test_update_going_back import FREE, answer, command, worked
from tests.tui.test_update_sessions import listed


def _acts(ops: list[object]) -> list[object]:
    return [op for op in ops if not isinstance(op, Query)]


def test_one_click_undoes_nothing() -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.take()
    shown = play.model.overlay
    assert shown is not None and shown.picker is not None
    for option in range(len(shown.picker.shown) + 3):
        play.say(OptionClicked(option))
        assert _acts([*play.take()]) == [] and play.model.overlay is not None, option


@pytest.mark.parametrize("after", [0.05, 0.3, 0.49])
def test_a_double_click_from_before_a_sheet_appeared_takes_nothing(after: float) -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.take()
    for _ in range(2):
        play.say(OptionClicked(3), after=after / 2)
    assert _acts([*play.take()]) == [] and play.model.overlay is not None


@pytest.mark.parametrize("option", [0, 1])
def test_a_click_leaves_what_is_asked_about_a_row(option: int) -> None:
    play = listed()
    play.press("delete")
    assert "for ever" in text(play)
    play.say(OptionClicked(option))
    assert "for ever" not in text(play) and chosen(play) == ["price of tea", "the shop"][option]
    play.press("enter", after=0.6)
    assert not any(isinstance(op, Delete) for op in play.take())
