"""Commands that are cancelled or killed keep what came of them; what they leave in the background
goes on and can be ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.history import History
from agent_tui.protocol.codec import decode
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    JobChanged,
    Notice,
    ShellEnded,
    ShellStarted,
    ToolEnded,
    ToolOutput,
    TurnEnded,
)
from agent_tui.protocol.messages import Message, UserMessage
from agent_tui.protocol.ops import (
    Answer,
    Cancel,
    MoveToBackground,
    Query,
    RunShell,
    StopJob,
    Submit,
)
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.safety.process import input_wait
from tests.agent.driving import Place
from tests.safety.test_processes import PATIENCE, alive, gone

ROOT = Path(__file__).parents[2]
SERVER = """
import http.server, sys
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
open("port", "w").write(str(server.server_port))
server.serve_forever()
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def run(command: str, **more: object) -> dict[str, Any]:
    return {"call": "run_shell_command", "arguments": {"command": command, **more}}


def history_of(log: Path) -> list[Message]:
    """What the model is sent, by the log."""
    history = History()
    for line in log.read_bytes().splitlines():
        history = history.with_event(decode(line))
    return list(history.messages)


def block(rows: Any) -> ToolBlock:
    return next(row for row in reversed(list(rows)) if isinstance(row, ToolBlock))


