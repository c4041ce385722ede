"""A session that another program has open: a person gets a new one and is told so, a script gets
the failure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.worker import Worker
from agent_tui.protocol.answers import Sessions
from agent_tui.protocol.events import Answered, ErrorRaised, Notice, SessionStarted
from agent_tui.protocol.ops import Query
from agent_tui.tui.screen.key_guards import BURST_SECONDS
from tests.agent.driving import Driver, Place
from tests.tui.pty_stage import Pty

HOLDER = """
import sys
from pathlib import Path
from agent_tui.sessions.log.lock import Lock
Lock(Path(sys.argv[1])).take()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_list_says_which_sessions_another_program_has_open(
    place: Place, held: tuple[str, str]
) -> None:
    model, session = held
    with place.engine(model) as driver:
        driver.turn("go")
        driver.send(Query("q", "sessions"))
        listed = driver.until(Answered, lambda event: event.id == "q").data
    assert isinstance(listed, Sessions)
    assert {one.id: one.elsewhere for one in listed.sessions}[session] is True


@pytest.fixture
def held(place: Place) -> Iterator[tuple[str, str]]:
    """The model and the id of a session that another process holds."""
    model = place.script([{"text": "one"}], [{"text": "two"}])
    with place.engine(model) as driver:
        driver.turn("go")
        session = driver.events[0].session
    lock = place.home / "sessions" / f"{session}.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == "held\n"
        yield model, session
        other.stdin.close()


def test_a_person_gets_a_new_session_that_works(place: Place, held: tuple[str, str]) -> None:
    model, session = held
    config = replace(place.config(model, resume=session), or_new=True)
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    begun = driver.until(SessionStarted)
    said = driver.until(Notice)
    assert begun.session != session and not begun.resumed
    assert (
        said.level == "warning"
        and session in said.text
        and said.text.endswith("opened a new one instead")
    )
    assert driver.turn("hello").state == "completed"
    driver.worker.stop(10)
    assert (place.home / "sessions" / f"{begun.session}.jsonl").exists()


def test_without_anybody_it_fails(place: Place, held: tuple[str, str]) -> None:
    model, session = held
    config = place.config(model, resume=session, interactive=False)
    driver = Driver(Worker(config), config)
    driver.worker.start(lambda: None)
    assert driver.until(ErrorRaised).kind == "locked"
    driver.worker.stop(10)
    assert len(list((place.home / "sessions").glob("*.jsonl"))) == 1


@pytest.mark.parametrize("given", [["-c"], ["-r"]])
def test_the_run_command_keeps_its_exit_code(
    place: Place, held: tuple[str, str], given: list[str]
) -> None:
    model, session = held
    argv = [*given, *([session] if given == ["-r"] else [])]
    ran = subprocess.run(
        [sys.executable, "-m", "agent_tui", "run", "-m", model, "--output", "json", *argv, "again"],
        cwd=place.cwd,
        env={**os.environ, "AGENT_TUI_HOME": str(place.home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["error"]["kind"] == "locked"


@pytest.mark.parametrize("given", [["-c"], ["-r"]])
def test_the_screen_takes_prompts(place: Place, held: tuple[str, str], given: list[str]) -> None:
    model, session = held
    argv = [*given, *([session] if given == ["-r"] else [])]
    pty = Pty(
        ["-m", "agent_tui", "-m", model, "--cwd", str(place.cwd), *argv],
        {"AGENT_TUI_HOME": str(place.home), "TERM": "xterm-256color"},
        (100, 30),
    )
    try:
        assert "stopped" not in pty.until("opened a new one instead").split("\n")[0]
        pty.until("read only")
        time.sleep(2 * BURST_SECONDS)  # a key that comes sooner was meant for the prompt
        pty.type("\x1b[B\x1b[B")
        pty.until("❯ a new session")
        pty.type("\r")
        pty.until(lambda text: "read only" not in text)
        pty.type("hello\r")
        pty.until(lambda text: "❯ hello" in text and "one" in text.split("❯ hello")[1])
    finally:
        pty.close()
