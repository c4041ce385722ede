"""A session that another program works at: read along as it grows, never written, or forked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.session.following import growth
from agent_tui.agent.worker import Worker
from agent_tui.protocol.codec import encode
from agent_tui.protocol.events import (
    Answered,
    AssistantReplied,
    DraftSaved,
    Notice,
    Restored,
    SessionStarted,
    TurnEnded,
)
from agent_tui.protocol.ops import Fork, Resume, Submit
from agent_tui.protocol.transcript import DividerBlock, Transcript, UserBlock
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def working(place: Place) -> Iterator[tuple[Driver, str, str]]:
    """A program at work, its model, and its session."""
    model = place.script([{"text": "one"}], [{"text": "two"}], [{"text": "three"}])
    with place.engine(model) as driver:
        driver.turn("first")
        yield driver, model, driver.events[0].session


def beside(place: Place, model: str, session: str, **options: str) -> Driver:
    config = replace(place.config(model, resume=session), or_new=True, **options)  # type: ignore[arg-type]
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    return driver


def prompts(driver: Driver) -> list[str]:
    return [block.text for block in driver.transcript().rows if isinstance(block, UserBlock)]


def restored(driver: Driver) -> list[str]:
    assert driver.restored is not None
    return [block.text for block in driver.restored.rows if isinstance(block, UserBlock)]


def test_a_second_program_reads_along(place: Place, working: tuple[Driver, str, str]) -> None:
    first, model, session = working
    second = beside(place, model, session, how="read")
    try:
        assert "read only here" in second.until(Notice).text
        assert (
            second.restored is not None and second.restored.reading and prompts(second) == ["first"]
        )
        before = (place.home / "sessions" / f"{session}.jsonl").read_bytes()
        second.send(Submit("mine"))
        second.until(Notice)
        assert (place.home / "sessions" / f"{session}.jsonl").read_bytes() == before
        first.turn("second")
        second.until(TurnEnded)
        assert prompts(second) == ["first", "second"]
        assert [reply.text for reply in second.all(AssistantReplied)] == ["two"]
        second.send(Fork())
        made = second.until(Answered, lambda event: event.kind == "forked").data
        second.send(Resume(made.id))
        assert second.until(SessionStarted).session == made.id
        assert restored(second) == ["first", "second"] and not second.transcript().reading
        assert second.turn("third").state == "completed"
    finally:
        second.worker.stop(10)


def test_what_to_do_is_offered_and_can_be_chosen(
    place: Place, working: tuple[Driver, str, str]
) -> None:
    _, model, session = working
    second = beside(place, model, session)
    try:
        new = second.until(SessionStarted).session
        assert new != session
        locked = second.until(Answered, lambda event: event.kind == "locked").data
        assert locked.id == session and "another program" in locked.said
        second.send(Resume(session, how="read"))
        assert (
            "read only here"
            in second.until(Notice, lambda notice: "instead" not in notice.text).text
        )
        second.send(Resume(session, how="fork"))
        forked = second.until(SessionStarted)
        assert forked.session not in (session, new) and restored(second) == ["first"]
    finally:
        second.worker.stop(10)


def test_it_is_said_when_the_session_is_free(place: Place) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}])
    with place.engine(model) as first:
        first.turn("first")
        session = first.events[0].session
        second = beside(place, model, session, how="read")
        second.until(Notice)
    try:
        second.until(Notice, lambda notice: "has closed" in notice.text)
        second.send(Resume(session))
        assert second.until(SessionStarted).resumed
        assert second.turn("mine").state == "completed"
    finally:
        second.worker.stop(10)


def kinds(transcript: Transcript) -> list[type]:
    return [type(row) for row in transcript.rows if not isinstance(row, DividerBlock)]


WRITER = """
import sys, time
from pathlib import Path
from agent_tui.protocol.ops import Submit
from tests.agent.driving import Place
with Place(Path(sys.argv[1])).engine(sys.argv[2], mode="accept-all") as driver:
    driver.send(Submit("go"))
    time.sleep(60)
"""


@contextmanager
def writing(place: Place, model: str, when: str) -> Iterator[tuple[str, int]]:
    """A program of its own whose log holds `when`: its session and its number."""
    argv = [sys.executable, "-c", WRITER, str(place.root), model]
    process = subprocess.Popen(argv, cwd=Path(__file__).parents[2])
    found: list[Path] = []
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = [
                path
                for path in (place.home / "sessions").glob("*.jsonl")
                if when in path.read_text()
            ]
            if found:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the log never held what was waited for")
        yield found[0].stem, process.pid
    finally:
        process.kill()
        process.wait()


HANGS = {
    "an answer": ([{"text": "word " * 2_000, "chunk": 100}, {"hang": True}], '"partial"'),
    "a command": (
        [{"call": "run_shell_command", "arguments": {"command": "sleep 50"}}],
        '"tool_started"',
    ),
}


@pytest.mark.parametrize("what", HANGS)
def test_the_end_of_a_program_that_was_killed_in_its_turn_is_told(place: Place, what: str) -> None:
    steps, when = HANGS[what]
    model = place.script(steps, [{"text": "mine"}])
    with writing(place, model, when) as (session, pid):
        second = beside(place, model, session, how="read")
        try:
            second.until(Notice)
            assert second.transcript().state != "idle"
            log = place.home / "sessions" / f"{session}.jsonl"
            os.kill(pid, signal.SIGKILL)
            told = second.until(Notice)
            assert told.text == "The other program stopped during a turn."
            assert "/resume" in told.hint and second.all(TurnEnded)[-1].state == "interrupted"
            shown = second.transcript()
            assert shown.state == "idle" and shown.streaming is None and not shown.open_tools
            assert b'"turn_ended"' not in log.read_bytes()  # only who opens it writes to it
            # settles the turn in its log: read anew, not twice
            with place.engine("", resume=session, mode="accept-all") as third:
                while not isinstance(anew := second.worker.events.get(timeout=20), Restored):
                    pass
                assert third.restored is not None and anew.transcript.reading
                assert kinds(anew.transcript) == kinds(third.restored)
            second.until(Notice, lambda notice: "has closed" in notice.text)
            second.send(Resume(session))
            assert second.until(SessionStarted).resumed
        finally:
            second.worker.stop(10)


def test_growth_is_taken_in_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [encode(DraftSaved(text=text, n=n)) for n, text in enumerate("ab", 1)]
    path.write_bytes(lines[0] + lines[1][:20])
    first = growth(path, 0)
    assert [event.n for event in first.events] == [1] and first.end == len(lines[0])
    path.write_bytes(b"".join(lines) + b"no record\n")
    second = growth(path, first.end)
    assert [event.n for event in second.events] == [2]
    path.write_bytes(lines[0])
    assert growth(path, second.end).anew
    assert growth(tmp_path / "missing", 5).end == 5
