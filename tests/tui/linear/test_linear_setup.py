"""Setting up a provider line by line: what a typed line chooses, and which lines are told to choose
nothing."""

from __future__ import annotations

import pytest

from agent_tui.tui.linear import sheets
from tests.tui.lists import labels
from tests.tui.play import Play
from tests.tui.setup_play import at, opened


def says(play: Play, line: str) -> bool:
    """Do what `line` asks for; False: it asks for nothing."""
    assert play.model.overlay is not None
    wanted = sheets.intents(play.model, play.model.overlay, line)
    for one in wanted or ():
        play.say(one)
    return wanted is not None


@pytest.mark.parametrize("line", ["4", "moonshot", "Moonshot"])
def test_a_provider_is_chosen_by_number_or_name(line: str) -> None:
    play = opened()
    assert says(play, line) and at(play) == "key"


@pytest.mark.parametrize("line", ["0", "99"])
def test_a_number_that_no_row_has_is_answered(line: str) -> None:
    play = opened()
    assert not says(play, line) and at(play) == "provider"


def test_other_words_find_a_provider() -> None:
    play = opened()
    assert play.model.overlay is not None and "words to search" in sheets.hint(
        play.model, play.model.overlay
    )
    assert says(play, "moon") and at(play) == "provider" and labels(play) == ["Moonshot"]
    assert says(play, "1") and at(play) == "key"
