"""A job that the person keeps goes on when the program ends, in whatever way, and nothing else does;
the next start lists it, reads its output, and stops it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.answers import JobStatus
from agent_tui.protocol.events import Answered, JobChanged, Notice
from agent_tui.protocol.messages import UserMessage
from agent_tui.protocol.ops import KeepJob, Query, RunShell, StopJob
from tests.agent.driving import Driver, Place, running
from tests.agent.test_jobs import SERVER, history_of, run
from tests.safety.test_processes import PATIENCE, alive, gone

ROOT = Path(__file__).parents[2]
COUNTER = "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.05; done"
STUBBORN = "(trap '' TERM; while :; do sleep 0.1; done)"
KILLED = """
import json, sys
from pathlib import Path
from tests.agent.driving import Place
from tests.agent.test_kept_jobs import begin, keep
place = Place(Path(sys.argv[1]))
with place.engine("scripted/script.json", mode="accept-all", sandbox=sys.argv[2], interactive=False) as driver:
    kept, ends = begin(driver)
    keep(driver, kept.id)
    print(json.dumps([kept.session, kept.id, kept.pids, ends.pids]), flush=True)
    driver.until(int)
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """What a test that failed kept is ended."""
    place = Place(tmp_path)
    yield place
    for file in place.home.glob("jobs/*.json"):
        pid = int(json.loads(file.read_text())["process"].split()[0])
        if alive(pid):
            os.kill(pid, signal.SIGUSR1)


def script(place: Place, kept: str, ends: str = "sleep 300") -> str:
    calls = [run(kept, background=True), run(ends, background=True)]
    return place.script(calls, *([{"text": "so"}] for _ in range(3)))


def begin(driver: Driver) -> tuple[JobChanged, JobChanged]:
    driver.turn("go")
    first, second = driver.all(JobChanged)
    return first, second


def keep(driver: Driver, id: str, on: bool = True) -> JobChanged:
    driver.send(KeepJob(id, on))
    return driver.until(JobChanged, lambda event: event.id == id and event.kept is on)


def listed(driver: Driver, fits: Callable[[JobStatus], bool]) -> JobStatus:
    """The first job in the list, once it is as it should be."""
    deadline, jobs = time.monotonic() + PATIENCE, ()
    while time.monotonic() < deadline:
        driver.send(Query("look", "jobs"))
        jobs = driver.until(Answered, lambda event: event.kind == "jobs").data.jobs
        if jobs and fits(jobs[0]):
            return jobs[0]
    raise AssertionError(jobs)


def grows(file: Path) -> bool:
    size, deadline = file.stat().st_size, time.monotonic() + PATIENCE
    while file.stat().st_size == size and time.monotonic() < deadline:
        time.sleep(0.02)
    return file.stat().st_size > size


