"""Requests that fail, against a real server: what is tried again by itself, what is offered, what
never is."""

from __future__ import annotations

from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from agent_tui.agent.session.recovery import settle_open_turns
from agent_tui.agent.turn import retries
from agent_tui.protocol.answers import Refused
from agent_tui.protocol.events import (
    Answered,
    AssistantReplied,
    ErrorRaised,
    Notice,
    Partial,
    RequestSent,
    Retrying,
    StepStarted,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    UsageReported,
    fold,
)
from agent_tui.protocol.ops import Cancel, Continue, Submit
from agent_tui.protocol.transcript import DividerBlock, TextBlock, ThinkingBlock
from agent_tui.providers.base import Failed
from agent_tui.settings.table import AgentSettings
from tests.agent.driving import Place
from tests.agent.model_server import call, engine, model_server, said, status, streamed

RUN = call("run_shell_command", '{"command": "echo ran >> ran.txt"}')


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_a_server_asks_for_is_the_least_and_jitter_comes_on_top() -> None:
    for attempt in range(1, 9):
        for chance in (0.0, 0.5, 0.999):
            alone = retries.delay(attempt, None, chance)
            assert 0.5 <= alone <= retries.BACKOFF_CAP
            for told in (0.0, 0.1, 3.0, 100.0):
                wait = retries.delay(attempt, told, chance)
                assert max(told, alone) <= wait <= max(alone, told * (1 + retries.SPREAD))
    assert retries.delay(3, None, 0.0) == 2 * retries.delay(2, None, 0.0)


def test_no_server_is_asked_for_ever_and_nothing_that_began_is_asked_for_twice() -> None:
    busy = Failed("server", "busy", may_pass=True)
    assert retries.retry_delay(1, busy, False) is not None
    assert retries.retry_delay(retries.MAX_ATTEMPTS, busy, False) is None
    assert retries.retry_delay(1, busy, True) is None
    assert retries.retry_delay(1, Failed("auth", "no"), False) is None
    late = Failed("rate_limited", "later", "wait, then try again", True, 3_600)
    assert retries.retry_delay(1, late, False) is None
    assert retries.error_event(late, False).hint == "wait, then try again; it asks to wait 3,600 s"
    for never in (1e6, 1e308):
        assert retries.error_event(replace(late, retry_after=never), False).hint.endswith(
            "it asks to wait more than a day"
        )


@pytest.mark.parametrize("date", [False, True])
def test_retry_after_is_waited_for_in_seconds_and_as_a_date(place: Place, date: bool) -> None:
    now = time()
    asked = (
        {"Retry_After": formatdate(now + 2, usegmt=True), "Date": formatdate(now, usegmt=True)}
        if date
        else {}
    )
    asked = asked or {"Retry_After": "1.3"}
    with (
        model_server(status(429, "slow", **asked), said("now")) as server,
        engine(place, server) as driver,
    ):
        driver.send(Submit("go"))
        told = driver.until(Retrying)
        assert (
            told.delay_s >= (1.3 if not date else 2.0)
            and told.attempt == 2
            and "slow" in told.reason
        )
        retry = driver.transcript().retry
        assert (
            retry is not None and retry.until == told.at + told.delay_s
        )  # what the status line counts down
        assert driver.until(TurnEnded).state == "completed"
    first, second = server.at
    assert second - first >= told.delay_s - 0.01
    assert server.bodies[0] == server.bodies[1]


def test_esc_stops_the_wait(place: Place) -> None:
    with (
        model_server(status(503, "busy", Retry_After="60"), said("late")) as server,
        engine(place, server) as driver,
    ):
        driver.send(Submit("go"))
        driver.until(Retrying)
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
        assert driver.transcript().retry is None
    assert len(server.bodies) == 1


def test_an_answer_that_breaks_off_goes_on_once_by_itself(place: Place) -> None:
    with model_server(said("half an ans", end=""), said("wer"), said("more")) as server:
        with engine(place, server) as driver:
            assert driver.turn("go").state == "completed"
            assert len(driver.all(Retrying)) == 1 and not driver.all(ErrorRaised)
            assert [reply.text for reply in driver.all(AssistantReplied)] == ["half an ans", "wer"]
            session = driver.events[0].session
        told = server.messages[1][-2:]
        assert [one["role"] for one in told] == ["assistant", "user"]
        assert told[0]["content"] == "half an ans" and "broke off" in told[1]["content"]
        with engine(place, server, resume=session) as driver:  # the log alone says the same
            driver.turn("next")
    assert server.messages[2][: len(server.messages[1])] == server.messages[1]


def test_an_answer_that_breaks_off_twice_stays_and_a_retry_asks_once_more(place: Place) -> None:
    broken, again = said("half an ans", end=""), said("w", end="")
    with model_server(broken, again, said("wer"), said("more")) as server:
        with engine(place, server) as driver:
            assert driver.turn("go").state == "error"
            [failed] = driver.all(ErrorRaised)
            assert "/retry" in failed.hint and len(server.bodies) == 2
            driver.send(Continue(again=True))
            assert driver.until(TurnStarted).again
            assert driver.until(TurnEnded).state == "completed"
            rows = list(driver.transcript().rows)
        texts = [row.text for row in rows if isinstance(row, TextBlock)]
        assert texts == ["half an ans", "w", "wer"] and DividerBlock("asked again") in rows
        assert server.bodies[1] == server.bodies[2]


