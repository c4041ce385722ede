"""What goes on in the background of the sandbox in which commands work makes no protected names stay
that nobody allowed: they are judged when it ends, however it does."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agent_tui.protocol.events import (
    ApprovalAsked,
    FileChanged,
    JobChanged,
    Notice,
    QuestionAsked,
    ToolOutput,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Choice, MoveToBackground, StopJob, Submit
from tests.agent import test_commands_that_work as sandboxed
from tests.agent.driving import PATIENCE, Driver, Place

way, place, planted = sandboxed.way, sandboxed.place, sandboxed.planted
PLANTS = f"while [ ! -e go ]; do sleep 0.05; done; {sandboxed.PLANTS}; touch done"


def run(command: str, background: bool = True) -> dict[str, object]:
    return {
        "call": "run_shell_command",
        "arguments": {"command": command, "background": background},
    }


def put_back(driver: Driver) -> str:
    return driver.until(Notice, lambda event: "put back" in event.text).text


def answer(driver: Driver, choice: Choice) -> QuestionAsked:
    asked = driver.until(QuestionAsked)
    assert asked.kind == "confirm" and "while a job ran" in asked.text
    driver.send(Answer(asked.id, choice))
    return asked


def start(driver: Driver) -> None:
    """The job goes on in its sandbox, where nobody can connect to it."""
    driver.send(Submit("go"))
    asked = driver.until(ApprovalAsked)
    assert "nobody can connect to" in asked.reason
    driver.send(Answer(asked.id, "no"))


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("ends", ["itself", "stopped", "quit", "asked"])
def test_what_a_job_planted_is_put_back_when_it_ends(place: Place, ends: str) -> None:
    command = PLANTS if ends == "itself" else f"{PLANTS}; sleep 600"
    script = place.script([run(command)], [{"text": "ok"}], [{"text": "ok"}])
    with place.engine(script, mode="accept-all") as driver:
        start(driver)
        driver.until(TurnEnded)
        [running] = driver.all(JobChanged)
        (place.cwd / "go").touch()
        wait_for(place.cwd / "done")
        if ends == "stopped":
            assert planted(place)
            driver.send(StopJob(running.id))
        if ends == "asked":
            driver.send(StopJob(running.id))
            driver.until(QuestionAsked)
            assert planted(place) and [*place.home.glob("jobs/*.names")]
        elif ends != "quit":
            answer(driver, "stop")
            said = put_back(driver)
            assert ".envrc, .vscode" in said and "perhaps by" in said
            assert not planted(place)
            driver.until(JobChanged, lambda event: "protected names" in event.told)
    assert not planted(place) and not [*place.home.glob("jobs/*")]


@pytest.mark.usefixtures("way")
def test_what_ctrl_b_moved_is_judged_when_it_ends(place: Place) -> None:
    script = place.script([run(f"echo began; {PLANTS}", background=False)], [{"text": "ok"}])
    with place.engine(script, mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(ToolOutput)
        driver.send(MoveToBackground())
        driver.until(TurnEnded)
        (place.cwd / "go").touch()
        answer(driver, "later")
        assert ".vscode" in put_back(driver)
    assert not planted(place)


@pytest.mark.usefixtures("way")
def test_what_a_person_allowed_while_it_ran_stays(place: Place) -> None:
    """Beside it, in the same new folder, what the job made goes."""
    job = "while [ ! -e go ]; do sleep 0.05; done; echo {} > .vscode/tasks.json"
    edit = {
        "call": "create_file",
        "arguments": {"path": ".vscode/settings.json", "content": "{}\n"},
    }
    script = place.script([run(job)], [edit], [{"text": "ok"}])
    with place.engine(script, mode="accept-all") as driver:
        start(driver)
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
        assert driver.all(FileChanged)
        (place.cwd / "go").touch()
        asked = answer(driver, "stop")
        assert "tasks.json" in asked.text and "settings.json" not in asked.text
        assert "tasks.json" in put_back(driver)
    assert [path.name for path in (place.cwd / ".vscode").iterdir()] == ["settings.json"]
