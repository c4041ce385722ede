"""Off the record nothing is written, and nothing is changed; and while a log cannot be written,
nothing is either."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import Answered, Notice, SessionStarted, ToolEnded
from agent_tui.protocol.ops import Fork, SaveDraft
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_off_the_record_nothing_is_written_and_nothing_changed(
    place: Place, tmp_path: Path
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir()
    calls = [
        {"call": "create_file", "arguments": {"path": "new", "content": "x"}},
        {"call": "run_shell_command", "arguments": {"command": "touch made"}},
        {"call": "list_files", "arguments": {"path": "."}},
    ]
    model = place.script(calls, [{"text": "done"}])
    before = everything(tmp_path)
    given = place.config(model, mode="accept-all", environment={"XDG_RUNTIME_DIR": str(runtime)})
    config = replace(given, otr=True)
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    assert driver.until(SessionStarted).otr
    driver.send(SaveDraft("a draft"))
    assert driver.turn("@script.json go").state == "completed"
    driver.send(Fork())
    assert (
        "off the record"
        in driver.until(Answered, lambda event: event.kind == "forked").data.problem
    )
    driver.worker.stop(10)
    ends = {event.name: event.tag for event in driver.all(ToolEnded)}
    assert (ends["create_file"], ends["run_shell_command"], ends["list_files"]) == (
        "blocked",
        "blocked",
        "ok",
    )
    assert driver.transcript().otr
    assert everything(tmp_path) - before <= {"work"}


def test_no_edit_without_a_log_and_it_is_said_when_there_is_one_again(place: Place) -> None:
    create = [{"call": "create_file", "arguments": {"path": "new", "content": "x"}}]
    model = place.script(
        [{"text": "one"}], create, [{"text": "no"}], [{"text": "back"}], create, [{"text": "made"}]
    )
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("first")
        sessions = place.home / "sessions"
        sessions.rename(place.home / "away")
        sessions.write_text(
            "no folder"
        )  # what the program holds open is not where sessions are, and cannot be
        driver.turn("second")
        [ended] = driver.all(ToolEnded)
        assert ended.tag == "blocked" and "cannot be saved" in ended.content
        assert [notice for notice in driver.all(Notice) if "not being saved" in notice.text]
    assert not (place.cwd / "new").exists()
