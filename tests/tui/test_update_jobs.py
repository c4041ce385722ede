"""`/jobs` on the screen: what runs in the background, counted in the header, and stopped with Enter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.events import JobChanged, Restored, SessionStarted, ToolStarted, TurnStarted
from agent_tui.protocol.ops import KeepJob, MoveToBackground, Query, Resume, StopJob
from agent_tui.protocol.transcript import Transcript
from agent_tui.tui.core.effects import LookLater, Quit, Send
from agent_tui.tui.core.msg import CommandCalled, ForkMade, LookDue, Pasted
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


@pytest.mark.parametrize(
    ("age", "said"), [(0, "in the last minute"), (40, "in the last minute"), (90, "1 min ago")]
)
def test_a_job_of_forty_seconds_did_not_start_just_now(age: int, said: str) -> None:
    play = asked()
    play = asked({**ONE, "since": play.at - age})
    assert f"started {said}" in sheet(play).options[0].detail


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


def running(play: Play, *commands: str, **more: Any) -> None:
    for number, command in enumerate(commands):
        changed = JobChanged(f"{number}", "running", command, session=play.model.active, **more)
        play.feed(changed)


def leaves(play: Play, way: str = "ctrl+d") -> None:
    play.press(way, after=2.0)


def test_quitting_names_what_would_end_and_asks() -> None:
    play = Play()
    running(play, "npm run dev", "sleep 9")
    leaves(play)
    assert not play.takes(Quit) and sheet(play).title == "2 background jobs end with agent-tui"
    assert labels(play) == ["End and quit", "Keep running and quit"]
    assert "`npm run dev`, `sleep 9`" in text(play)
    play.press("enter")
    assert play.takes(Quit) and not play.takes(Send)


def test_what_is_kept_at_the_quit_is_told_before_the_end() -> None:
    play = Play()
    running(play, "npm run dev", "sleep 9", network=True)
    leaves(play)
    play.press("down")
    assert "has no network" in text(play)
    play.press("enter")
    assert play.take() == [KeepJob("0"), KeepJob("1")] and not play.takes(Quit)
    running(play, "npm run dev", kept=True)
    assert not play.takes(Quit), "the other one is not kept yet"
    play.feed(JobChanged("1", "running", "sleep 9", kept=True, session=play.model.active))
    assert play.takes(Quit)


@pytest.mark.parametrize("way", ["quit", "switch"])
def test_where_a_job_cannot_be_kept_nothing_ends_and_it_is_asked_again(way: str) -> None:
    play = Play()
    running(play, "npm run dev")
    play.take()
    leaves(play) if way == "quit" else opens_new(play)
    play.press("down", "enter", after=2.0)
    assert play.take() == [KeepJob("0")] and play.model.overlay is None
    running(play, "npm run dev")  # as it was: the engine says why
    assert not play.takes(Quit) and play.take() == []
    assert labels(play)[0].startswith("End and")
    play.press("down", "up", "enter", after=2.0)
    assert play.takes(Quit) if way == "quit" else play.take() == [Resume("")]


@pytest.mark.parametrize("way", ["quit", "switch"])
@pytest.mark.parametrize("does", ["escape", "ctrl+c", "a prompt", "ctrl+d", "/new"])
def test_what_is_done_while_a_job_is_to_be_kept_calls_off_the_leaving(does: str, way: str) -> None:
    play = Play()
    running(play, "npm run dev")
    play.take()
    leaves(play) if way == "quit" else opens_new(play)
    play.press("down", "enter", after=2.0)
    assert play.take() == [KeepJob("0")]
    if does in ("a prompt", "/new"):
        play.type(does)
        play.press(*(["escape"] if does == "/new" else []), "enter", after=2.0)
    else:
        play.press(does, after=2.0)
    play.press("escape", after=2.0)  # a sheet that asks anew is closed
    running(play, "npm run dev", kept=True)
    assert not play.takes(Quit) and not [op for op in play.take() if isinstance(op, Resume)]
    assert play.model.leaving == ""


@pytest.mark.parametrize("gap", [0.3, 0.8, 1.1, 1.5])
def test_enter_pressed_again_and_again_ends_no_job(gap: float) -> None:
    play = Play()
    running(play, "npm run dev")
    play.take()
    opens_new(play)
    for _ in range(10):
        play.press("enter", after=gap)
    assert play.take() == [] and play.model.overlay is not None


@pytest.mark.parametrize("gap", [0.1, 0.5, 0.7])
def test_a_job_that_begins_while_it_is_asked_is_not_ended_unread(gap: float) -> None:
    play = Play()
    running(play, "npm run dev")
    leaves(play)
    play.press("down", "up", after=1.0)
    play.feed(JobChanged("9", "running", "make", session=play.model.active))
    play.press("enter", after=gap)
    assert not play.takes(Quit) and "make" in text(play)


def test_words_that_are_typed_ahead_or_pasted_end_no_job() -> None:
    for gap in (0.15, 0.4):
        play = Play()
        running(play, "npm run dev")
        play.take()
        opens_new(play)
        play.press("e", "n", "d", "enter", after=gap)
        assert play.take() == []
    play = Play()
    running(play, "npm run dev")
    play.take()
    leaves(play)
    play.type("a prompt that was pasted", after=1.0)
    play.press("enter", after=2.0)
    assert play.take() == [] and not play.takes(Quit)


@pytest.mark.parametrize("first", [0.25, 0.5, 0.66])
def test_a_held_key_that_quits_ends_no_job(first: float) -> None:
    """It comes again by itself after a while, and then in quick succession."""
    play = Play()
    running(play, "npm run dev")
    leaves(play)
    play.press("ctrl+d", after=first)
    for _ in range(40):
        play.press("ctrl+d", after=0.033)
    assert not play.takes(Quit)
    play.press("ctrl+d", after=1.5)
    assert play.takes(Quit)


def test_who_leaves_while_asked_about_a_switch_is_asked_anew() -> None:
    play = Play()
    running(play, "npm run dev")
    opens_new(play)
    leaves(play)
    assert not play.takes(Quit)
    assert sheet(play).title == "1 background job ends with agent-tui"


@pytest.mark.parametrize("way", [["ctrl+d"], ["ctrl+c", "ctrl+c"]])
def test_who_quits_once_more_means_it_and_esc_stays(way: list[str]) -> None:
    play = Play()
    running(play, "npm run dev")
    leaves(play)
    play.press("escape")
    assert play.model.overlay is None and not play.takes(Quit)
    leaves(play)
    assert not play.takes(Quit)
    play.press(*way, after=1.5)
    assert play.takes(Quit)


def test_nothing_is_asked_about_what_is_kept_or_off_the_record() -> None:
    play = Play()
    running(play, "npm run dev", kept=True)
    leaves(play)
    assert play.takes(Quit)
    play = Play()
    session = SessionStarted(session="s", cwd="/", model="m", window=9, otr=True)
    play.feed(session)
    running(play, "npm run dev")
    leaves(play)
    assert play.takes(Quit)


def test_the_list_says_what_is_kept_and_f2_changes_it() -> None:
    play = asked({**ONE, "id": "0"})
    running(play, "npm run dev")
    play.take()
    play.press("f2")
    assert play.take() == [KeepJob("0", True)]
    running(play, "npm run dev", kept=True)
    assert "kept after quit" in sheet(play).options[0].detail and play.take()
    play.press("f2")
    assert play.take() == [KeepJob("0", False)]


def test_the_list_is_asked_for_again_while_it_is_open_and_something_runs() -> None:
    play = Play()
    running(play, "npm run dev")
    play.say(CommandCalled("jobs"))
    overlay = play.model.overlay
    assert overlay is not None

    def answers(id: str, last: str) -> list[LookLater]:
        play.effects.clear()
        told = {**ONE, "id": "0", "tail": last}
        play.feed(answer_event(id, "jobs", {"jobs": [told]}, session=play.model.active))
        return [one for one in play.effects if isinstance(one, LookLater)]

    assert answers(overlay.query, "one\ntwo") == [LookLater("jobs", 1.0)]
    assert "one" in text(play) and "two" in text(play)
    play.say(LookDue("jobs"), after=0.5)
    assert play.take() == [], "of an earlier look"
    play.say(LookDue("jobs"), after=0.5)
    [query] = play.take()
    assert isinstance(query, Query) and answers(query.id, "three") and "three" in text(play)
    play.press("escape")
    play.say(LookDue("jobs"))
    assert play.take() == [], "it is closed"


def test_an_end_is_seen_at_once_and_then_nothing_is_asked_any_more() -> None:
    play = asked({**ONE, "id": "0"})
    running(play, "npm run dev")
    play.effects.clear()
    play.feed(JobChanged(id="0", state="ended", command="npm", session=play.model.active))
    [query] = play.take()
    assert isinstance(query, Query)
    play.feed(answer_event(query.id, "jobs", {"jobs": []}, session=play.model.active))
    assert labels(play) == [] and not any(isinstance(one, LookLater) for one in play.effects)


def test_the_farewell_says_what_goes_on_and_what_failed() -> None:
    transcript = Transcript(session="s")
    for event in (
        JobChanged(id="a", state="running", command="npm run dev", pids=(7,), kept=True),
        JobChanged(id="b", state="running", command="make"),
        JobChanged(id="b", state="ended", command="make", exit_code=2),
        JobChanged(id="c", state="ended", command="true", exit_code=0),
    ):
        transcript = event.apply(transcript)
    said = farewell(transcript)
    assert "Still running: npm run dev (pid 7)" in said and "exit code 2): make" in said
    assert "true" not in said
    seen = TurnStarted(prompt="go", turn=1).apply(transcript)
    assert "make" not in farewell(seen)


def test_the_header_says_that_one_waits_for_input() -> None:
    play = Play()
    running(play, "make", "npm init", waits="name:")
    assert "2 running" in shown(play) and "2 waiting for input" in shown(play)
    running(play, "make", "npm init")
    assert "waiting" not in shown(play)


def opens_new(play: Play) -> None:
    play.type("/new")
    play.press("escape", "enter")


def test_a_fork_out_of_a_replay_asks_too() -> None:
    play = Play()
    running(play, "npm run dev")
    play.take()
    play.say(ForkMade("copy"))
    assert play.take() == []
    assert sheet(play).title == "1 background job ends with this session"
    play.press("down", "up", "enter", after=2.0)
    assert play.take() == [Resume("copy")]


def test_jobs_of_a_session_that_is_only_read_are_not_asked_about() -> None:
    play = Play()
    play.feed(Restored(replace(Transcript(), session=play.model.active, reading=True), 1))
    running(play, "npm run dev")
    play.take()
    leaves(play)
    assert play.takes(Quit)


@pytest.mark.parametrize("choice", ["end", "keep", "stay"])
def test_another_session_asks_what_becomes_of_the_jobs(choice: str) -> None:
    play = Play()
    running(play, "npm run dev")
    play.take()
    opens_new(play)
    assert not [op for op in play.take() if isinstance(op, Resume)]
    assert sheet(play).title == "1 background job ends with this session"
    keys = {"end": ["down", "up", "enter"], "keep": ["down", "enter"], "stay": ["escape"]}
    play.press(*keys[choice], after=2.0)
    if choice == "keep":
        running(play, "npm run dev", kept=True)
    sent = [op for op in play.take() if isinstance(op, Resume | KeepJob)]
    running(play, "npm run dev")
    assert sent == {"end": [Resume("")], "keep": [KeepJob("0"), Resume("")], "stay": []}[choice]
    opens_new(play)
    again = [op for op in play.take() if isinstance(op, Resume)]
    assert not again, "each time it is asked anew"


def test_lines_of_a_pipe_are_asked_nothing_about_jobs() -> None:
    play = Play()
    running(play, "npm run dev")
    play.model = replace(play.model, piped=True)
    play.take()
    opens_new(play)
    assert [op for op in play.take() if isinstance(op, Resume)] == [Resume("")]


def test_a_copy_that_is_not_opened_yet_is_not_said_to_be_open() -> None:
    play = Play()
    play.say(ForkMade("c0py1234"))
    assert "this is the copy" in play.toast
    running(play, "npm run dev")
    play.say(ForkMade("c0py1234"))
    assert play.model.overlay is not None and "/load c0py1234 opens it" in play.toast
    play.press("escape")
    assert "this is the copy" not in play.toast


def test_a_copy_that_comes_while_it_is_asked_about_another_switch_is_asked_about() -> None:
    play = Play()
    running(play, "npm run dev")
    play.take()
    opens_new(play)
    play.say(ForkMade("c0py1234"))
    assert not [op for op in play.take() if isinstance(op, Resume)]
    assert play.model.switching == Resume("c0py1234")


def test_enter_is_not_offered_while_it_would_be_taken_for_what_was_pasted() -> None:
    play = asked(ONE)
    assert ("Enter", "stop") in play.view.footer.keys
    play.say(Pasted("words of a paste"))
    assert "Enter" not in dict(play.view.footer.keys)
    play.press("enter")
    assert "nothing done" in play.toast and play.take() == []
    play.press("down")
    assert ("Enter", "stop") in play.view.footer.keys
    play.press("enter")
    assert play.take() == [StopJob("a")]
