"""What a kept job plants at protected names while no program looks is found by the next session in
its folder: the person is asked, and where nobody can be, it is put back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_tui.agent.services import kept_names
from agent_tui.protocol.display import DiffsDisplay
from agent_tui.protocol.events import (
    Answered,
    JobChanged,
    Notice,
    QuestionAsked,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Answer, Choice, KeepJob, Query, StopJob, Submit
from agent_tui.safety.process import tree
from tests.agent import test_commands_that_work as sandboxed
from tests.agent.driving import Driver, Place
from tests.agent.test_jobs_that_plant import run, start
from tests.agent.test_kept_jobs import keep, resumed, waited
from tests.safety.test_processes import alive

way = sandboxed.way
ROOT = Path(__file__).parents[2]
WAITS = "while [ ! -e go ]; do sleep 0.05; done; "
PLANTS = (
    "mkdir .vscode; echo planted > .vscode/tasks.json; ln -s a.txt .envrc;"
    " head -c 9000000 /dev/zero > CLAUDE.md"
)
PROGRAM = """
import sys
from pathlib import Path
from tests.agent.driving import Place
from tests.agent.test_kept_jobs_that_plant import begin
place = Place(Path(sys.argv[1]))
with place.engine("scripted/script.json", mode="accept-all") as driver:
    print(begin(driver).session, flush=True)
    driver.until(int)
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    (made.cwd / "a.txt").write_text("content\n")
    yield made
    for file in made.home.glob("jobs/*.json"):
        pid = int(json.loads(file.read_text())["process"].split()[0])
        if alive(pid):
            os.kill(pid, signal.SIGUSR1)


def script(place: Place, command: str) -> str:
    return place.script([run(command)], [{"text": "ok"}])


def begin(driver: Driver) -> JobChanged:
    """A job in its sandbox that is kept."""
    start(driver)
    driver.until(TurnEnded)
    job = driver.all(JobChanged)[-1]
    return keep(driver, job.id)


def leave(place: Place, command: str = WAITS + PLANTS) -> str:
    """A job is kept, its program ends, and then it plants; the session."""
    with place.engine(script(place, command), mode="accept-all") as driver:
        session = begin(driver).session
        assert not driver.until(Notice, lambda event: "Goes on" in event.text).text.count("Nobody")
    (place.cwd / "go").touch()
    assert waited(lambda: not living(place))
    return session


def living(place: Place) -> list[int]:
    known = [json.loads(file.read_text())["process"] for file in place.home.glob("jobs/*.json")]
    return [pid for one in known if (pid := tree.find(one))]


def names(place: Place) -> list[str]:
    return sorted(path.name for path in place.cwd.iterdir() if path.suffix != ".json")


def left(place: Place) -> list[Path]:
    return [*place.home.glob("jobs/*")]


def answer(driver: Driver, choice: Choice) -> QuestionAsked:
    asked = driver.until(QuestionAsked)
    driver.send(Answer(asked.id, choice))
    return asked


def asks(driver: Driver) -> bool:
    driver.send(Query("look", "jobs"))
    driver.until(Answered, lambda event: event.kind == "jobs")
    return bool(driver.all(QuestionAsked))


PLANTED = [".envrc", ".vscode", "CLAUDE.md"]


@pytest.mark.usefixtures("way")
def test_the_next_session_asks_and_puts_it_back(place: Place) -> None:
    session = leave(place)
    assert set(PLANTED) < set(names(place))
    [file] = place.home.glob("jobs/*.names")
    assert file.stat().st_mode & 0o777 == 0o600
    with place.engine(resumed(place), resume=session, mode="accept-all") as driver:
        driver.send(Submit("and?"))
        asked = answer(driver, "stop")
        assert all(name in asked.text for name in PLANTED)
        assert isinstance(asked.display, DiffsDisplay)
        shown = str(asked.display)
        assert "+planted" in shown or "a folder" in shown
        assert "a link to a.txt" in shown and "it is large" in shown
        said = driver.until(Notice, lambda event: "put back" in event.text)
        driver.until(TurnStarted)
        driver.until(TurnEnded)
        told = driver.all(JobChanged)
        assert any("put back" in event.told for event in told)
    assert names(place) == ["a.txt", "go"] and not left(place)
    aside = Path(said.text.rpartition(" ")[2])
    assert (Path(f"{aside}{place.cwd.resolve()}") / ".vscode/tasks.json").read_text() == "planted\n"


def test_a_no_lets_it_stay_and_nobody_asks_again(place: Place) -> None:
    session = leave(place)
    with place.engine(resumed(place), resume=session) as driver:
        answer(driver, "yes")
        driver.turn("and?")
        assert waited(lambda: not left(place))
    assert set(PLANTED) < set(names(place)) and not left(place)
    with place.engine(resumed(place), resume=session) as driver:
        driver.turn("and?")
        assert len(driver.all(QuestionAsked)) == 0