def waited(found: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (value := found()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


def resumed(place: Place) -> str:
    return place.script(*([{"text": "so"}] for _ in range(9)), name="later.json")


def test_a_job_that_cannot_be_kept_is_told_as_it_was_and_goes_on(place: Place) -> None:
    model = script(place, COUNTER)
    place.home.mkdir(parents=True, exist_ok=True)
    (place.home / "jobs").write_text("")  # where its folder would be
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        job, _ = begin(driver)
        driver.send(KeepJob(job.id))
        told = driver.until(JobChanged)
        assert (told.id, told.state, told.kept) == (job.id, "running", False)
        assert "cannot be kept" in driver.until(Notice).text
        driver.turn("and?")


def test_a_note_that_cannot_be_removed_stops_nothing(place: Place) -> None:
    model = script(place, COUNTER)
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        job, _ = begin(driver)
        keep(driver, job.id)
        folder = place.home / "jobs"
        folder.rename(place.home / "elsewhere")
        folder.write_text("")  # a file where the folder was
        driver.send(StopJob(job.id))
        driver.until(Notice, lambda told: "cannot be removed" in told.text)
        driver.turn("and?")
    assert gone(job.pids[0])


def test_a_kept_server_answers_after_the_end_and_is_stopped_by_the_next_run(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "server.py").write_text(SERVER)
    model = script(place, f"exec {sys.executable} -u server.py")
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        kept, ends = begin(driver)
        keep(driver, kept.id)
        assert driver.until(Notice).text.startswith("Goes on when you quit: exec")
        session, before = kept.session, driver.transcript().jobs
        assert [job.kept for job in before] == [True, False]
        port = waited((place.cwd / "port").read_text)
    assert all(map(alive, kept.pids)) and all(map(gone, ends.pids))
    url = f"http://127.0.0.1:{port}/server.py"
    for _ in range(3):
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            assert answer.status == 200
    file = next(place.home.glob(f"outputs/{session}/{kept.output}"))
    assert waited(lambda: file.read_text().count("GET /server.py") == 3)
    with place.engine(resumed(place), resume=session, mode="accept-all") as driver:
        job = listed(driver, lambda job: "GET" in job.last)
        assert (job.id, job.pids, job.output) == (kept.id, kept.pids, str(file))
        assert job.kept and job.adopted and job.tail.count("GET /server.py") == 3
        driver.turn("and?")
        driver.send(StopJob(kept.id))
        assert driver.until(JobChanged, lambda one: one.state != "running").state == "stopped"
        assert all(map(gone, kept.pids)) and not driver.transcript().jobs
        [log] = place.home.glob("sessions/*.jsonl")
        told = [one.text for one in history_of(log) if isinstance(one, UserMessage)]
        assert any("[Job 1 still runs: exec" in text for text in told)
    assert not [*place.home.glob("jobs/*.json")]


@pytest.mark.parametrize("sandbox", ["local", "auto"])
def test_a_kept_job_survives_kill_9_and_nothing_else_does(place: Place, sandbox: str) -> None:
    script(place, COUNTER, STUBBORN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", KILLED, str(place.root), sandbox]
    program = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    session, id, pids, others = json.loads(program.stdout.readline())
    kept = json.loads(next(place.home.glob("jobs/*.json")).read_text())
    program.kill()
    program.wait()
    assert all(map(gone, others)) and kept["id"] == id
    file = place.home / "outputs" / session / kept["output"]
    assert grows(file) and any(map(alive, pids))
    with place.engine(resumed(place), resume=session, mode="accept-all") as driver:
        assert driver.restored is not None
        assert [job.id for job in driver.restored.jobs] == [id]
        first = listed(driver, lambda job: bool(job.last)).last
        listed(driver, lambda job: job.last != first)
        driver.send(StopJob(id))
        driver.until(JobChanged, lambda event: event.state == "stopped")
    # bash says so where its `sleep` dies first
    lines = file.read_text().removesuffix("Terminated\n").splitlines()
    assert lines == [f"line {number + 1}" for number in range(len(lines))]
    assert all(map(gone, pids))


def test_a_kept_job_that_ended_meanwhile_is_told_to_the_model(place: Place) -> None:
    model = script(place, "while [ ! -e go ]; do sleep 0.05; done; echo last words")
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        kept, _ = begin(driver)
        keep(driver, kept.id)
    (place.cwd / "go").touch()
    assert all(map(gone, kept.pids))
    file = next(place.home.glob(f"outputs/*/{kept.output}"))
    assert waited(lambda: file.read_text() == "last words\n")
    with place.engine(resumed(place), resume=kept.session, mode="accept-all") as driver:
        assert driver.restored is not None and not driver.restored.jobs
        driver.turn("and?")
    [log] = place.home.glob("sessions/*.jsonl")
    told = [one.text for one in history_of(log) if isinstance(one, UserMessage)]
    assert any("[Job 1 ended while the program did not run: while" in text for text in told)
    assert not [*place.home.glob("jobs/*.json")]


def test_a_new_session_in_the_folder_lists_and_stops_it_too(place: Place) -> None:
    with place.engine(script(place, COUNTER), mode="accept-all", sandbox="local") as driver:
        kept, _ = begin(driver)
        keep(driver, kept.id)
    with place.engine(resumed(place)) as driver:
        job = listed(driver, lambda job: "line" in job.last)
        assert job.adopted and driver.transcript().jobs[0].number == 0
        driver.send(KeepJob(kept.id, False))
        said = driver.until(Notice, lambda event: "stays kept" in event.text)
        assert "can only be stopped" in said.text
        driver.send(StopJob())
        driver.until(JobChanged, lambda event: event.state == "stopped")
    assert all(map(gone, kept.pids))


def test_what_is_kept_no_longer_ends_with_the_program(place: Place) -> None:
    with place.engine(script(place, COUNTER), mode="accept-all", sandbox="local") as driver:
        kept, _ = begin(driver)
        keep(driver, kept.id)
        keep(driver, kept.id, on=False)
        assert driver.until(Notice).text.startswith("Ends when you quit: i=0;")
    assert all(map(gone, kept.pids)) and not [*place.home.glob("jobs/*.json")]
    [log] = place.home.glob("sessions/*.jsonl")
    states = [json.loads(line).get("state") for line in log.read_bytes().splitlines()]
    assert "stopped" in states


def test_of_a_kept_job_the_last_output_is_seen_and_what_it_keeps_is_stubborn(place: Place) -> None:
    """It is stopped by the next run although it ignores TERM, also a daemon of it."""
    daemon = f"(setsid bash -c {json.dumps(STUBBORN)} &); {STUBBORN}"
    with place.engine(script(place, daemon), mode="accept-all", sandbox="local") as driver:
        kept, _ = begin(driver)
        keep(driver, kept.id)
        pids = listed(driver, lambda job: len(job.pids) >= 3).pids
    assert all(map(alive, kept.pids[:1]))
    with place.engine(resumed(place)) as driver:
        driver.send(StopJob())
        driver.until(JobChanged, lambda event: event.state == "stopped")
    assert all(map(gone, pids))


def test_nothing_off_the_record_is_kept(place: Place) -> None:
    config = replace(place.config(place.script([{"text": "x"}])), otr=True)
    with running(config) as driver:
        driver.send(RunShell("sleep 300 &"))
        began = driver.until(JobChanged)
        driver.send(KeepJob(began.id))
        said = driver.until(Notice, lambda event: "cannot be kept" in event.text)
        assert "off-the-record" in said.text
    assert all(map(gone, began.pids))


def test_a_run_without_a_screen_ends_its_jobs_and_says_so(place: Place) -> None:
    script(place, "echo $$ > pid; exec sleep 300", "exec sleep 301")
    place.home.mkdir()
    (place.home / "config.toml").write_text('[sandbox]\nmode = "local"\n')
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(place.home)}
    words = ["run", "-m", "scripted/script.json", "--mode", "accept-all", "go"]
    done = subprocess.run(
        [sys.executable, "-m", "agent_tui", *words],
        cwd=place.cwd,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "agent-tui: Ended in the background: exec sleep 301\n" in done.stderr
    assert gone(int((place.cwd / "pid").read_text()))
