"""`/jobs` on the screen: what runs in the background, counted in the header, and stopped with Enter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.events import JobChanged, ToolStarted, TurnStarted
from agent_tui.protocol.ops import MoveToBackground, Query, StopJob
from agent_tui.protocol.transcript import Transcript
from agent_tui.tui.runtime.start import farewell
from agent_tui.tui.screen.header import header_view
from tests.answers import answer_event
from tests.tui.lists import labels, sheet, text
from tests.tui.play import Play

ONE = {
    "id": "a",
    "command": "npm run dev",
    "pids": [7, 8],
    "since": 1.0,
    "last": "ready on :3000",
    "stops": False,
}
TWO = {"id": "b", "command": "sleep 9", "pids": [9], "since": 1.0, "last": "", "stops": True}


def asked(*jobs: dict[str, object]) -> Play:
    play = Play()
    play.type("/jobs")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None and play.take() == [Query(overlay.query, "jobs")]
    play.feed(answer_event(overlay.query, "jobs", {"jobs": jobs}, session=play.model.active))
    return play


def shown(play: Play) -> str:
    return repr(header_view(play.model))


def test_the_list_says_what_runs_and_enter_stops_it() -> None:
    play = asked(ONE)
    assert labels(play) == ["npm run dev"] and "ready on :3000" in text(play)
    assert "pid 7 8" in sheet(play).options[0].detail
    play.press("enter")
    assert play.take() == [StopJob("a")]


@pytest.mark.parametrize("gap", [0.6, 0.7, 1.1])
def test_enter_pressed_again_and_again_stops_nothing(gap: float) -> None:
    play = Play()
    play.type("/jobs")
    play.press("escape", "enter")
    overlay = play.model.overlay
    assert overlay is not None
    told = answer_event(overlay.query, "jobs", {"jobs": [ONE]}, session=play.model.active)
    play.feed(told, after=0.01)
    play.take()
    for _ in range(20):
        play.press("enter", after=gap)
    assert "press ↑↓, then Enter" in play.toast and play.take() == []
    play.press("enter", after=5.5)
    assert play.take() == [StopJob("a")]


def test_several_can_be_stopped_at_once() -> None:
    play = asked(ONE, TWO)
    assert (
        labels(play) == ["npm run dev", "sleep 9", "Stop all"]
        and "stopping" in sheet(play).options[1].detail
    )
    play.press("end", "enter")
    assert play.take() == [StopJob("")]


def test_the_header_counts_them_until_they_end() -> None:
    play = Play()
    for id in ("a", "b"):
        play.feed(JobChanged(id=id, state="running", command="x", session=play.model.active))
    assert "2 running" in shown(play)
    for id in ("a", "b"):
        play.feed(JobChanged(id=id, state="ended", command="x", session=play.model.active))
    assert "running" not in shown(play)


def test_the_farewell_says_what_ends_with_the_program() -> None:
    begun = JobChanged(id="a", state="running", command="npm run\ndev").apply(
        Transcript(session="s", turn=1)
    )
    assert "Ended in the background: npm run dev" in farewell(begun)


def commanding() -> Play:
    """A command of the agent runs."""
    play = Play()
    for event in (
        TurnStarted(prompt="go"),
        ToolStarted(call_id="c", name="run", label="Run make", timeout_s=120),
    ):
        play.feed(replace(event, session=play.model.active))
    return play


def test_ctrl_b_moves_the_running_command_into_the_background() -> None:
    play = commanding()
    play.press("ctrl+b")
    assert play.take() == [MoveToBackground()]


def test_with_words_in_the_prompt_ctrl_b_moves_the_caret() -> None:
    play = commanding()
    play.type("words")
    play.press("ctrl+b")
    assert play.take() == []


def test_with_no_command_nothing_is_moved() -> None:
    play = Play()
    play.press("ctrl+b")
    assert "no command is running" in play.toast and play.take() == []
