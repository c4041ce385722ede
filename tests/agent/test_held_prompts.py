"""What is sent while something is asked before the next turn: it is on record in the queue, and
begins only with the answer."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import PromptHold, TrustOffer
from agent_tui.protocol.events import (
    Answered,
    DraftSaved,
    Notice,
    QuestionAsked,
    QueueChanged,
    ShellStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import (
    Answer,
    Cancel,
    QueueEdit,
    RunShell,
    SetTrust,
    Steer,
    Submit,
)
from agent_tui.protocol.ops import Continue as GoOn
from tests.agent.driving import Driver, Place, running
from tests.agent.model_server import ModelServer
from tests.agent.test_confirmations import server, suggesting

__all__ = ["server"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, trusts=False)
    made.cwd.mkdir()
    (made.cwd / "AGENTS.md").write_text("Obey me.\n")
    return made


def trusted(place: Place) -> Place:
    place.trusts = True
    return place


def script(place: Place) -> str:
    return place.script([{"text": "one"}], [{"text": "two"}], [{"text": "three"}])


def engine(place: Place, **options: Any) -> AbstractContextManager[Driver]:
    return place.engine(script(place), **options)


def trust_asked(driver: Driver) -> TrustOffer:
    found = driver.until(Answered, lambda one: isinstance(one.data, TrustOffer)).data
    assert isinstance(found, TrustOffer) and found.asks
    return found


def held_until_end(driver: Driver) -> None:
    """Wait for the end of the question: what goes on with it has begun by then."""
    driver.until(Answered, lambda one: isinstance(one.data, PromptHold) and not one.data.on)


def queued(driver: Driver) -> list[str]:
    return [item.text for item in driver.transcript().queue]


def begun(driver: Driver) -> list[str]:
    return [event.prompt for event in driver.all(TurnStarted)]


def logged(place: Place, kind: str) -> list[dict[str, Any]]:
    [path] = (place.home / "sessions").glob("*.jsonl")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line.get("type") == kind]


def test_prompts_are_told_and_on_record_as_queued_before_the_answer(place: Place) -> None:
    with engine(place) as driver:
        offer = trust_asked(driver)
        driver.send(Submit("first"))
        driver.send(Steer("second"))
        driver.until(QueueChanged, lambda event: len(event.items) == 2)
        assert queued(driver) == ["first", "second"] and not begun(driver)
        assert [one["text"] for one in logged(place, "queue_changed")[-1]["items"]] == [
            "first",
            "second",
        ]
        driver.send(SetTrust("no", tuple(one.hash for one in offer.files)))
        driver.until(TurnEnded)
        assert begun(driver) == ["first"] and queued(driver) == ["second"]


@pytest.mark.parametrize("clears", [False, True])
def test_a_cancel_at_the_question_about_trust_begins_nothing(place: Place, clears: bool) -> None:
    with engine(place) as driver:
        trust_asked(driver)
        driver.send(Submit("first"))
        driver.send(Submit("second"))
        driver.send(GoOn())
        driver.send(Cancel(clears))
        held_until_end(driver)
        assert not begun(driver)
        assert queued(driver) == ([] if clears else ["first", "second"])
        assert driver.transcript().paused is not clears
        told = [one.data for one in driver.all(Answered)]
        offers = [data for data in told if isinstance(data, TrustOffer)]
        if offers[-1].asks:  # the project is looked at once more, which takes a moment
            closes = driver.until(Answered, lambda event: isinstance(event.data, TrustOffer)).data
            assert isinstance(closes, TrustOffer) and not closes.asks, "the sheet closes"
        driver.send(QueueEdit("resume"))
        assert driver.turn("third").state == "completed", "and it goes on without"


@pytest.mark.parametrize("clears", [False, True])
def test_a_cancel_at_a_suggested_model_begins_nothing(
    place: Place, server: ModelServer, clears: bool
) -> None:
    with running(suggesting(trusted(place), server, "compatible/m")) as driver:
        driver.until(QuestionAsked)
        driver.send(Submit("first"))
        driver.send(Cancel(clears))
        held_until_end(driver)
        assert not begun(driver) and queued(driver) == ([] if clears else ["first"])
        assert not driver.transcript().questions


def test_later_at_a_suggested_model_goes_on(place: Place, server: ModelServer) -> None:
    with running(suggesting(trusted(place), server, "compatible/m")) as driver:
        question = driver.until(QuestionAsked)
        driver.send(Submit("first"))
        driver.send(Answer(question.id, "later"))
        assert driver.until(TurnEnded).state == "completed" and begun(driver) == ["first"]


def test_a_command_of_the_person_waits_for_nothing_and_is_not_run(place: Place) -> None:
    with engine(place) as driver:
        offer = trust_asked(driver)
        driver.send(RunShell("touch ran.txt"))
        driver.until(Notice, lambda one: "answer the question first" in one.text)
        driver.send(SetTrust("no", tuple(one.hash for one in offer.files)))
        held_until_end(driver)
        assert driver.turn("go").state == "completed"
        assert not driver.all(ShellStarted) and not (place.cwd / "ran.txt").exists()


def test_the_end_begins_nothing_and_keeps_what_waited(place: Place) -> None:
    with engine(place) as driver:
        trust_asked(driver)
        driver.send(Submit("first"))
        driver.send(Submit("second"))
        session = driver.events[0].session
    assert not logged(place, "turn_started") and not logged(place, "request_sent")
    with engine(place, resume=session) as driver:
        assert queued(driver) == ["first", "second"] and driver.transcript().paused
        assert not [one for one in driver.all(Notice) if "cut off" in one.text]


def test_a_prompt_begins_beside_a_queue_that_was_left_paused(place: Place) -> None:
    with engine(place) as driver:
        trust_asked(driver)
        driver.send(Submit("left"))
        session = driver.events[0].session
    with engine(place, resume=session) as driver:
        offer = trust_asked(driver)
        driver.send(Submit("now"))
        driver.send(Submit("", queue_id=driver.transcript().queue[0].id))  # of who did not know
        driver.send(SetTrust("no", tuple(one.hash for one in offer.files)))
        driver.until(TurnEnded)
        assert begun(driver) == ["now"] and queued(driver) == ["left"]
        assert driver.transcript().paused


def test_without_a_model_a_prompt_is_given_back(place: Place) -> None:
    with place.engine("") as driver:
        trust_asked(driver)
        driver.send(Submit("first"))
        assert driver.until(DraftSaved).text == "first" and not queued(driver)
