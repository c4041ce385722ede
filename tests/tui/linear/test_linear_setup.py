"""Setting up a provider line by line: what a typed line chooses, and which lines are told to choose nothing."""

from __future__ import annotations

import pytest

from agent_tui.tui.linear import sheets
from tests.tui.play import Play
from tests.tui.setup_play import at, opened


def says(play: Play, line: str) -> bool:
    """Press what `line` stands for; False: it stands for nothing."""
    assert play.model.overlay is not None
    pressed = sheets.presses(play.model, play.model.overlay, line)
    for key, _ in pressed or ():
        play.press(key)
    return pressed is not None


@pytest.mark.parametrize("line", ["4", "moonshot", "Moonshot"])
def test_a_provider_is_chosen_by_number_or_name(line: str) -> None:
    play = opened()
    assert says(play, line) and at(play) == "key"


@pytest.mark.parametrize("line", ["any words", "another", "0", "99"])
def test_a_line_that_is_none_of_them_is_answered(line: str) -> None:
    play = opened()
    assert not says(play, line) and at(play) == "provider"
    assert play.model.overlay is not None
    assert "or a name" in sheets.hint(play.model.overlay) and "search" not in sheets.hint(play.model.overlay)
