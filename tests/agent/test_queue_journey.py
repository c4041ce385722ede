"""The real engine: three prompts wait, one is edited, one is moved, one steers, Esc pauses, the
rest goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.session.queue import move_item
from agent_tui.protocol.events import (
    DraftSaved,
    QueueChanged,
    SteerSeen,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Cancel, QueueEdit, SaveDraft, Steer, Submit
from agent_tui.protocol.transcript import Queued
from tests.agent.driving import Driver, Place

HANG = {
    "call": "run_shell_command",
    "arguments": {"command": "echo up; until [ -e go ]; do sleep 0.02; done"},
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def _queued(driver: Driver, *texts: str) -> dict[str, str]:
    """Queue `texts`; returns the id of each."""
    for text in texts:
        driver.send(QueueEdit("add", text=text))
    items = driver.until(QueueChanged, lambda event: len(event.items) == len(texts)).items
    return {item.text: item.id for item in items}


def _texts(driver: Driver) -> list[str]:
    return [item.text for item in driver.transcript().queue]


def test_queue_three_edit_one_steer_one_escape_and_resume(place: Place) -> None:
    model = place.script(
        [{"text": "on it"}, HANG], [{"text": "more"}, {"hang": True}], *[[{"text": "done"}]] * 3
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        ids = _queued(driver, "one", "two", "three")
        driver.send(QueueEdit("edit", id=ids["two"], text="two, better"))
        driver.send(QueueEdit("up", id=ids["three"]))
        driver.until(QueueChanged, lambda event: event.items[1].text == "three")
        assert _texts(driver) == ["one", "three", "two, better"]
        driver.send(Steer(queue_id=ids["one"]))
        (place.cwd / "go").touch()
        seen = driver.until(SteerSeen)
        assert (seen.text, seen.queue_id) == ("one", ids["one"])
        driver.until(TextDelta)
        driver.send(Cancel())
        driver.until(TurnEnded)
        transcript = driver.transcript()
        assert transcript.paused and [item.text for item in transcript.queue] == [
            "three",
            "two, better",
        ]
        driver.send(QueueEdit("resume"))
        driver.until(QueueChanged, lambda event: not event.paused)
        driver.send(Submit("three", queue_id=ids["three"]))
        driver.until(TurnEnded)
        driver.send(
            Submit("two", queue_id=ids["two"])
        )  # asked for before the edit was known: the new words count
        driver.until(TurnEnded)
        assert [event.prompt for event in driver.all(TurnStarted)] == ["go", "three", "two, better"]
        driver.send(Submit("two", queue_id=ids["two"]))  # it has left the queue: never twice
        assert driver.turn("last").state == "completed"
        assert len(driver.all(TurnStarted)) == 4


def test_a_prompt_can_be_sent_before_the_others_by_stopping_the_turn(place: Place) -> None:
    with place.engine(
        place.script([{"text": "on it"}, {"hang": True}], [{"text": "done"}])
    ) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        ids = _queued(driver, "one", "two")
        for op in (Cancel(), Submit("two", queue_id=ids["two"]), QueueEdit("resume")):
            driver.send(op)
        assert driver.until(TurnEnded).state == "cancelled"
        assert driver.until(TurnStarted).prompt == "two"
        assert driver.until(TurnEnded).state == "completed"
        transcript = driver.transcript()
        assert not transcript.paused and [item.text for item in transcript.queue] == ["one"]


def test_edits_and_order_outlive_the_program(place: Place) -> None:
    model = place.script([{"text": "on it"}, {"hang": True}])
    with place.engine(model) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        ids = _queued(driver, "one", "two", "three")
        driver.send(QueueEdit("down", id=ids["one"]))
        driver.send(QueueEdit("edit", id=ids["one"], text="one!"))
        driver.until(QueueChanged, lambda event: any(item.text == "one!" for item in event.items))
        session = driver.all(QueueChanged)[0].session
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None
        assert [item.text for item in driver.restored.queue] == [
            "two",
            "one!",
            "three",
        ] and driver.restored.paused


@pytest.mark.parametrize("op", [QueueEdit("add", text="next"), Steer("next")])
def test_what_waits_is_no_draft_as_well_after_a_kill(place: Place, op: QueueEdit | Steer) -> None:
    model = place.script([{"text": "on it"}, {"hang": True}])
    with place.engine(model) as driver:
        driver.send(Submit("go"))
        driver.until(TextDelta)
        driver.send(SaveDraft("next"))
        driver.send(op)
        driver.until(QueueChanged)
        log = next((place.home / "sessions").glob("*.jsonl"))
        session = driver.all(QueueChanged)[0].session
        driver.send(QueueEdit("pause"))
        driver.until(QueueChanged, lambda event: event.paused)
        driver.send(SaveDraft("next and more"))
        driver.until(DraftSaved)
        killed = log.read_bytes()
    log.write_bytes(killed)
    assert [event.text for event in driver.all(DraftSaved)] == ["next and more"]
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None
        assert [item.text for item in driver.restored.queue] == ["next"]


def test_moving_passes_over_words_for_the_running_turn() -> None:
    one, two, three, now = (
        Queued("1", "a"),
        Queued("2", "b"),
        Queued("3", "c"),
        Queued("4", "d", steer=True),
    )
    assert move_item((one, now, two, three), "1", 1) == (two, now, one, three)
    assert move_item((one, now, two, three), "3", -1) == (one, now, three, two)
    for id, by in (("1", -1), ("3", 1), ("4", 1), ("5", 1)):
        assert move_item((one, now, two, three), id, by) == (one, now, two, three)
