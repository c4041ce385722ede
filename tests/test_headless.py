"""`agent-tui run` as a person or a script meets it: a real process, its output and its exit code."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from agent_tui import headless
from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import RequestSent, Retrying
from agent_tui.tui.dialog.view import TITLES
from tests.agent.driving import Place
from tests.places import trust_project

LIST = {"call": "list_files", "arguments": {"path": "."}}
CREATE = {"call": "create_file", "arguments": {"path": "new.txt", "content": "x\n"}}
COMMAND = [sys.executable, "-m", "agent_tui"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


def environment(place: Place, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    base = {
        "AGENT_TUI_HOME": str(place.home),
        "HOME": str(place.root / "user"),
        "OLLAMA_HOST": "127.0.0.1:1",
    }
    return {**kept, **base, **more}


def run(
    place: Place, *arguments: str, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "run", *arguments],
        cwd=place.cwd,
        env=environment(place, **more),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_answer_goes_to_stdout_and_nothing_else(place: Place) -> None:
    done = run(place, "hi", "-m", place.script([{"text": "Hello **you**"}]))
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello **you**\n", "")


@pytest.mark.parametrize(
    "last", [[{"text": "  "}], [{"thinking": "hmm"}]], ids=["blank", "only thoughts"]
)
def test_an_empty_answer_is_a_failure(place: Place, last: list[Any]) -> None:
    done = run(place, "hi", "-m", place.script([{"text": "I look."}, LIST], last))
    assert done.returncode == 1
    assert "empty answer" in done.stderr
    done = run(place, "hi", "-m", place.script(last), "--output", "json")
    assert done.returncode == 1 and "empty answer" in done.stderr
    assert json.loads(done.stdout)["error"] == {
        "kind": "empty_answer",
        "text": "The model sent an empty answer.",
    }


def test_a_prompt_from_standard_input(place: Place) -> None:
    model = place.script({"branches": [{"when": "from a pipe", "items": [{"text": "got it"}]}]})
    assert run(place, "-", "-m", model, stdin="from a pipe\n").stdout == "got it\n"


@pytest.mark.parametrize(
    ("steps", "arguments", "code", "said"),
    [
        ([[{"fail": "auth", "text": "401 from somewhere"}]], [], 1, "401 from somewhere"),
        ([[CREATE], [{"text": "could not"}]], [], 3, "was there to allow it:\n  Create new.txt\n"),
        ([[CREATE], [{"text": "made"}]], ["--mode", "accept-edits"], 0, ""),
        ([[LIST], [LIST], [LIST], [LIST]], [], 4, "three times"),
        ([[LIST], [LIST]], ["--max-steps", "1"], 4, "1 step;"),
        ([[{"hang": True}]], ["--timeout", "0.5"], 4, "0.5 s"),
        (
            [[{"fail": "rate_limited", "text": "429", "may_pass": True, "retry_after": 999}]],
            [],
            75,
            "429",
        ),
    ],
)
def test_exit_codes(
    place: Place, steps: list[Any], arguments: list[str], code: int, said: str
) -> None:
    done = run(place, "go", "-m", place.script(*steps), *arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_interrupting_ends_with_130(place: Place) -> None:
    process = subprocess.Popen(
        [
            *COMMAND,
            "run",
            "go",
            "-m",
            place.script([{"text": "a"}, {"hang": True}]),
            "--output",
            "stream-json",
        ],
        cwd=place.cwd,
        env=environment(place),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if '"text_delta"' in line:
            break
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(20) == 130
    assert '"cancelled"' in rest


def test_json_is_one_object_with_the_facts(place: Place) -> None:
    done = run(place, "hi", "-m", place.script([{"text": "yes"}]), "--output", "json")
    facts = json.loads(done.stdout)
    assert (facts["text"], facts["state"], facts["exit_code"]) == ("yes", "completed", 0)
    assert facts["usage"]["estimated"] is True


def test_stream_json_prints_what_was_appended_and_marks_deltas(place: Place) -> None:
    done = run(
        place, "hi", "-m", place.script([{"text": "yes", "chunk": 1}]), "--output", "stream-json"
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    stored = [record["n"] for record in place.log_lines()]
    assert [line["n"] for line in lines if not line.get("delta")] == stored
    assert {line["type"] for line in lines if line.get("delta")} >= {"text_delta"}


def test_continue_goes_on_with_the_last_session_here(place: Place) -> None:
    model = place.script([{"text": "one"}], [{"text": "two"}])
    run(place, "first", "-m", model)
    assert run(place, "second", "-c").stdout == "two\n"
    [log] = (place.home / "sessions").glob("*.jsonl")
    assert run(place, "third", "-r", log.stem[:8], "-m", model).returncode == 0
    assert len(list((place.home / "sessions").glob("*.jsonl"))) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["go", "-r", "zzz"], "no session"),
        (["go", "-c"], "no earlier session"),
        (["go", "--mode", "yolo"], "accept-all"),
        (["go", "--cwd", "/nowhere/at/all"], "No such file"),
        (["go", "--max-steps", "0"], "must be a whole number, 1 or more"),
        (["go", "--max-cost", "0"], "must be more than 0"),
        (["go", "--max-cost", "much"], "--max-cost: much: must be a number of dollars"),
        (["  "], "empty"),
        (["go", "--output", "xml"], "xml"),
    ],
)
def test_wrong_use_says_what_and_ends_with_2(place: Place, arguments: list[str], said: str) -> None:
    done = run(place, *arguments)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_no_model_says_what_was_tried(place: Place) -> None:
    done = run(place, "go")
    assert done.returncode == 1
    said, tried, keys, *ways = done.stderr.splitlines()
    assert said == "agent-tui: no model to run on"
    assert "127.0.0.1:1" in tried and "OPENAI_API_KEY" in keys
    assert "OPENAI_BASE_URL" in ways.pop() and "OPENAI_API_KEY" in ways.pop()
    assert ways == [
        "To get a model:",
        "  `agent-tui setup` sets up a provider, or a server by its address",
        "  `agent-tui models` lists the models; `-m NAME` takes one",
        "  `-m demo` needs no model: a script answers",
    ]
    assert "Traceback" not in done.stderr and done.stdout == ""


def test_an_agent_that_repeats_itself_is_called_so_as_on_the_screen(place: Place) -> None:
    done = run(place, "go", "-m", place.script(*[[LIST]] * 4))
    assert done.returncode == 4
    assert done.stderr.startswith(f"agent-tui: {TITLES['stuck']}. The same call"), done.stderr


def test_a_reader_that_goes_away_is_no_error(place: Place) -> None:
    model = place.script([{"text": "word " * 50_000}])
    process = subprocess.Popen(
        [*COMMAND, "run", "go", "-m", model, "--output", "stream-json"],
        cwd=place.cwd,
        env=environment(place),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(20)
    assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
@pytest.mark.parametrize(("redirection", "code"), [(">&-", 1), ("2>&-", 0), ("> /dev/full", 1)])
def test_output_that_cannot_be_written_is_said_in_a_line(
    place: Place, redirection: str, code: int, output: str
) -> None:
    if redirection == "> /dev/full" and not Path("/dev/full").exists():
        redirection, code = "", 0
    model = place.script([{"text": "word"}])
    line = shlex.join([*COMMAND, "run", "go", "-m", model, "--output", output])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{line} {redirection}"],
        cwd=place.cwd,
        env=environment(place),
        capture_output=True,
        text=True,
    )
    assert done.returncode == code and "Traceback" not in done.stderr
    reason = "standard output is closed" if redirection == ">&-" else "No space left"
    assert done.stderr.count("\n") == (reason in done.stderr) == bool(code)


def test_a_closed_standard_input_is_no_prompt(place: Place) -> None:
    line = f"{shlex.join([*COMMAND, 'run', '-'])} <&-"
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=place.cwd,
        env=environment(place),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "closed" in done.stderr


@pytest.mark.parametrize("piped", [True, False])
@pytest.mark.parametrize("prompt", [b"a \xff b", b"\xf0\x9f\x92 half", bytes(range(1, 256))])
def test_a_prompt_with_bytes_that_are_no_text_is_sent_and_that_is_said(
    place: Place, prompt: bytes, piped: bool
) -> None:
    model = place.script([{"text": "word"}])
    argv = [*COMMAND, "run", "-" if piped else prompt, "-m", model]
    done = subprocess.run(
        argv,
        cwd=place.cwd,
        env=environment(place),
        input=prompt if piped else b"",
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (0, b"word\n")
    said = "agent-tui: the prompt holds bytes that are not UTF-8: the model gets \ufffd for them\n"
    assert done.stderr.decode() == said
    [begun] = [line for line in place.log_lines() if line["type"] == "turn_started"]
    assert begun["prompt"] == prompt.decode("utf-8", "replace")


def test_what_is_no_text_at_all_is_no_prompt(place: Place) -> None:
    argv = [*COMMAND, "run", "-", "-m", place.script([{"text": "word"}])]
    done = subprocess.run(
        argv,
        cwd=place.cwd,
        env=environment(place),
        input=b"\x7fELF\x02\x00\xff",
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr.count(b"\n") == 1
    assert b"the prompt is not text: it holds NUL bytes" in done.stderr


def test_what_the_encoding_cannot_say_is_written_as_its_code(place: Place) -> None:
    model = place.script([{"text": "→ \ud800 ü"}])
    assert (
        run(place, "go", "-m", model, PYTHONIOENCODING="ascii").stdout == "\\u2192 \\ud800 \\xfc\n"
    )
    assert run(place, "go", "-m", model, PYTHONIOENCODING="utf-8").stdout == "→ \\ud800 ü\n"


def test_a_session_that_is_open_elsewhere_is_a_line(place: Place) -> None:
    model = place.script([{"text": "one"}])
    with place.engine(model) as driver:
        driver.turn("hi")
        done = run(place, "more", "-r", driver.events[0].session)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert (
        done.stderr.startswith("agent-tui: session ") and "open in another program" in done.stderr
    )


def test_an_interrupt_before_the_turn_begins_none(place: Place) -> None:
    worker = Worker(place.config(place.script([{"text": "word"}]), interactive=False))
    worker.start(lambda: None)
    outcome = headless.Outcome(state="cancelled")
    while worker.events.empty():
        time.sleep(0.01)
    headless._follow(worker, outcome, "go", "text")
    worker.stop(10)
    assert outcome.code == 130 and not outcome.begun
    assert not list(place.home.glob("sessions/*.jsonl"))


def test_an_engine_that_dies_in_a_turn_ends_the_run(place: Place) -> None:
    worker = Worker(
        place.config(place.script([{"text": "word"}, {"hang": True}]), interactive=False)
    )
    worker.start(lambda: None)
    outcome = headless.Outcome()

    def kill() -> None:
        while not list(place.home.glob("sessions/*.jsonl")) or worker._loop is None:
            time.sleep(0.01)
        worker._loop.call_soon_threadsafe(worker._loop.stop)

    threading.Thread(target=kill, daemon=True).start()  # it waits for ever where no session begins
    headless._follow(worker, outcome, "go", "text")
    assert outcome.begun and outcome.code == 1
    assert outcome.error is not None and "engine stopped" in outcome.error.text


def test_without_a_terminal_the_screen_points_to_run(place: Place) -> None:
    done = subprocess.run(
        COMMAND,
        cwd=place.cwd,
        env=environment(place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "agent-tui run" in done.stderr


def test_invalid_settings_are_named_and_the_rest_is_used(place: Place) -> None:
    place.home.mkdir(parents=True)
    model = place.script([{"text": "fine"}])
    (place.home / "config.toml").write_text(
        f'model = "{model}"\nmod = "auto"\n[agent]\nmax_steps = "many"\n'
    )
    done = run(place, "go")
    assert (done.returncode, done.stdout) == (0, "fine\n")
    assert "config.toml:2: mod" in done.stderr and "config.toml:4: agent.max_steps" in done.stderr


def test_no_process_is_left_behind(place: Place) -> None:
    call = {
        "call": "run_shell_command",
        "arguments": {"command": "trap '' TERM; echo $$ > pid; sleep 60"},
    }
    process = subprocess.Popen(
        [*COMMAND, "run", "go", "-m", place.script([call]), "--mode", "accept-all"],
        cwd=place.cwd,
        env={**environment(place), "AGENT_TUI_SANDBOX": "local"},  # in one, pids are others
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not (place.cwd / "pid").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 130
    pid = (place.cwd / "pid").read_text().strip()
    status = Path(f"/proc/{pid}/status")
    assert not status.exists() or "Z (zombie)" in status.read_text()


def test_a_skill_of_the_project_that_was_never_used_is_refused(place: Place) -> None:
    model = place.script([{"text": "done"}])
    folder = place.cwd / ".agents" / "skills" / "tidy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\nSweep.\n")
    trust_project(place.cwd.resolve(), place.home)
    done = run(place, "/tidy", "-m", model)
    assert (done.returncode, done.stdout) == (1, "")
    assert "/tidy is a skill of this project that was never used" in done.stderr
    done = run(place, "/tidy", "-m", model, "--trust", str(place.cwd))
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_a_slash_word_that_is_no_skill_is_a_slip(place: Place) -> None:
    model = place.script([{"text": "hi"}])
    done = run(place, "/no-such-skill please", "-m", model)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("agent-tui: no skill /no-such-skill; there are: /commit")
    assert "Traceback" not in done.stderr
    for fine in ("/review", "/tmp is full", "/usr/lib is a folder", " /no-such-skill", "//"):
        assert run(place, fine, "-m", model).returncode == 0, fine


def test_a_silent_server_is_said_to_be_waited_for(place: Place) -> None:
    silent = place.script([{"wait": headless.SILENT_SECONDS + 1.5}, {"text": "late"}])
    done = run(place, "go", "-m", silent)
    assert (done.returncode, done.stdout) == (0, "late\n")
    assert done.stderr == f"agent-tui: waiting for {silent}\n", "one line, as this is no terminal"
    assert run(place, "go", "-m", silent, "--output", "json").stderr == ""


def test_what_is_waited_for_counts_on_a_terminal_and_goes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream, now = Terminal(), [100.0]
    monkeypatch.setattr(sys, "stderr", stream)
    progress = headless.Progress(True, lambda: now[0])
    progress.hear(RequestSent(model="a/b"))
    for now[0] in (100.5, 102.0, 102.4, 103.0):
        progress.tick()
    progress.hear(Retrying(2, 10.0, "down"))
    for now[0] in (104.0, 105.5):
        progress.tick()
    progress.clear()
    clear = "\r\x1b[K"
    assert stream.getvalue() == (
        f"{clear}agent-tui: waiting for a/b, 2 s{clear}agent-tui: waiting for a/b, 3 s{clear}"
        f"{clear}agent-tui: down; trying again in 9 s{clear}agent-tui: down; trying again in 8 s"
        f"{clear}"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("again", "text"),
    [("half of it", "half of it"), ("half of ", "half of "), ("it", "half of it")],
)
def test_an_answer_that_begins_over_again_is_said_once(place: Place, again: str, text: str) -> None:
    model = place.script([{"text": "half of "}, {"cut": True}], [{"text": again}])
    done = run(place, "ask", "-m", model, "--output", "json")
    assert json.loads(done.stdout)["text"] == text


def test_an_answer_that_broke_off_and_went_on_is_printed_whole(place: Place) -> None:
    model = place.script([{"text": "half of "}, {"cut": True}], [{"text": "it"}])
    done = run(place, "go", "-m", model)
    assert (done.returncode, done.stdout) == (0, "half of it\n")
    assert "trying again in" in done.stderr


def test_a_provider_that_stays_away_ends_with_75(place: Place) -> None:
    far = {"fail": "rate_limited", "text": "busy", "may_pass": True, "retry_after": 300}
    done = run(place, "go", "-m", place.script([far]), "--wait", "1")
    assert done.returncode == 75 and "busy" in done.stderr
