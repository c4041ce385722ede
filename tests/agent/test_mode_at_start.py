"""The mode in which no command asks is chosen at each start: no log brings it back."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    ModeChanged,
    Notice,
    SessionStarted,
    ToolEnded,
)
from agent_tui.protocol.ops import Answer, Fork, Resume, SetMode, Submit
from tests.agent.driving import Driver, Place, running

TOUCH = {"call": "run_shell_command", "arguments": {"command": "touch ran.txt"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def left_in(place: Place, mode: str, model: str) -> str:
    """A session that was left in `mode`."""
    with place.engine(model) as driver:
        driver.send(SetMode(mode))
        driver.turn("first")
        return driver.events[0].session


def warnings(driver: Driver) -> list[str]:
    driver.until(Answered, lambda event: event.kind == "skills")  # the last word of an opening
    return [notice.text for notice in driver.all(Notice) if notice.level == "warning"]


def test_accept_all_does_not_come_back_with_the_session(place: Place) -> None:
    model = place.script([{"text": "one"}], [TOUCH], [{"text": "two"}])
    session = left_in(place, "accept-all", model)
    with place.engine("", resume=session) as driver:
        assert driver.restored is not None and driver.restored.mode == "auto"
        assert driver.all(SessionStarted)[0].mode == "auto"
        [said] = warnings(driver)
        assert "accept-all must be chosen again" in said and "/mode accept-all" in said
        driver.send(Submit("go on"))
        asked = driver.until(ApprovalAsked)
        assert not (place.cwd / "ran.txt").exists()
        driver.send(Answer(asked.id, "no"))


@pytest.mark.parametrize("mode", ["plan", "manual", "accept-edits"])
def test_the_other_modes_do(place: Place, mode: str) -> None:
    session = left_in(place, mode, place.script([{"text": "one"}]))
    with place.engine("", resume=session) as driver:
        assert driver.all(SessionStarted)[0].mode == mode and not warnings(driver)


@pytest.mark.parametrize("given", [True, False])
def test_whoever_chooses_it_at_the_start_has_it(place: Place, given: bool) -> None:
    """By the flag, or in their own settings."""
    session = left_in(place, "accept-all", place.script([{"text": "one"}]))
    config = place.config("", resume=session, mode="accept-all")
    with running(replace(config, mode_given=given)) as driver:
        assert driver.all(SessionStarted)[0].mode == "accept-all" and not warnings(driver)


def test_it_does_not_come_back_in_a_running_program_either(place: Place) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}])
    session = left_in(place, "accept-all", model)
    with place.engine(model) as driver:
        driver.send(Resume(session))
        assert driver.until(SessionStarted, lambda event: event.session == session).mode == "auto"
        assert "accept-all must be chosen again" in driver.until(Notice).text


def test_a_copy_and_what_begins_beside_a_session_that_is_read_have_no_such_mode(
    place: Place,
) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}])
    with place.engine(model) as first:
        first.send(SetMode("accept-all"))
        first.turn("first")
        session = first.events[0].session
        config = replace(place.config(model, resume=session), how="read")
        second = Driver(Worker(config), config)
        second.worker.start(lambda: None)
        try:
            second.until(Notice)
            second.send(Resume(""))
            assert second.until(SessionStarted).mode == "auto"
            second.send(Resume(session, how="fork"))
            assert second.until(SessionStarted).mode == "auto"
        finally:
            second.worker.stop(10)
        first.send(Fork())
        made = first.until(Answered, lambda event: event.kind == "forked").data
        first.send(Resume(made.id))
        assert first.until(SessionStarted).mode == "auto"


def test_without_a_screen_the_next_run_is_refused_and_says_why(place: Place) -> None:
    model = place.script([{"text": "one"}], [TOUCH], [{"text": "two"}])
    environment = {
        "AGENT_TUI_HOME": str(place.home),
        "HOME": str(place.root),
        "PATH": os.environ["PATH"],
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "agent_tui", "run", *words]
        return subprocess.run(
            argv, cwd=place.cwd, env=environment, capture_output=True, text=True, timeout=120
        )

    assert run("one", "-m", model, "--mode", "accept-all").returncode == 0
    again = run("two", "-c")
    assert again.returncode == 3 and not (place.cwd / "ran.txt").exists()
    assert "accept-all must be chosen again" in again.stderr and "--mode accept-all" in again.stderr


def test_no_mode_goes_further_than_the_settings_let_it(place: Place) -> None:
    model = place.script([TOUCH], [{"text": "done"}])
    config = place.config(model, mode="accept-all")
    held = replace(config.settings.permissions, autonomy="supervised")
    with running(replace(config, settings=replace(config.settings, permissions=held))) as driver:
        assert driver.all(SessionStarted)[0].mode == "auto"
        driver.send(SetMode("accept-edits"))
        assert driver.until(ModeChanged).mode == "auto"
        assert "permissions.autonomy is supervised" in driver.all(Notice)[-1].text
        driver.send(Submit("go on"))
        asked = driver.until(ApprovalAsked)
        assert not (place.cwd / "ran.txt").exists()
        driver.send(Answer(asked.id, "no"))


def test_a_tool_is_called_no_more_often_than_the_settings_let_it(place: Place) -> None:
    look = {"call": "list_files", "arguments": {}}
    config = place.config(place.script([look, look, look], [{"text": "done"}]))
    held = replace(config.settings, rate_limits={"list_files": 2})
    with running(replace(config, settings=held)) as driver:
        driver.turn("look")
        *ran, last = driver.all(ToolEnded)
        assert [event.tag for event in ran] == ["ok", "ok"]
        assert last.tag == "blocked" and "2 times a minute" in last.content
