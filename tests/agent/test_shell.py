"""Commands of the person through the real engine: their output, the model's share of it, what stays
private."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.shell import full_screen
from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    AssistantReplied,
    QueueChanged,
    RequestSent,
    ShellEnded,
    ShellStarted,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    fold,
)
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit, RunShell, Submit
from agent_tui.protocol.transcript import ToolBlock
from tests.agent.driving import Driver, Place

HEARD = {
    "branches": [
        {"when": "told 42", "items": [{"text": "I heard it"}]},
        {"items": [{"text": "nothing was said"}]},
    ]
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def run(driver: Driver, command: str, private: bool = False) -> ShellEnded:
    driver.send(RunShell(command, private))
    return driver.until(ShellEnded)


def test_the_output_joins_the_next_request(place: Place) -> None:
    steps: list[Any] = [[{"text": "first"}], [{"text": "second"}]]
    with place.engine(place.script(*steps)) as driver:
        ended = run(driver, "echo told $((40+2)); exit 3")
        assert (ended.content, ended.tag, ended.idle) == ("exit code 3\ntold 42", "exit", True)
        assert any("told 42" in output.text for output in driver.all(ToolOutput))
        driver.turn("go")
        assert driver.all(RequestSent)[0].messages == 2
        driver.turn("and again")
        assert driver.all(RequestSent)[1].messages == 4
        seen, everything = driver.transcript(), list(driver.events)
    assert seen.state == "idle"
    assert not seen.open_tools
    assert fold(event for event in everything if event.settled).rows == seen.rows


def test_the_exit_code_is_no_line_of_output(place: Place) -> None:
    with place.engine(place.script([{"text": "first"}])) as driver:
        for command, code in (("true", 0), ("exit 3", 3)):
            display = run(driver, command).display
            assert isinstance(display, CommandDisplay)
            assert (display.output, display.exit_code) == ("", code)


def test_beside_a_turn_it_is_heard_at_the_next_step(place: Place) -> None:
    first = [
        {"call": "run_shell_command", "arguments": {"command": "read -t 2 x </dev/zero; sleep 1"}}
    ]
    with place.engine(place.script(first, HEARD), mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(ToolStarted)
        ended = run(driver, "echo told 42")
        assert not ended.idle
        driver.until(TurnEnded)
        assert driver.all(AssistantReplied)[-1].text == "I heard it"
        kinds = [type(event) for event in driver.events]
        assert kinds.index(ShellEnded) < kinds.index(ToolEnded)


def test_a_private_one_leaves_a_line_count_and_nothing_else(place: Place) -> None:
    with place.engine(place.script([{"text": "ok"}])) as driver:
        ended = run(driver, "printf 'zq%s\\nzq%s\\n' xwv xwv", private=True)
        told = driver.until(Answered, lambda event: event.kind == "private")
        driver.turn("go")
        assert driver.all(RequestSent)[0].messages == 1
        (block,) = [row for row in driver.transcript().rows if isinstance(row, ToolBlock)]
    assert (ended.lines, ended.content, ended.command) == (2, "", "")
    assert told.data.output == "zqxwv\nzqxwv\n"
    assert "2 lines" in block.label
    files = [path for path in place.home.rglob("*") if path.is_file()]
    assert files
    assert not any(b"xwv" in path.read_bytes() for path in files)


@pytest.mark.parametrize(
    "command", ["echo a > /dev/sdxwv", "rm -rf ../../{}/xwv/ /", "dd if=xwv of=/dev/xwv"]
)
def test_what_is_asked_about_a_private_one_names_nothing_of_it(place: Place, command: str) -> None:
    with place.engine(place.script([{"text": "ok"}])) as driver:
        driver.send(RunShell(command, private=True))
        asked = driver.until(ApprovalAsked)
        assert asked.reason.endswith("…") and asked.hard and asked.display is None
        driver.send(Answer(asked.id, "no"))
        assert driver.until(ShellEnded).tag == "denied"
        driver.turn("go")
    assert not any(b"xwv" in path.read_bytes() for path in place.home.rglob("*") if path.is_file())


def test_what_cannot_be_taken_back_is_asked(place: Place) -> None:
    with place.engine(place.script([{"text": "ok"}]), mode="accept-all") as driver:
        driver.send(RunShell("rm -rf /"))
        asked = driver.until(ApprovalAsked)
        assert asked.hard
        driver.send(Answer(asked.id, "no"))
        assert driver.until(ShellEnded).tag == "denied"
        assert driver.transcript().state == "idle"
        assert driver.turn("go").state == "completed"


def test_a_cancel_ends_it_and_the_queue_waits(place: Place) -> None:
    with place.engine(place.script([{"text": "ok"}])) as driver:
        driver.send(RunShell("sleep 600"))
        driver.until(ShellStarted)
        driver.send(QueueEdit("add", text="later"))
        driver.send(Cancel())
        assert driver.until(QueueChanged, lambda event: event.paused).items[0].text == "later"
        assert driver.until(ShellEnded).tag == "cancelled"


def test_what_a_kill_left_open_is_closed(place: Place) -> None:
    model = place.script([{"text": "ok"}])
    with place.engine(model) as driver:
        run(driver, "echo told 42")
        session = driver.events[0].session
    (log,) = place.home.rglob("*.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["type"] for line in lines]
    log.write_bytes(b"".join(lines[: kinds.index("shell_ended")]))
    with place.engine(model, resume=session) as driver:
        driver.turn("go")
        assert driver.restored is not None
        assert not driver.restored.open_tools


def test_a_question_that_a_kill_left_open_is_closed_too(place: Place) -> None:
    model = place.script([{"text": "ok"}])
    with place.engine(model) as driver:
        driver.send(RunShell("rm -rf /"))
        driver.until(ApprovalAsked)
        session = driver.events[0].session
        (log,) = place.home.rglob("*.jsonl")
        before = log.read_bytes()
    log.write_bytes(before)
    with place.engine(model, resume=session) as driver:
        driver.turn("go")
        seen = driver.transcript()
    assert (seen.pending, seen.state, dict(seen.open_tools)) == ((), "idle", {})


@pytest.mark.parametrize(
    "command", ["vim notes", "sudo -u ada nano notes", "cd /tmp && htop", "LANG=C vi"]
)
def test_a_program_that_needs_a_terminal_is_told_that_there_is_none(
    place: Place, command: str
) -> None:
    with place.engine(place.script([{"text": "so"}])) as driver:
        ended = run(driver, command)
        assert ended.tag == "blocked"
        assert "needs a terminal, and commands here have none" in ended.content


@pytest.mark.parametrize(
    "command", ["echo vim", "vim --version", "git log", "vi -es -c q", "'", ""]
)
def test_what_needs_no_terminal_is_run(command: str) -> None:
    assert full_screen(command) == ""
