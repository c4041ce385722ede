"""A session from its log: the same screen, the same request, an interrupted turn settled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.config import CHOOSE
from agent_tui.agent.session.history import History
from agent_tui.agent.turn.undo_limits import UNKNOWN
from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    AssistantReplied,
    ContextBuilt,
    DraftSaved,
    Event,
    Notice,
    RequestSent,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.messages import AssistantMessage, ToolMessage, UserMessage
from agent_tui.protocol.ops import Answer, QueueEdit, RestoreFiles, Resume, SaveDraft, SetMode
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.sessions.index.stats import stats
from agent_tui.sessions.log.store import Store
from tests.agent.driving import Driver, Place
from tests.agent.test_restore import answer, ask


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def events_of(place: Place) -> list[Event]:
    [path] = (place.home / "sessions").glob("*.jsonl")
    opened = Store.open(path.parent, path.stem)
    opened.store.close()
    return opened.events


def test_resume_shows_the_same_screen_and_sends_the_same_bytes(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "AGENTS.md").write_text("Be brief.\n")
    (place.cwd / "a.txt").write_text("x\n")
    model = place.script(
        [{"thinking": "hm"}, {"call": "read_file", "arguments": {"path": "a.txt"}}],
        [{"text": "# One\n\ntext"}],
        [{"text": "two"}],
    )
    with place.engine(model) as driver:
        driver.turn("first")
        driver.send(SetMode("accept-edits"))
        driver.send(SaveDraft("not yet"))
        time.sleep(0.8)
        session, live = driver.events[0].session, driver
    before = History()
    for event in events_of(place):
        before = before.with_event(event)
    (place.cwd / "AGENTS.md").write_text("Be long.\n")  # the files of today do not matter
    with place.engine("", resume=session) as driver:
        restored = driver.restored
        assert restored is not None
        shown = live.transcript()
        assert restored.rows == shown.rows
        assert (restored.mode, restored.model, restored.draft) == ("accept-edits", model, "not yet")
        driver.turn("second")
        assert not driver.all(ContextBuilt)
    after = History()
    for event in events_of(place):
        after = after.with_event(event)
    assert (
        "Be brief." in after.system
        and after.system == before.system
        and after.tools == before.tools
    )
    assert after.messages[: len(before.messages)] == before.messages[:]
    kinds = [type(message) for message in after.messages]
    assert kinds == [
        UserMessage,
        AssistantMessage,
        ToolMessage,
        AssistantMessage,
        UserMessage,
        AssistantMessage,
    ]


CHILD = """
import sys, time
from pathlib import Path
from tests.agent.driving import Place
from agent_tui.protocol.events import *
from agent_tui.protocol.ops import *
place = Place(Path(sys.argv[1]))
with place.engine(sys.argv[2], mode=sys.argv[3]) as driver:
    driver.send(QueueEdit("add", text="waiting"))
    driver.send(Submit("go"))
    print("ready", flush=True)
    time.sleep(60)
"""


def killed(place: Place, model: str, mode: str, when: str) -> None:
    """Run an engine in a child and kill it with -9 once its log holds `when`."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(place.root), model, mode],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        logs = list((place.home / "sessions").glob("*.jsonl"))
        if logs and when in logs[0].read_text():
            break
        time.sleep(0.02)
    else:
        process.kill()
        raise AssertionError("the log never held what was waited for")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def resumed(place: Place) -> list[Event]:
    [path] = (place.home / "sessions").glob("*.jsonl")
    with place.engine("", resume=path.stem) as driver:
        assert driver.restored is not None
        assert driver.restored.state == "idle" and driver.restored.streaming is None
        assert [item.text for item in driver.restored.queue] == [
            "waiting"
        ] and driver.restored.paused
    return events_of(place)


def test_kill_in_a_stream_keeps_the_prompt_and_the_partial_answer(place: Place) -> None:
    killed(
        place,
        place.script([{"text": "word " * 2_000, "chunk": 100}, {"hang": True}]),
        "auto",
        '"partial"',
    )
    events = resumed(place)
    assert [event.prompt for event in events if isinstance(event, TurnStarted)] == ["go"]
    reply = next(event for event in events if isinstance(event, AssistantReplied))
    assert reply.stop_reason == "interrupted" and len(reply.text) >= 4_000
    assert [event.state for event in events if isinstance(event, TurnEnded)] == ["interrupted"]


def test_kill_in_a_command_says_that_it_is_unknown_whether_it_ran(place: Place) -> None:
    call = {"call": "run_shell_command", "arguments": {"command": "sleep 30"}}
    killed(
        place,
        place.script([call, {"call": "list_files", "arguments": {}}]),
        "accept-all",
        '"tool_started"',
    )
    events = resumed(place)
    tags = {event.name: event.content for event in events if isinstance(event, ToolEnded)}
    assert "unknown whether it ran" in tags["run_shell_command"]
    assert "not started" in tags["list_files"]
    shown = {row.name: row.note for row in fold(events).rows if isinstance(row, ToolBlock)}
    assert shown == {
        "run_shell_command": "unknown whether it ran",
        "list_files": "it was not started",
    }
    figures = stats(events)
    assert [tool.tag for step in figures.by_step for tool in step.tools] == [
        "interrupted",
        "interrupted",
    ]
    assert (figures.tool_calls, figures.ends) == (2, {"interrupted": 1})


