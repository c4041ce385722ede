"""Thinking effort, on the screen: the key, the list of levels, the header, and who cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tui.protocol.events import Answered, EffortChanged, ModelChanged
from agent_tui.protocol.ops import SetEffort
from agent_tui.tui.screen.header import header_view
from tests.answers import answer_event
from tests.tui.play import Play

MEANS = {"none": "does not think", "low": "thinks a little", "high": "thinks hard"}


def told(
    model: str = "fake/model", cycle: tuple[str, ...] = ("none", "low", "high"), **means: str
) -> Answered:
    levels = [{"level": level, "about": about} for level, about in (means or MEANS).items()]
    data: dict[str, Any] = {
        "model": model,
        "auto": "thinks as it likes",
        "levels": levels,
        "cycle": list(cycle),
    }
    return answer_event("start", "efforts", data)


@pytest.fixture
def play() -> Play:
    play = Play()
    play.feed(told())
    return play


def header(play: Play) -> list[str]:
    return [span.text for span in header_view(play.model).left_spans]


def mute(play: Play) -> None:
    play.feed(
        answer_event(
            "start", "efforts", {"model": "fake/model", "auto": "", "levels": [], "cycle": []}
        )
    )


def test_a_level_that_is_known_by_its_name_is_not_said_twice() -> None:
    play = Play()
    play.feed(told(cycle=("low",), low="thinks with effort low"))
    play.press("alt+t")
    assert play.toast == "effort: low"


def test_the_key_goes_through_what_the_model_tells_apart_and_says_what_it_means(play: Play) -> None:
    for level, said in (
        ("none", "does not think"),
        ("low", "thinks a little"),
        ("high", "thinks hard"),
    ):
        play.press("alt+t")
        assert play.toast == f"effort {level}: {said}" and play.take()[-1] == SetEffort(level)
        play.feed(EffortChanged(level, session="s"))
    play.press("alt+t")
    assert play.toast == "effort auto: thinks as it likes" and play.take()[-1] == SetEffort("")


def test_the_command_alone_lists_each_level_with_its_meaning(play: Play) -> None:
    play.feed(EffortChanged("low", session="s"))
    play.type("/effort")
    play.press("enter")
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    shown = {one.label: one.detail for one in play.model.overlay.picker.shown}
    assert list(shown) == ["auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"]
    assert shown["high"] == "thinks hard" and shown["low"] == "thinks a little · in use"
    assert (
        play.model.overlay.picker.chosen_entry is not None
        and play.model.overlay.picker.chosen_entry.id == "low"
    )
    play.press("end", "enter")
    assert play.take()[-1] == SetEffort("max") and play.model.overlay is None


def test_a_model_that_cannot_be_told_says_so_in_one_line(play: Play) -> None:
    mute(play)
    play.press("alt+t")
    assert play.toast == "this model has no thinking effort" and play.take() == []
    play.type("/effort")
    play.press("enter")
    assert play.model.overlay is None and "no thinking effort" in play.toast


def test_the_header_tells_the_effort_where_the_model_takes_one(play: Play) -> None:
    play.feed(EffortChanged("high", session="s"))
    assert " high" in header(play)
    mute(play)
    assert " high" not in header(play)
    play.feed(ModelChanged("fake/other", session="s"), told("fake/other"))
    assert " high" in header(play)


def test_what_was_said_of_another_model_does_not_count(play: Play) -> None:
    mute(play)
    play.feed(ModelChanged("fake/other", session="s"))
    play.press("alt+t")
    assert play.toast == "effort: low" and play.take()[-1] == SetEffort("low")


def test_the_list_of_models_tells_the_effort(play: Play) -> None:
    offered = [
        {"name": name, "window": 8_000, "tools": True, "where": ""}
        for name in ("fake/model", "fake/mute")
    ]
    facts = {"fake/model": {"efforts": ["none", "low", "high"]}, "fake/mute": {"efforts": []}}
    data = {
        "model": "fake/model",
        "offered": offered,
        "tried": [],
        "aliases": {},
        "facts": facts,
        "used": [],
    }
    play.feed(EffortChanged("high", session="s"), answer_event("x", "models", data))
    play.press("ctrl+l")
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    shown = {one.label: one for one in play.model.overlay.picker.shown}
    assert "in use, effort high" in shown["fake/model"].detail
    assert (
        "effort: none, low, high" in shown["fake/model"].about
        and "effort" not in shown["fake/mute"].about
    )
