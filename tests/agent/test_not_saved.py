"""A session that cannot be written: every front end is told so and how much is lost, saving goes on
by itself, and nothing is said to be kept that is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import SaveOutcome
from agent_tui.protocol.events import DraftSaved, Notice, SavingChanged, TurnStarted
from agent_tui.protocol.ops import Save, SaveDraft
from agent_tui.protocol.session_events import Answered
from agent_tui.sessions.log.store import read
from tests.agent.driving import Place
from tests.disks import small_disk


def test_the_mark_says_what_is_lost_and_goes_once_there_is_room_though_nothing_happens(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    model = place.script([{"text": "one"}], [{"text": "two " * 3_000}], [{"text": "three"}])
    with small_disk(place.home) as disk, place.engine(model) as driver:
        driver.turn("first")
        log = place.home / "sessions" / f"{driver.events[0].session}.jsonl"
        with disk.full():
            driver.turn("second")
            driver.turn("third")
            shown = driver.transcript()
            assert shown.is_unsaved and shown.unsaved_turns == 1 + (
                shown.marks[1].n > shown.saving.through
            )
            assert "prompts are not on disk" in shown.describe_loss()
            assert sum("not being saved" in notice.text for notice in driver.all(Notice)) == 1
        driver.until(SavingChanged, lambda event: not event.problem)
        assert not driver.transcript().is_unsaved
        events, problems = read(log)
        assert problems == ()
        assert [event.prompt for event in events if isinstance(event, TurnStarted)] == [
            "first",
            "second",
            "third",
        ]
        driver.worker.stop(10)  # before its disk goes


def test_a_home_that_is_deleted_comes_back_with_the_whole_session(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([{"text": "one"}], [{"text": "two " * 3_000}])) as driver:
        driver.turn("first")
        shutil.rmtree(place.home)
        driver.turn("second")
        assert any("written again" in notice.text for notice in driver.all(Notice))
        shutil.rmtree(place.home)
        driver.send(SaveDraft("and then"))
        driver.until(DraftSaved)
        log = place.home / "sessions" / f"{driver.events[0].session}.jsonl"
    events, problems = read(log)
    assert problems == () and [event.n for event in events] == list(range(1, len(events) + 1))
    told = {event.n for event in driver.events if event.settled and event.n}
    assert told <= {event.n for event in events}


def test_what_is_told_comes_in_the_order_in_which_it_is_read_back(tmp_path: Path) -> None:
    """That the log was written anew is said behind what led to it: live and resumed look the same."""
    place = Place(tmp_path)
    with place.engine(place.script([{"text": "one"}], [{"text": "two " * 3_000}])) as driver:
        driver.turn("first")
        shutil.rmtree(place.home)
        driver.turn("second")
    numbers = [event.n for event in driver.events if event.settled and event.n]
    assert numbers == sorted(numbers)


def test_a_session_is_written_elsewhere_and_is_complete_there(tmp_path: Path) -> None:
    place, mine = Place(tmp_path), tmp_path / "mine"
    mine.mkdir()
    model = place.script([{"text": "one"}], [{"text": "two " * 3_000}])
    with small_disk(place.home) as disk, place.engine(model) as driver:
        driver.turn("first")
        with disk.full():
            driver.turn("second")
            driver.send(Save())
            assert driver.until(Answered, lambda event: event.kind == "saved").data.problem
            if disk.mounted:
                driver.send(Save(f"{mine}/"))
                assert (
                    driver.until(Answered, lambda event: event.data == SaveOutcome()).kind
                    == "saved"
                )
        if not disk.mounted:
            driver.send(Save(f"{mine}/"))
            driver.until(SavingChanged, lambda event: bool(event.elsewhere))
        shown = driver.transcript()
        assert not shown.is_unsaved and shown.saving.elsewhere.startswith(str(mine))
        assert shown.way_back("agent-tui") == f"agent-tui sessions import {shown.saving.elsewhere}"
        driver.worker.stop(10)
    [log] = mine.iterdir()
    assert [event.prompt for event in read(log)[0] if isinstance(event, TurnStarted)] == [
        "first",
        "second",
    ]


RUN = [sys.executable, "-m", "agent_tui"]


def surroundings(tmp_path: Path, home: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "AGENT_TUI_HOME": str(home),
        "LANG": "C.UTF-8",
    }


@pytest.mark.parametrize("way", ["text", "json", "chat"])
def test_without_a_screen_it_is_said_and_the_exit_code_tells(tmp_path: Path, way: str) -> None:
    """`sessions` is a file: no folder can be made there, whoever asks."""
    place = Place(tmp_path)
    place.home.mkdir()
    (place.home / "sessions").write_text("no folder")
    model = place.script([{"text": "an answer"}])
    argv = (
        ["chat", "-m", model] if way == "chat" else ["run", "hello", "-m", model, "--output", way]
    )
    done = subprocess.run(
        [*RUN, *argv],
        cwd=place.cwd,
        env=surroundings(tmp_path, place.home),
        input="hello\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "an answer" in done.stdout
    assert done.returncode == 5, done.stderr
    assert (
        "the session is not saved: " in done.stderr and "the prompt is not on disk" in done.stderr
    )
    if way == "json":
        found: dict[str, Any] = json.loads(done.stdout)
        assert (found["saved"], found["exit_code"], found["state"]) == (False, 5, "completed")
