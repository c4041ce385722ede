"""The looks around commands: what waits for them, and when one serves two commands."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.changes import Change
from agent_tui.agent.turn import command_changes, git_view
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.protocol.events import Event, FileChanged, ToolEnded, TurnEnded
from agent_tui.safety.git import GitAnswer, ask_git
from agent_tui.sessions.log.checkpoints import Blobs
from tests.agent.driving import PATIENCE, Driver, Place
from tests.agent.test_command_changes import git, workplace

ASKED: list[str] = []


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A repository with one file; what git is asked is in `ASKED`."""
    place = Place(tmp_path)
    place.cwd.mkdir()
    git(place.cwd, "init", "-q")
    (place.cwd / "kept").write_text("kept\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "all")
    ASKED.clear()

    async def noted(where: Any, words: tuple[str, ...], *rest: Any, **more: Any) -> GitAnswer:
        ASKED.append(words[0])
        return await ask_git(where, words, *rest, **more)

    monkeypatch.setattr(git_view, "ask_git", noted)
    monkeypatch.setattr(command_changes, "FRESH", PATIENCE)
    return place


def shell(command: str) -> dict[str, Any]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


def told(driver: Driver) -> list[tuple[str, bool]]:
    return [(Path(event.path).name, event.during_command) for event in driver.all(FileChanged)]


def test_one_look_serves_two_commands_that_follow_each_other(place: Place) -> None:
    calls = [shell(f"echo {number} >> kept") for number in range(3)]
    with place.engine(place.script(calls, [{"text": "x"}]), mode="accept-all") as driver:
        driver.turn("go")
        assert ASKED.count("status") == 4
        events = driver.all(FileChanged)
        assert len(events) == 3 and events[1].before == events[0].after
        assert len({event.call_id for event in events}) == 3


def test_a_look_does_not_hold_for_another_turn(place: Place) -> None:
    model = place.script([shell("true > a")], [{"text": "x"}], [shell("true > b")], [{"text": "x"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        (place.cwd / "mine").write_text("mine\n")
        driver.turn("again")
        assert ASKED.count("status") == 4 and told(driver) == [("a", True), ("b", True)]


def test_what_a_tool_changes_between_two_commands_is_not_theirs(place: Place) -> None:
    create = {"call": "create_file", "arguments": {"path": "made", "content": "made\n"}}
    calls = [shell("echo 1 >> kept"), create, shell("echo 2 >> kept")]
    with place.engine(place.script(calls, [{"text": "x"}]), mode="accept-all") as driver:
        driver.turn("go")
        assert told(driver) == [("kept", True), ("made", False), ("kept", True)]
        kinds = [type(event) for event in driver.events]
        assert ASKED.count("status") == 4 and kinds.count(FileChanged) == 3


def test_after_a_kill_what_was_on_record_before_is_no_beginning(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person wrote the file after the session's change, and before the command."""
    monkeypatch.setattr(command_changes, "GUARD_ENDS", 0.01)
    events: list[Event] = []
    file, blobs, copy = place.cwd.resolve() / "kept", Blobs(place.root / "blobs"), place.root / "s"
    own = Change(1, str(file), "", blobs.put(b"of the session\n"))

    async def killed_and_resumed() -> None:
        with ThreadPoolExecutor(1) as pool:
            where = workplace(file.parent, events.append)
            file.write_text("mine since\n")
            first = Watch(file.parent, blobs, tuple, pool, copy, lambda: [own])
            await first.take_snapshot("make", CallContext(where, "c", frozenset(), turn=1))
            file.write_text("made\n")
            second = Watch(file.parent, blobs, tuple, pool, copy, lambda: [own])
            second.recover(where)
            await second.wait_until_settled()

    asyncio.run(killed_and_resumed())
    [change] = [event for event in events if isinstance(event, FileChanged)]
    assert blobs.get(change.before) == b"mine since\n"


def test_the_result_does_not_wait_for_the_look_and_the_turn_does(place: Place) -> None:
    model = place.script([shell("echo 1 >> kept")], [{"text": "x"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        kinds = [
            type(event)
            for event in driver.events
            if isinstance(event, ToolEnded | FileChanged | TurnEnded)
        ]
        assert kinds == [ToolEnded, FileChanged, TurnEnded]
