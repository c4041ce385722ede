"""Several sessions in one worker, and several readers of what they tell."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

import pytest

from agent_tui.agent.session.agent import Agent
from agent_tui.agent.worker import EventReader, Worker
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    ErrorRaised,
    Notice,
    SessionStarted,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Cancel, Op, Resume, SaveDraft, Shutdown, Submit
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def both(driver: Driver) -> tuple[str, str]:
    """The session that is open, and a new one beside it."""
    first = driver.all(SessionStarted)[0].session
    driver.send(Resume("", beside=True))
    return first, driver.until(SessionStarted).session


def submit(driver: Driver, session: str) -> None:
    driver.send(Submit("go", session=session))
    driver.until(TurnStarted, lambda event: event.session == session)


HANGS = {"branches": [{"items": ["half", {"hang": True}]}]}
ENDS = {"branches": [{"items": ["whole"]}]}


def test_two_sessions_work_at_once_and_each_op_reaches_the_one_that_it_names(place: Place) -> None:
    with place.engine(place.script(HANGS)) as driver:
        first, second = both(driver)
        submit(driver, first)
        submit(driver, second)
        driver.until(TextDelta, lambda event: event.session == second)
        driver.send(Cancel(session=first))
        assert driver.until(TurnEnded).session == first
        driver.send(Cancel())  # without a name: the newest
        assert driver.until(TurnEnded).session == second
    logs = {path.stem for path in (place.home / "sessions").glob("*.jsonl")}
    assert logs == {first, second}


def test_one_that_fails_ends_alone_and_is_free_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = Agent.handle

    def failing(self: Agent, op: Op) -> None:
        if isinstance(op, SaveDraft):
            raise RuntimeError("broken")
        handle(self, op)

    with place.engine(place.script(ENDS)) as driver:
        first, second = both(driver)
        submit(driver, first)
        driver.until(TurnEnded)
        monkeypatch.setattr(Agent, "handle", failing)
        driver.send(SaveDraft("x", session=first))
        error = driver.until(ErrorRaised)
        assert (error.session, error.kind) == (
            first,
            "session",
        ) and "RuntimeError: broken" in error.text
        submit(driver, second)
        driver.until(TurnEnded, lambda event: event.session == second)
        driver.send(Resume(first, beside=True))
        assert driver.until(SessionStarted).session == first
        driver.send(Shutdown(session=second))
        driver.send(SaveDraft("x", session=first))  # the last one: the engine ends with it
        assert driver.until(ErrorRaised).kind == "stopped"


def test_one_can_be_left_and_what_names_it_then_is_said_to_be_lost(place: Place) -> None:
    with place.engine(place.script(ENDS)) as driver:
        first, second = both(driver)
        driver.send(Shutdown(session=second))
        driver.send(Submit("go", session=second))
        lost = driver.until(Notice)
        assert lost.session == second and "is not open here" in lost.text
        driver.send(Submit("go"))
        assert driver.until(TurnEnded).session == first
        driver.send(Shutdown(session=first))
        driver.worker.stop(20)
        assert not driver.worker.is_alive


def test_to_open_one_that_is_open_makes_it_the_one_without_a_name(place: Place) -> None:
    with place.engine(place.script(ENDS)) as driver:
        first, _ = both(driver)
        driver.send(Resume(first))
        driver.send(Submit("go"))
        assert driver.until(TurnEnded).session == first


def taken(reader: EventReader) -> list[Event | Restored]:
    found: list[Event | Restored] = []
    try:
        while True:
            found.append(reader.events.get_nowait())
    except queue.Empty:
        return found


def test_each_reader_has_every_event_in_order_however_slow_another_is(place: Place) -> None:
    words = {"branches": [{"items": [{"text": "word ", "repeat": 200, "chunk": 5}]}]}
    with place.engine(place.script(words)) as driver:
        woken = threading.Event()
        one, slow, gone = driver.worker.read(woken.set), driver.worker.read(), driver.worker.read()
        driver.worker.leave(gone)
        one.resting = True
        before = len(driver.events)
        driver.turn("go")
        assert woken.wait(20) and not one.resting
        told = driver.events[before:]
        assert taken(one)[: len(told)] == told == taken(slow)[: len(told)]
        assert gone.events.empty()


def test_a_reader_may_join_and_leave_while_another_thread_tells() -> None:
    worker = Worker.__new__(Worker)
    EventReader.__init__(worker)
    worker._lock, worker._readers = threading.RLock(), (worker,)
    notices = [Notice(str(number)) for number in range(2_000)]
    teller = threading.Thread(target=lambda: [worker._tell(notice) for notice in notices])
    teller.start()
    readers = [worker.read() for _ in range(50)]
    for reader in readers[::2]:
        worker.leave(reader)
    teller.join()
    assert taken(worker) == notices
    for reader in readers[1::2]:
        had = taken(reader)
        assert had == notices[len(notices) - len(had) :], "from where it joined to the end"
