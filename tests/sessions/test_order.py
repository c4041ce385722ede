"""Which session was used last, also where the clock was set back meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.protocol.events import (
    DraftSaved,
    Event,
    JobChanged,
    QueueChanged,
    SessionStarted,
    ShellStarted,
)
from agent_tui.protocol.standing import Queued
from agent_tui.sessions.index.listing import last_used, recent
from agent_tui.sessions.log import copies, order
from agent_tui.sessions.log.store import Store
from tests.sessions.test_index import session, turn

NOON, BEFORE = 1_700_000_000.0, 1_690_000_000.0
HERE = Path("/a")


def begin(folder: Path, id: str, at: float, cwd: str = "/a") -> None:
    session(folder, id, SessionStarted(cwd=cwd, model="x/y", at=at), *turn(1, "do it", at))


def test_a_session_of_a_clock_that_was_set_back_is_still_the_last(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    begin(folder, "first", NOON)
    begin(folder, "second", BEFORE)
    begin(folder, "elsewhere", BEFORE - 1, cwd="/b")
    last = last_used(folder, HERE)
    assert last is not None and last.id == "second"
    assert [one.id for one in recent(folder, HERE)] == ["first", "second"], (
        "the list shows the times of the logs"
    )
    opened = Store.open(folder, "first")
    for event in turn(2, "and that", BEFORE - 5):
        opened.store.append(event)
    opened.store.close()
    last = last_used(folder, HERE)
    assert last is not None and last.id == "first", "a session that went on is the last again"


def test_without_an_order_the_time_says_it(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    begin(folder, "old", BEFORE)
    begin(folder, "new", NOON)
    for damage in (None, b"", b"\xff\n\n\x00", b"someone\n" * 9):
        order.order_path(folder).unlink(missing_ok=True)
        if damage is not None:
            order.order_path(folder).write_bytes(damage)
        last = last_used(folder, HERE)
        assert last is not None and last.id == "new"
    order.order_path(folder).unlink()
    order.order_path(folder).mkdir()
    begin(folder, "third", NOON + 9)  # it cannot be noted, and nothing else is wrong
    last = last_used(folder, HERE)
    assert last is not None and last.id == "third"
    assert last_used(tmp_path / "nowhere") is None


def test_a_copy_that_was_just_made_is_the_last(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    begin(folder, "old", NOON)
    begin(folder, "new", NOON + 99)
    made = copies.fork(folder, "old")
    last = last_used(folder, HERE)
    assert last is not None and last.id == made.id


@pytest.mark.parametrize(
    ("held", "last"),
    [
        ((), "old"),
        ((DraftSaved("words"),), "new"),
        ((DraftSaved("words"), DraftSaved("")), "old"),
        ((QueueChanged((Queued("q", "later"),)),), "new"),
        ((ShellStarted("c", "ls"),), "new"),
    ],
    ids=["nothing", "a draft", "a draft that went", "a queue", "a command"],
)
def test_a_session_in_which_nothing_was_said_is_not_the_last(
    tmp_path: Path, held: tuple[Event, ...], last: str
) -> None:
    folder = tmp_path / "sessions"
    job = JobChanged("j", "running", "make", at=NOON)  # it was kept, and the session lists it
    session(folder, "empty", SessionStarted(cwd="/a", model="x/y", at=NOON), job)
    only = last_used(folder, HERE)
    assert only is not None and only.id == "empty", "where there is no other"
    begin(folder, "old", NOON)
    at = NOON + 9
    started = SessionStarted(cwd="/a", model="x/y", at=at)
    session(folder, "new", started, job, *(replace(one, at=at) for one in held))
    found = last_used(folder, HERE)
    assert found is not None and found.id == last


def test_the_order_stays_small_and_each_use_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for _ in range(3):
        order.note_use(folder, "same")
    assert order.order_path(folder).read_text() == "same\n"
    with order.order_path(folder).open("a") as file:
        file.write("a line that was cut")
    order.note_use(folder, "same")
    assert order.order_path(folder).read_text().endswith("a line that was cut\nsame\n")
    for number in range(2 * order.MOST // 20):
        order.note_use(folder, f"session-{number % 7:011}")
    assert order.order_path(folder).stat().st_size <= order.MOST + 20
    assert (
        max(order.last_uses(folder).items(), key=lambda one: one[1])[0]
        == f"session-{number % 7:011}"
    )
