"""What lists show of a session, of a file and of the log: the ends of files, however long or
damaged; and how another session takes the place of the one that is open."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.queries import LINE, TAIL, answer_query
from agent_tui.agent.worker import Worker
from agent_tui.protocol.answers import LogTail, Preview
from agent_tui.protocol.events import Answered, ErrorRaised, SessionStarted, ShellEnded
from agent_tui.protocol.ops import Query, QueryKind, Resume, RunShell, Submit
from agent_tui.protocol.transcript import TextBlock, UserBlock
from tests.agent.driving import Driver, Place

ANSWER = [{"text": "It is done."}]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def asked(place: Place, kind: QueryKind, argument: str = "", session: str = "") -> Any:
    answer = answer_query(place.config("scripted/none.json"), Query("q", kind, argument), session)
    assert answer.id == "q"
    return answer.data


def texts(data: Preview) -> list[str]:
    return [part.text for part in data.parts]


def ask(driver: Driver, kind: QueryKind, argument: str = "") -> Any:
    driver.send(Query("look", kind, argument))
    return driver.until(Answered, lambda event: event.id == "look").data


def test_a_session_without_a_prompt_says_so(place: Place) -> None:
    model = place.script([{"text": "unheard"}])
    with place.engine(model) as driver:
        driver.send(RunShell("echo hi"))
        driver.until(ShellEnded)
        assert texts(ask(driver, "session_preview", driver.events[0].session)) == [
            "(nothing said yet)",
            "(none)",
        ]


def test_the_last_prompt_and_answer_of_a_session(place: Place) -> None:
    with place.engine(place.script(ANSWER, [{"text": "Again."}])) as driver:
        driver.turn("do it")
        driver.turn("once more")
        session = driver.transcript().session
        data = ask(driver, "session_preview", session)
        assert data.of == session and texts(data) == ["once more", "Again."]
        lines = ask(driver, "log").lines
        assert {line.source for line in lines} == {"log", "session"}
        assert any(line.text.startswith("turn_ended") for line in lines)


@pytest.mark.parametrize("id", ["gone", "../../etc/passwd", ""])
def test_a_session_that_is_not_there_is_said(place: Place, id: str) -> None:
    assert "cannot be read" in texts(asked(place, "session_preview", id))[0]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"", ""),
        (b"a\nb\n", "a\nb"),
        (b"\x00\x01", "it is not text"),
        (b"\xff\xfe caf\xc3\xa9", "\ufffd\ufffd café"),
        (b"x" * 1_000_000, "x" * LINE),
        (b"1\n" * 100, "\n".join("1" * 8)),
    ],
)
def test_the_first_lines_of_a_file(place: Place, content: bytes, shown: str) -> None:
    place.cwd.mkdir()
    (place.cwd / "file").write_bytes(content)
    assert texts(asked(place, "file_preview", "file")) == [shown]


def test_a_folder_a_pipe_and_nothing_at_all(place: Place) -> None:
    (place.cwd / "src").mkdir(parents=True)
    (place.cwd / "src" / "one.py").touch()
    os.mkfifo(place.cwd / "pipe")
    assert texts(asked(place, "file_preview", "src/")) == ["one.py"]
    assert texts(asked(place, "file_preview", "pipe")) == ["it is not a file"]
    assert "cannot be read" in texts(asked(place, "file_preview", "gone"))[0]


def test_of_a_long_log_the_end_is_read_in_order(place: Place) -> None:
    logs, sessions = place.home / "logs", place.home / "sessions"
    logs.mkdir(parents=True)
    sessions.mkdir()
    (logs / "agent-20250101-000000-0.log").write_text("2025-01-01 00:00:00,000 INFO an older run\n")
    with (logs / "agent-20260101-000000-0.log").open("w") as file:
        file.truncate(100_000_000)  # nothing but holes
        file.seek(100_000_000)
        file.write("\n2026-01-31 12:00:00,000 ERROR it failed\nTraceback\n  line 1\n")
        file.write("2026-01-31 12:00:09,500 INFO over\n")
    record = {"v": 1, "at": 4e9, "type": "notice", "level": "warning", "text": "late", "c": 1}
    (sessions / "s.jsonl").write_text(
        "damage\n[1]\n" + json.dumps(record) + "\n" + '{"at": "x"}\n{"at": 1e300}\n'
    )
    data = asked(place, "log", session="s")
    lines = data.lines
    assert [line.level for line in lines] == ["error", "info", "warning"]
    assert lines[0].text == "it failed\nTraceback\n  line 1" and lines[-1].text.startswith("notice")
    assert data.left > 100_000_000 - TAIL


def test_without_any_log_there_are_no_lines(place: Place) -> None:
    assert asked(place, "log", session="none") == LogTail()


def test_another_session_takes_the_place_of_the_open_one(place: Place) -> None:
    with place.engine(place.script(*[ANSWER] * 4)) as driver:
        driver.turn("the first")
        first = driver.transcript().session
    with place.engine(place.script(*[ANSWER] * 4)) as driver:
        driver.turn("the second")
        second = driver.transcript().session
        assert second != first
        driver.send(Resume(first))
        started = driver.until(SessionStarted)
        assert started.session == first and started.resumed and driver.restored is not None
        assert [row.text for row in driver.restored.rows if isinstance(row, UserBlock)] == [
            "the first"
        ]
        driver.turn("and on")
        driver.send(Resume(""))
        assert driver.until(SessionStarted).session not in (first, second)
        driver.send(Resume(second))
        assert driver.until(SessionStarted).session == second
        assert any(isinstance(row, TextBlock) for row in driver.restored.rows)


def test_a_session_that_cannot_be_opened_leaves_the_open_one(place: Place) -> None:
    with place.engine(place.script(ANSWER, ANSWER)) as driver:
        driver.turn("here")
        driver.send(Resume("gone"))
        assert "no such session" in driver.until(ErrorRaised).text
        driver.turn("still here")


def test_a_running_turn_is_not_left(place: Place) -> None:
    with place.engine(place.script(*[ANSWER] * 4)) as driver:
        session = driver.transcript().session
        driver.send(Submit("go"))
        driver.send(Resume(""))
        driver.send(Resume(session))
        driver.until(Answered, lambda event: event.kind == "skills")
        assert len(driver.all(SessionStarted)) == 1


def test_the_list_at_the_start_has_previews(place: Place) -> None:
    with place.engine(place.script(*[ANSWER] * 4)) as driver:
        driver.turn("the first")
        first = driver.transcript().session
    config = place.config("scripted/script.json", resume="?")
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    try:
        driver.until(Answered, lambda event: event.kind == "sessions")
        assert texts(ask(driver, "session_preview", first)) == ["the first", "It is done."]
        driver.send(Resume(first))
        assert driver.until(SessionStarted).session == first
    finally:
        driver.worker.stop(10)