def test_kill_in_an_approval_asks_nothing_and_runs_nothing(place: Place) -> None:
    call = {"call": "create_file", "arguments": {"path": "x.txt", "content": "x"}}
    killed(place, place.script([call]), "auto", '"approval_asked"')
    events = resumed(place)
    assert any(isinstance(event, ApprovalAsked) for event in events)
    assert fold(events).pending == () and not (place.cwd / "x.txt").exists()


def test_a_recovered_log_is_whole_and_is_not_recovered_twice(place: Place) -> None:
    killed(
        place,
        place.script([{"text": "a " * 3_000, "chunk": 100}, {"hang": True}]),
        "auto",
        '"partial"',
    )
    count = len(resumed(place))
    assert len(resumed(place)) == count  # looking in writes nothing, not even a header


def test_two_engines_never_write_one_session(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        driver.turn("go")
        second = Worker(place.config("", resume=driver.events[0].session))
        second.start(lambda: None)
        said = second.events.get(timeout=20)
        second.stop(5)
        assert "session" in getattr(said, "text", "").lower()


def test_answers_of_the_wrong_kind_do_no_harm(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        driver.send(Answer("nothing", "once"))
        driver.send(QueueEdit("remove", id="nothing"))
        assert driver.turn("go").state == "completed"
        assert driver.all(RequestSent)[0].messages == 1


def test_the_list_of_sessions_comes_first_where_one_is_to_be_chosen(place: Place) -> None:
    model = place.script([{"text": "one"}])
    for prompt in ("first", "second"):
        with place.engine(model) as driver:
            driver.turn(prompt)
    config = place.config("", resume=CHOOSE)
    driver = Driver(Worker(config), config)
    driver.send(SaveDraft("typed while the list is open"))
    listed = driver.until(Answered, lambda event: event.kind == "sessions").data
    assert [entry.title for entry in listed.sessions] == ["second", "first"]
    driver.send(Resume(listed.sessions[1].id))
    assert driver.until(DraftSaved).text == "typed while the list is open"
    driver.worker.stop(10)
    assert driver.restored is not None and driver.restored.title == "first"


def test_a_session_that_worked_elsewhere_says_so(place: Place) -> None:
    with place.engine(place.script([{"text": "one"}])) as driver:
        driver.turn("first")
        session, model = driver.events[0].session, driver.transcript().model
    other = Place(place.root / "other")
    other.script([{"text": "one"}])
    config = replace(other.config(model, resume=session), folders=driver.config.folders)
    second = Driver(Worker(config), config)
    second.worker.start(lambda: None)
    assert str(place.cwd) in second.until(Notice).text
    second.worker.stop(10)


def cut_off(place: Place) -> str:
    """The id of a session that was killed in a command which changed `clean` and made `new`."""
    subprocess.run(["git", "init", "-q", str(place.cwd)], check=True)
    (place.cwd / "clean").write_text("as committed\n")
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(place.cwd), "add", "clean"], check=True)
    subprocess.run(["git", "-C", str(place.cwd), *author, "commit", "-q", "-m", "one"], check=True)
    command = "echo cut off > clean; echo new > new; echo began; sleep 60"
    call = {"call": "run_shell_command", "arguments": {"command": command}}
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(place.root), place.script([call]), "accept-all"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not (place.cwd / "new").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    [path] = (place.home / "sessions").glob("*.jsonl")
    return path.stem


def test_what_a_command_changed_that_was_killed_with_the_program_can_be_undone(
    place: Place,
) -> None:
    place.cwd.mkdir(parents=True)
    session = cut_off(place)
    with place.engine("", resume=session) as driver:
        told = ask(driver)
        assert {file.path: (file.state, file.default) for file in told.files} == {
            "clean": ("during", "keep"),
            "new": ("during", "keep"),
        }
        assert [turn.prompt for turn in told.turns] == ["go"]
        driver.send(RestoreFiles(choices={"clean": "restore", "new": "restore"}))
        assert answer(driver, "restored").done
        assert (place.cwd / "clean").read_text() == "as committed\n" and not (
            place.cwd / "new"
        ).exists()
    assert not list((place.home / "sessions").glob("*.snapshot"))
    with place.engine("", resume=session) as driver:
        assert ask(driver).files == ()


@pytest.mark.parametrize("damage", ["[]", '{"cwd": "/"}', ""])
def test_that_the_changes_of_a_killed_command_are_not_known_is_said(
    place: Place, damage: str
) -> None:
    place.cwd.mkdir(parents=True)
    session = cut_off(place)
    (place.home / "sessions" / f"{session}.snapshot").write_text(damage)
    with place.engine("", resume=session) as driver:
        told = ask(driver)
        assert told.files == () and UNKNOWN in told.caps
    assert not list((place.home / "sessions").glob("*.snapshot"))


def test_who_leaves_at_once_finds_the_changes_of_a_killed_command_the_next_time(
    place: Place,
) -> None:
    place.cwd.mkdir(parents=True)
    session = cut_off(place)
    with place.engine("", resume=session):
        pass
    with place.engine("", resume=session) as driver:
        assert {"clean", "new"} <= {file.path for file in ask(driver).files}