def test_a_cancelled_command_keeps_its_output_everywhere(place: Place) -> None:
    model = place.script([run("echo FAIL 1; sleep 60")], [{"text": "I see"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        driver.until(ToolOutput)
        driver.send(Cancel())
        ended = driver.until(ToolEnded)
        assert ended.tag == "cancelled"
        assert (
            ended.content
            == "Error [cancelled]: cancelled while it ran. Its output until then:\nFAIL 1\n"
        )
        assert isinstance(ended.display, CommandDisplay) and ended.display.output == "FAIL 1\n"
        assert driver.until(TurnEnded).state == "cancelled"
        session = ended.session
    with place.engine(model, resume=session) as driver:
        assert driver.restored is not None
        shown = block(driver.restored.rows).display
        assert isinstance(shown, CommandDisplay) and shown.output == "FAIL 1\n"


def test_a_command_of_the_person_keeps_its_output_too(place: Place) -> None:
    with place.engine(place.script([{"text": "x"}])) as driver:
        driver.send(RunShell("echo seen; sleep 60"))
        driver.until(ToolOutput)
        driver.send(Cancel())
        ended = driver.until(ShellEnded)
        assert ended.tag == "cancelled" and ended.content == "cancelled\nseen"


def test_what_came_before_the_program_was_killed_is_in_the_result(place: Place) -> None:
    place.script([run("echo PARTIAL; sleep 300")], name="script.json")
    place.script([{"text": "two"}], name="later.json")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(place.home)}
    argv = [
        sys.executable,
        "-m",
        "agent_tui",
        "run",
        "-m",
        "scripted/script.json",
        "--mode",
        "accept-all",
        "go",
    ]
    program = subprocess.Popen(argv, cwd=place.cwd, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while (
        not any(f.read_text() for f in place.home.glob("outputs/*/*.txt"))
        and time.monotonic() < deadline
    ):
        time.sleep(0.02)
    program.kill()
    program.wait()
    [log] = place.home.glob("sessions/*.jsonl")
    with place.engine("scripted/later.json", resume=log.stem) as driver:
        assert driver.restored is not None
        shown = block(driver.restored.rows)
        assert shown.tag == "interrupted" and isinstance(shown.display, CommandDisplay)
        assert (shown.display.command, shown.display.output) == (
            "echo PARTIAL; sleep 300",
            "PARTIAL\n",
        )
    ended = next(
        record
        for record in map(json.loads, log.read_bytes().splitlines())
        if record["type"] == "tool_ended"
    )
    assert "unknown whether it ran" in ended["content"] and "PARTIAL" in ended["content"]


def test_a_log_that_names_another_file_gets_nothing_of_it(place: Place) -> None:
    from agent_tui.agent.session.recovery import output_of

    (place.root / "secret.txt").write_text("secret")
    (place.root / "0123abcd.txt").write_text("fine")
    assert output_of(place.root, 100, "0123abcd.txt") == "fine"
    assert (
        output_of(place.root / "x", 100, "../secret.txt")
        == output_of(place.root, 100, "secret.txt")
        == ""
    )


def test_a_server_in_the_background_goes_on_answering_until_it_is_stopped(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "server.py").write_text(SERVER)
    command = f"{sys.executable} server.py & while [ ! -s port ]; do sleep 0.05; done"
    model = place.script([run(command)], [{"text": "it runs"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        began = driver.all(JobChanged)[0]
        assert began.state == "running" and len(began.pids) == 1 and driver.transcript().jobs
        content = driver.all(ToolEnded)[0].content
        assert f"pid {began.pids[0]}" in content and began.output in content
        port = int((place.cwd / "port").read_text())
        for _ in range(20):  # it writes a line for each
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/server.py", timeout=PATIENCE
            ) as answer:
                assert answer.status == 200
        deadline = time.monotonic() + PATIENCE
        last = ""
        while "GET /server.py" not in last and time.monotonic() < deadline:
            driver.send(Query("look", "jobs"))
            [job] = driver.until(Answered, lambda event: event.kind == "jobs").data.jobs
            last = job.last
        assert "GET /server.py" in last
        assert "GET /server.py" in next(place.home.glob(f"outputs/*/{began.output}")).read_text()
        driver.send(StopJob(began.id))
        assert driver.until(JobChanged, lambda event: event.id == began.id).state == "stopped"
        assert driver.until(Notice).text.startswith("Stopped by you")
        assert gone(began.pids[0]) and not driver.transcript().jobs


def test_what_runs_in_the_background_ends_with_the_session(place: Place) -> None:
    model = place.script([run("sleep 300 & sleep 300 &")], [{"text": "x"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        pids = driver.all(JobChanged)[0].pids
        assert len(pids) == 2 and all(map(alive, pids))
    assert all(map(gone, pids))
    states = [
        record.get("state") for record in place.log_lines() if record["type"] == "job_changed"
    ]
    assert states == ["running", "stopped"]


def test_a_cancelled_command_that_ignores_term_writes_nothing_over_the_next_turn(
    place: Place,
) -> None:
    late = "trap '' TERM; echo on; while :; do echo LATE > file.txt; sleep 0.02; done"
    write = {
        "call": "create_file",
        "arguments": {"path": "file.txt", "content": "MODEL\n", "overwrite": True},
    }
    model = place.script([run(late)], [write], [{"text": "done"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        driver.until(ToolOutput)
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
        driver.turn("again")
        assert (place.cwd / "file.txt").read_text() == "MODEL\n"
        time.sleep(0.3)
        assert (place.cwd / "file.txt").read_text() == "MODEL\n"


def test_a_server_that_begins_in_the_background_is_used_by_the_next_commands(place: Place) -> None:
    place.cwd.mkdir(parents=True)
    (place.cwd / "server.py").write_text(SERVER)
    look = (
        "while [ ! -s port ]; do sleep 0.05; done; "
        f"{sys.executable} -c 'import urllib.request as u; "
        'print(u.urlopen("http://127.0.0.1:" + open("port").read()).status)\''
    )
    model = place.script(
        [run(f"{sys.executable} server.py", background=True)],
        [run(look), {"call": "load_tools", "arguments": {"group": "jobs"}}],
        [{"call": "jobs", "arguments": {"action": "stop", "job": 1}}],
        [{"text": "done"}],
    )
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        assert driver.turn("go").state == "completed"
        began, used, _, stopped = driver.all(ToolEnded)
        assert "background: job 1, pid" in began.content and began.tag == "ok"
        assert used.content == "exit code 0\n200\n"
        assert "Job 1: stopped" in stopped.content and "GET /" in stopped.content
        [begun, ended] = driver.all(JobChanged)
        assert (begun.number, ended.state, ended.told) == (1, "stopped", "")  # the call told it


def test_the_model_is_told_with_the_next_request_that_a_job_has_ended(place: Place) -> None:
    model = place.script(
        [run("while [ ! -e go ]; do sleep 0.05; done; exit 4", background=True)],
        [{"text": "it runs"}],
        [{"text": "I see"}],
    )
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        (place.cwd / "go").touch()
        told = driver.until(JobChanged, lambda event: event.state == "ended").told
        assert told.startswith("[Job 1 ended, exit code 4: while") and ".txt (read_file)" in told
        driver.turn("and?")
        session = driver.events[-1].session
    history = history_of(place.home / "sessions" / f"{session}.jsonl")
    assert [m.text for m in history if isinstance(m, UserMessage) and "Job 1" in m.text] == [told]


def test_a_command_is_moved_into_the_background_while_it_runs(place: Place) -> None:
    model = place.script([run("echo on; sleep 300", timeout=3000)], [{"text": "then later"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        driver.until(ToolOutput)
        driver.send(MoveToBackground())
        assert driver.until(TurnEnded).state == "completed"
        [ended] = driver.all(ToolEnded)
        assert "on\n" in ended.content and "moved there by the person: job 1" in ended.content
        assert isinstance(ended.display, CommandDisplay) and ended.display.background
        pids = driver.all(JobChanged)[0].pids
        assert all(map(alive, pids)) and driver.transcript().jobs
    assert all(map(gone, pids))


def test_a_command_of_the_person_that_is_moved_has_not_failed(place: Place) -> None:
    with place.engine(place.script([{"text": "x"}])) as driver:
        driver.send(RunShell("echo on; sleep 300"))
        driver.until(ToolOutput)
        driver.send(MoveToBackground())
        ended = driver.until(ShellEnded)
        assert ended.tag == "ok" and "it goes on in the background" in ended.content
        assert isinstance(ended.display, CommandDisplay) and ended.display.background


def test_a_private_command_in_the_background_is_not_told_to_the_model(place: Place) -> None:
    with place.engine(place.script([{"text": "x"}])) as driver:
        driver.send(RunShell("sleep 300", private=True))
        driver.until(ShellStarted)
        deadline = time.monotonic() + PATIENCE
        while not driver.all(JobChanged) and time.monotonic() < deadline:
            driver.send(MoveToBackground())
            driver.send(Query("look", "jobs"))
            driver.until(Answered)
        [begun] = driver.all(JobChanged)
        assert (begun.command, begun.number) == ("!! private command", 0)
        driver.send(StopJob(begun.id))
        assert driver.until(JobChanged, lambda event: event.state == "stopped").told == ""


def test_a_job_ends_with_a_killed_program_and_the_model_is_told(place: Place) -> None:
    place.script(
        [run("echo $$ > pid; exec sleep 300", background=True)],
        [run("sleep 300")],
    )
    place.home.mkdir(parents=True, exist_ok=True)
    (place.home / "config.toml").write_text('[sandbox]\nmode = "local"\n')
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AGENT_TUI_HOME": str(place.home)}
    words = ["-m", "scripted/script.json", "--mode", "accept-all", "go"]
    argv = [sys.executable, "-m", "agent_tui", "run", *words]
    program = subprocess.Popen(argv, cwd=place.cwd, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    log = "sessions/*.jsonl"
    while time.monotonic() < deadline and not any(
        b'"job_changed"' in file.read_bytes() for file in place.home.glob(log)
    ):
        time.sleep(0.02)
    pid = int((place.cwd / "pid").read_text())
    program.kill()
    program.wait()
    assert gone(pid)
    [found] = place.home.glob(log)
    words_only = place.script(*([{"text": "words"}] for _ in range(4)))
    with place.engine(words_only, resume=found.stem) as driver:
        assert driver.restored is not None and not driver.restored.jobs
        driver.turn("go on")
    told = [m.text for m in history_of(found) if isinstance(m, UserMessage)]
    assert any("[Job 1 ended with the program: echo $$" in text for text in told)


@pytest.mark.parametrize("asks", [True, False])
def test_a_job_in_the_sandbox_is_stopped_by_its_number(place: Place, asks: bool) -> None:
    """With a person there, it may run again without the sandbox: then that is the job."""
    model = place.script(
        [run("sleep 300", background=True)],
        [{"call": "load_tools", "arguments": {"group": "jobs"}}],
        [{"call": "jobs", "arguments": {"action": "list"}}],
        [{"call": "jobs", "arguments": {"action": "stop", "job": 2 if asks else 1}}],
        [{"text": "done"}],
    )
    with place.engine(model, mode="accept-all", interactive=asks) as driver:
        driver.send(Submit("go"))
        if asks:
            asked = driver.until(ApprovalAsked)
            assert "left a program running" in asked.reason
            driver.send(Answer(asked.id, "once"))
        assert driver.until(TurnEnded).state == "completed"
        began, _, _, stopped = driver.all(ToolEnded)
        assert ("nobody else can connect" in began.content) is not asks
        assert "stopped" in stopped.content
        ended = [job for job in driver.all(JobChanged) if job.state == "stopped"]
        assert not any(job.told for job in ended) and not driver.transcript().jobs


ASKS = (
    "echo begun; printf 'Continue? [y/N] '; while [ ! -e go ]; do sleep 0.2; done; echo; sleep 300"
)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for input is told at once."""
    monkeypatch.setattr(input_wait, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(input_wait, "CHECK_SECONDS", 0.1)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("begins", [0, 2], ids=["before it is a job", "later"])
def test_the_model_is_told_that_a_job_waits_for_input_and_that_it_goes_on(
    place: Place, begins: int
) -> None:
    command = f"sleep {begins}; {ASKS}"
    model = place.script([run(command, background=True)], [{"text": "so"}], [{"text": "I see"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        waits = driver.until(JobChanged, lambda event: bool(event.waits))
        assert waits.waits == "Continue? [y/N]" and "ends with: Continue? [y/N]" in waits.told
        assert driver.transcript().jobs[0].waits
        driver.send(Query("look", "jobs"))
        assert driver.until(Answered, lambda event: event.kind == "jobs").data.jobs[0].waits
        if not driver.all(TurnEnded):
            driver.until(TurnEnded)
        driver.turn("and?")
        said = [event for event in driver.all(Notice) if "wait for input" in event.text]
        assert [event.level for event in said] == ["warning"]
        (place.cwd / "go").touch()
        assert not driver.until(JobChanged).waits
        assert not driver.transcript().jobs[0].waits
        session = driver.events[-1].session
    history = history_of(place.home / "sessions" / f"{session}.jsonl")
    told = [one.text for one in history if isinstance(one, UserMessage)]
    assert sum("seems to wait for input" in text for text in told) == 1


@pytest.mark.usefixtures("soon")
def test_a_command_that_waits_for_input_is_told_to_the_person_and_in_its_result(
    place: Place,
) -> None:
    model = place.script([run("printf 'Name: '; sleep 300", timeout=2)], [{"text": "so"}])
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        said = driver.until(Notice, lambda event: "wait for input" in event.text)
        assert said.text.endswith(": Name:")
        ended = driver.until(ToolEnded)
        assert ended.tag == "timeout" and "seemed to wait for input behind: Name:" in ended.content