def test_a_run_without_a_screen_puts_it_back_and_says_so(place: Place) -> None:
    leave(place)
    with place.engine(resumed(place), interactive=False) as driver:
        assert ".vscode" in driver.until(Notice, lambda event: "put back" in event.text).text
    assert names(place) == ["a.txt", "go"] and not left(place)


def test_a_program_killed_while_it_asks_has_the_next_one_ask(place: Place) -> None:
    """So has the one that kept the job, although nothing of it could end."""
    script(place, WAITS + PLANTS)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", PROGRAM, str(place.root)]
    with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        session = program.stdout.readline().strip()
        program.kill()
    (place.cwd / "go").touch()
    assert waited(lambda: not living(place)) and waited(lambda: set(PLANTED) < set(names(place)))
    asks = PROGRAM.replace('"accept-all"', f'"auto", resume="{session}"').replace(
        "print(begin(driver).session", "print(driver.until(QuestionAsked).id"
    )
    asks = asks.replace("import begin", "import QuestionAsked")
    argv[2] = asks
    with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stdout.readline().strip()
        program.kill()
    with place.engine(resumed(place), resume=session) as driver:
        answer(driver, "later")
        driver.until(Notice, lambda event: "put back" in event.text)
        assert waited(lambda: not left(place))
    assert names(place) == ["a.txt", "go"]


def test_one_of_two_programs_asks(place: Place) -> None:
    """They both see it end."""
    with place.engine(script(place, WAITS + PLANTS), mode="accept-all") as driver:
        session = begin(driver).session
    with (
        place.engine(resumed(place), resume=session) as one,
        place.engine(resumed(place)) as other,
    ):
        (place.cwd / "go").touch()
        for driver in (one, other):
            driver.until(JobChanged, lambda event: event.state == "ended")
        assert waited(lambda: any([*map(asks, (one, other))]))
        asking = [driver for driver in (one, other) if driver.all(QuestionAsked)]
        assert len(asking) == 1
        asking[0].send(Answer(asking[0].all(QuestionAsked)[0].id, "stop"))
        asking[0].until(Notice, lambda event: "put back" in event.text)
        for driver in (one, other):
            driver.turn("and?")
            assert len(driver.all(QuestionAsked)) == (driver is asking[0])
    assert names(place) == ["a.txt", "go"] and not left(place)


@pytest.mark.usefixtures("way")
def test_a_job_does_not_reach_what_is_remembered_of_it(place: Place) -> None:
    jobs = place.home / "jobs"
    command = f"{WAITS}rm -rf {jobs}; echo > {jobs}/x; mv {jobs} gone; {PLANTS}"
    session = leave(place, command)
    with place.engine(resumed(place), resume=session) as driver:
        answer(driver, "stop")
        driver.until(Notice, lambda event: "put back" in event.text)
    assert names(place) == ["a.txt", "go"]


def test_what_is_stopped_or_kept_no_longer_leaves_nothing(place: Place) -> None:
    with place.engine(script(place, WAITS), mode="accept-all") as driver:
        job = begin(driver)
        assert [*place.home.glob("jobs/*.names")]
        keep(driver, job.id, on=False)
        assert not left(place)
        driver.send(KeepJob(job.id))
        driver.until(JobChanged, lambda event: event.kept)
        driver.send(StopJob(job.id))
        driver.until(JobChanged, lambda event: event.state == "stopped")
    assert not left(place)


def test_what_is_too_much_to_remember_is_said(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_names, "LONGEST", 10)
    with place.engine(script(place, WAITS), mode="accept-all") as driver:
        begin(driver)
        said = driver.until(Notice, lambda event: "Goes on" in event.text).text
        assert "Nobody looks at what it changes then: there are too many" in said


def test_what_somebody_wrote_there_makes_nothing(place: Place) -> None:
    """Only what this program keeps is read of such a file."""
    jobs = place.home / "jobs"
    jobs.mkdir(parents=True)
    ran = place.root / "ran"
    (jobs / "1.names").write_bytes(f"cos\nsystem\n(S'touch {ran}'\ntR.".encode())
    (jobs / "2.names").write_bytes(b"\x80\x05")
    (jobs / "3.names").write_bytes(b"\x80\x04\x95" + b"\xff" * 8 + b".")
    with place.engine(resumed(place)) as driver:
        driver.turn("and?")
        assert not driver.all(QuestionAsked)
    assert not ran.exists()


def test_a_question_holds_prompts(place: Place) -> None:
    session = leave(place)
    with place.engine(resumed(place), resume=session) as driver:
        driver.send(Submit("and?"))
        driver.until(QuestionAsked)
        assert [one for one in driver.all(Answered) if one.kind == "hold"]
        assert not driver.all(TurnStarted)
