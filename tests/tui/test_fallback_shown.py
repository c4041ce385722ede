"""While a fallback answers, the header names the model that really answers."""

from __future__ import annotations

from agent_tui.protocol.events import ModelChanged, RequestSent
from tests.tui.play import Play, words


def asked(model: str) -> Play:
    play = Play(model="fake/model")
    play.begin()
    play.feed(RequestSent(model=model, turn=1, session="s"))
    return play


def test_the_one_that_answers_is_named_with_the_one_that_was_chosen() -> None:
    play = asked("acme/m")
    assert words(play.view.header.left_spans).startswith("acme/m instead of fake/model")
    first = play.view.header.at_left[0]
    assert words(first.short) == "acme/m", "where there is little room it is the one that answers"


def test_the_chosen_one_is_named_as_ever() -> None:
    assert words(asked("fake/model").view.header.left_spans).startswith("fake/model · ")


def test_after_the_turn_and_after_a_change_it_is_the_chosen_one_again() -> None:
    play = asked("acme/m")
    play.end()
    assert words(play.view.header.left_spans).startswith("fake/model · ")
    play = asked("acme/m")
    play.feed(ModelChanged("other/m", session="s"))
    assert words(play.view.header.left_spans).startswith("other/m · ")