def test_what_was_called_whole_before_a_break_runs_and_nothing_of_it_twice(place: Place) -> None:
    half = {
        "tool_calls": [
            {"index": 1, "id": "c2", "function": {"name": "list_files", "arguments": "{"}}
        ]
    }
    with (
        model_server(
            streamed({"content": "I run it."}, RUN, half, end=""), said("it ran")
        ) as server,
        engine(place, server, mode="accept-all") as driver,
    ):
        assert driver.turn("go").state == "completed"
        assert [ended.name for ended in driver.all(ToolEnded)] == ["run_shell_command"]
        assert any("runs" in notice.text for notice in driver.all(Notice))
    assert (place.cwd / "ran.txt").read_text() == "ran\n"
    assert [m["role"] for m in server.messages[1]][-2:] == ["assistant", "tool"]


def test_an_outage_is_waited_for_as_long_as_the_person_says(place: Place) -> None:
    busy = Failed("server", "down", may_pass=True)
    for wait, waits in ((0.0, False), (60.0, True)):
        patience = retries.Patience(wait)
        patience.attempt = retries.MAX_ATTEMPTS + 3
        assert (patience.delay(busy, other=False) is not None) == waits
        assert patience.delay(busy, other=True) is None, "another model answers"
    with (
        model_server(said("half", end=""), status(503, "down"), said(" of it")) as server,
        engine(place, server, agent=AgentSettings(wait=60.0)) as driver,
    ):
        assert driver.turn("go").state == "completed"
        assert server.bodies[1] == server.bodies[2] != server.bodies[0]
    assert retries.retry_delay(5, Failed("server", "down", may_pass=True), False) is None
    late = Failed("rate_limited", "later", "", True, 300)
    assert retries.retry_delay(9, late, False, left=200) is None
    assert retries.retry_delay(9, late, False, left=400) == pytest.approx(315, abs=16)
    assert 0 < (retries.retry_delay(99, busy, False, left=3) or 0) <= 3
    assert retries.retry_delay(99, busy, False, left=0) is None


def test_a_break_after_thoughts_alone_is_tried_again_and_its_cost_counts(place: Place) -> None:
    thought = streamed(
        {"reasoning_content": "hmm, " * 2_000}, end=""
    )  # long enough to be on record in part
    with model_server(thought, said("whole"), said("more")) as server:
        with engine(place, server) as driver:
            assert driver.turn("go").state == "completed"
            assert len(driver.all(Retrying)) == 1 and not driver.all(ErrorRaised)
            first, second = driver.all(UsageReported)[:2]
            assert first.usage.completion_tokens > 1_000 > second.usage.completion_tokens
            rows = list(driver.transcript().rows)
            session = driver.events[0].session
        assert not any(isinstance(row, ThinkingBlock) for row in rows), (
            "those thoughts led to nothing"
        )
        assert server.bodies[0] == server.bodies[1]
        with engine(place, server, resume=session) as driver:
            assert driver.restored is not None
            assert [type(row) for row in driver.restored.rows][: len(rows)] == [
                type(row) for row in rows
            ]
            driver.turn("next")
    assert [m["content"] for m in server.messages[2] if m["role"] == "assistant"] == ["whole"]


def test_after_a_kill_the_thoughts_of_a_void_attempt_are_no_part_of_the_next() -> None:
    begun = (
        TurnStarted(turn=1, prompt="go"),
        StepStarted(step=1),
        RequestSent(model="m"),
        Partial(thinking="void"),
        Retrying(2, 1.0, "reset"),
        RequestSent(model="m", attempt=2),
        Partial(text="half an ans"),
    )
    [reply] = [
        event
        for event in settle_open_turns(begun, fold(begun))
        if isinstance(event, AssistantReplied)
    ]
    assert (reply.text, reply.reasoning) == ("half an ans", "")


def test_going_on_instead_keeps_what_was_said(place: Place) -> None:
    with (
        model_server(said("half ", end=""), said("an ans", end=""), said("wer")) as server,
        engine(place, server) as driver,
    ):
        driver.turn("go")
        driver.send(Continue())
        assert driver.until(TurnEnded).state == "completed"
    assert [m["role"] for m in server.messages[2]][-2:] == ["assistant", "user"]
    assert server.messages[2][-2]["content"] == "an ans"


def test_a_whole_answer_is_not_asked_for_again(place: Place) -> None:
    with model_server(said("whole")) as server, engine(place, server) as driver:
        driver.turn("go")
        driver.send(Continue(again=True))
        told = driver.until(Answered, lambda event: isinstance(event.data, Refused)).data
        assert isinstance(told, Refused) and "nothing to retry" in told.said
        assert not driver.all(Notice)
    assert len(server.bodies) == 1


def test_a_call_never_runs_twice(place: Place) -> None:
    """A stream is cut in the middle of a call; then twice behind the result of that call."""
    answers = (
        streamed(call("run_shell_command", '{"command": "echo ran >> r'), end=""),
        streamed(RUN, end="tool_calls"),
        said("it r", end=""),
        said("an", end=""),
        streamed(end=""),
        said("it ran"),
    )
    with model_server(*answers) as server, engine(place, server, mode="accept-all") as driver:
        assert driver.turn("go").state == "error"
        assert (place.cwd / "ran.txt").read_text() == "ran\n"
        driver.send(Continue(again=True))
        assert driver.until(TurnEnded).state == "completed"
        assert [reply.text for reply in driver.all(AssistantReplied)] == [
            "",
            "it r",
            "an",
            "it ran",
        ]
        assert len(driver.all(ToolEnded)) == 1
    assert (place.cwd / "ran.txt").read_text() == "ran\n"
    assert server.bodies[3] == server.bodies[4] == server.bodies[5]
