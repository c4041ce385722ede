"""`/pull` on the screen: its bar, stopping it, hiding it, and the question whether Ollama may be
started."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tui.protocol.ops import Pull
from tests.answers import answer_event
from tests.tui.lists import sheet, text
from tests.tui.play import Play

NAME = "qwen3:8b"


def told(play: Play, state: str, percent: int = 0, said: str = "") -> None:
    data = {"model": NAME, "state": state, "percent": percent, "said": said, "hint": ""}
    play.feed(answer_event("pull", "pull", data, session=play.model.active))


def asked() -> Play:
    play = Play()
    play.type(f"/pull {NAME}")
    play.press("escape", "enter")
    assert play.take() == [Pull(NAME)]
    return play


def header(play: Play) -> str:
    return "".join(span.text for part in play.view.header.at_right for span in part.spans)


def kind(play: Play) -> str:
    return "" if play.model.overlay is None else play.model.overlay.kind


@pytest.mark.parametrize(("percent", "full"), [(0, 0), (50, 26), (100, 53)])
def test_the_bar(percent: int, full: int) -> None:
    play = asked()
    told(play, "pulling", percent)
    bar = sheet(play).lines[0]
    assert (len(bar[0].text), len(bar[0].text + bar[1].text)) == (full, 53)
    assert bar[2].text == f"  {percent:>3} %"
    assert sheet(play).title == f"Pull {NAME}"


@pytest.mark.parametrize(
    ("done", "left", "said"),
    [
        (1_400_000_000, 0, "1.4 of 5.2 GB"),
        (52_000_000, 185, "52 MB of 5.2 GB, about 3 min left"),
        (10, None, "10 B of 5.2 GB"),
        (5_190_000_000, 4, "5.2 of 5.2 GB, about 4 s left"),
    ],
)
def test_how_much_there_is_and_how_long_it_takes(done: int, left: Any, said: str) -> None:
    play = asked()
    data = {
        "model": NAME,
        "state": "pulling",
        "percent": 1,
        "done": done,
        "total": 5_200_000_000,
        "left": left,
    }
    play.feed(answer_event("pull", "pull", data, session=play.model.active))
    assert sheet(play).lines[1][0].text == said


def test_what_an_earlier_one_came_to_is_not_shown_for_a_new_one() -> None:
    play = asked()
    told(play, "pulling", 70)
    told(play, "stopped")
    play.type(f"/pull {NAME}")
    play.press("escape", "enter")
    assert "  0 %" in text(play) and "asking Ollama" in text(play)


def test_esc_stops_it() -> None:
    play = asked()
    told(play, "pulling", 10)
    play.press("escape")
    assert play.take() == [Pull(NAME, "stop")] and kind(play) == ""
    told(play, "stopped")
    assert kind(play) == ""


def test_enter_hides_it_and_the_command_alone_shows_it_again() -> None:
    play = asked()
    told(play, "pulling", 10)
    play.press("enter")
    assert play.ops == [] and kind(play) == "" and "/pull shows it" in play.toast
    assert "pull 10%" in header(play)
    told(play, "pulling", 20)
    assert "pull 20%" in header(play)
    play.type("/pull")
    play.press("escape", "enter")
    assert " 20 %" in text(play) and "pull" not in header(play), "the bar says it"
    told(play, "done", 100)
    assert kind(play) == "" and "pull" not in header(play)


def test_words_are_for_the_prompt_and_stop_nothing() -> None:
    play = asked()
    told(play, "pulling", 10)
    play.press("h", "i")
    assert play.text == "hi" and kind(play) == "" and play.ops == []


def test_ollama_is_started_on_consent_alone() -> None:
    play = asked()
    told(play, "down", said="Ollama is not running at http://127.0.0.1:11434")
    assert "It is installed and can be started" in text(play)
    play.press("enter", after=0.1)
    assert play.ops == [] and kind(play) == "pull", "an Enter that was on its way is no answer"
    play.press("enter")
    assert play.take() == [Pull(NAME, "serve")]
    told(play, "starting")
    assert "starting Ollama" in text(play)
    play.press("escape")
    assert play.take() == [Pull(NAME, "stop")]


def test_no_consent_starts_nothing() -> None:
    play = asked()
    told(play, "down", said="Ollama does not run")
    play.press("escape")
    assert play.ops == [] and kind(play) == ""


def test_a_failure_closes_the_sheet_for_the_transcript_says_it() -> None:
    play = asked()
    told(play, "failed", said="no such model")
    assert kind(play) == ""


def test_without_a_name_and_nothing_under_way_a_name_is_asked_for() -> None:
    play = Play()
    play.type("/pull")
    play.press("escape", "enter")
    assert "name the model" in play.toast and play.ops == []
