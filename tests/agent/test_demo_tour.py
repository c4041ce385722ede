"""The whole tour through the real engine: thread, loop, log, policy, tools, files and a shell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.protocol.display import CommandDisplay, DiffDisplay
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    ErrorRaised,
    FileChanged,
    QuestionAsked,
    SessionStarted,
    TextDelta,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    fold,
)
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit, Steer, Submit
from agent_tui.protocol.transcript import ToolBlock, UserBlock
from agent_tui.settings.table import ProviderSettings
from tests.agent.driving import Driver, Place, running

TOOLS = [
    "create_file",
    "list_files",
    "read_file",
    "grep_files",
    "edit_file",
    "run_shell_command",
    "glob_files",
    "list_files",
    "list_files",
    "list_files",
    "list_files",
]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@contextmanager
def demo(place: Place, mode: str = "auto", resume: str = "", pace: float = 0) -> Iterator[Driver]:
    config = place.config("demo/tour", mode, resume)
    paced = {"demo": ProviderSettings(options={"pace": pace})}
    config = replace(config, settings=replace(config.settings, providers=paced))
    with running(config) as driver:
        yield driver


def consent(driver: Driver, tool: str, choice: str = "once") -> ApprovalAsked:
    asked = driver.until(ApprovalAsked)
    assert asked.tool == tool
    driver.send(Answer(asked.id, "once" if choice == "once" else "no"))
    return asked


def to_the_loop(driver: Driver, choice: str = "once") -> QuestionAsked:
    """Play the tour, answering what is asked, up to the question about the loop."""
    driver.send(Submit("tour"))
    for tool in ("create_file", "edit_file", "run_shell_command"):
        if choice == "once" or tool != "edit_file":  # without the file there is nothing to edit
            consent(driver, tool, choice)
    return driver.until(QuestionAsked)


def scratch(place: Place) -> Path:
    (folder,) = place.home.resolve().glob("tour-*")
    return folder


def test_the_tour_from_its_first_word_to_its_end(place: Place) -> None:
    with demo(place) as driver:
        asked = to_the_loop(driver)
        assert (asked.kind, asked.options) == ("stuck", ("stop", "continue", "say"))
        driver.send(Answer(asked.id, "continue"))
        assert driver.until(TurnEnded).state == "completed"
        assert not driver.all(ErrorRaised)
        # reads run side by side: they begin in order, and end as they come
        assert [started.name for started in driver.all(ToolStarted)] == TOOLS
        assert sorted(ended.name for ended in driver.all(ToolEnded)) == sorted(TOOLS)
        assert {ended.tag for ended in driver.all(ToolEnded)} == {"ok"}
        created, edited, command = driver.all(ApprovalAsked)
        assert isinstance(created.display, DiffDisplay)
        assert created.display.created
        assert isinstance(edited.display, DiffDisplay)
        assert [
            line for hunk in edited.display.hunks for line in hunk.lines if line[0] in "+-"
        ] == [
            "-- The sky is green.",
            "+- The sky is blue.",
        ]
        assert isinstance(command.display, CommandDisplay)
        assert len([output for output in driver.all(ToolOutput) if "line " in output.text]) > 1
        assert "The sky is blue." in (scratch(place) / "notes.md").read_text()
        assert [Path(changed.path).parent for changed in driver.all(FileChanged)] == [
            scratch(place)
        ] * 2
        said = "\n".join(reply.text for reply in driver.all(AssistantReplied))
        for words in (
            "not a language model",
            str(scratch(place)),
            "with exit code 0",
            "14, 15.",
            "## That was the",
        ):
            assert words in said
        live = replace(
            driver.transcript(), answers={}
        )  # answers to queries are not part of the log
        assert live == replace(fold(event for event in driver.events if event.settled), answers={})
    assert list(place.cwd.iterdir()) == []


def test_refused_everything_it_still_reaches_the_end(place: Place) -> None:
    with demo(place) as driver:
        driver.send(Answer(to_the_loop(driver, "no").id, "say", "enough"))
        assert driver.until(TurnEnded).state == "completed"
        assert "You said `enough`." in driver.all(AssistantReplied)[-1].text
        assert list(scratch(place).iterdir()) == []


def test_in_plan_mode_nothing_is_written_and_the_end_comes(place: Place) -> None:
    with demo(place, "plan") as driver:
        driver.send(Submit("tour"))
        driver.send(Answer(driver.until(QuestionAsked).id, "continue"))
        assert driver.until(TurnEnded).state == "completed"
        assert not driver.all(ApprovalAsked)
        assert "That was refused, so nothing was done" in driver.all(AssistantReplied)[1].text
        assert list(scratch(place).iterdir()) == []


def test_stopped_in_the_loop_the_rest_comes_when_called(place: Place) -> None:
    with demo(place, "plan") as driver:
        driver.send(Submit("tour"))
        driver.send(Answer(driver.until(QuestionAsked).id, "stop"))
        assert driver.until(TurnEnded).state == "stuck"
        assert driver.turn("tour").state == "completed"
        assert "## That was the tour" in driver.all(AssistantReplied)[-1].text


def test_escape_in_the_count_then_resumed_in_another_process(place: Place) -> None:
    with demo(place, "plan", pace=0.05) as driver:
        driver.send(Submit("tour"))
        driver.until(TextDelta, lambda delta: delta.text == "2, ")
        driver.send(QueueEdit("add", text="list"))
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
        cut = driver.all(AssistantReplied)[-1]
        assert cut.stop_reason == "cancelled"
        assert cut.text.endswith(", ")
        session = driver.all(SessionStarted)[0].session
    with demo(place, "plan", resume=session) as driver:
        driver.send(Submit("next"))
        driver.send(Answer(driver.until(QuestionAsked).id, "continue"))
        assert driver.until(TurnEnded).state == "completed"
        replies = driver.all(AssistantReplied)
        assert replies[0].text.startswith("You stopped me")
        assert [ended.name for ended in driver.all(ToolEnded)] == TOOLS[-4:]
        assert [item.text for item in driver.transcript().queue] == ["list"]
    assert scratch(place).name == "tour-1"


def test_words_handed_into_the_running_tour_are_answered(place: Place) -> None:
    with demo(place) as driver:
        driver.send(Submit("tour"))
        asked = driver.until(ApprovalAsked)
        driver.send(Steer("hello there"))
        driver.send(Answer(asked.id, "once"))
        driver.until(AssistantReplied, lambda reply: "You said `hello there`." in reply.text)
        driver.send(Cancel())
        driver.until(TurnEnded)
        assert any(isinstance(row, UserBlock) and row.steer for row in driver.transcript().rows)


def test_typed_requests_act_in_the_folder_of_the_session(place: Place) -> None:
    with demo(place) as driver:
        driver.send(Submit("create a.txt with one two"))
        consent(driver, "create_file")
        assert driver.until(TurnEnded).state == "completed"
        assert (place.cwd / "a.txt").read_text() == "one two\n"
        for prompt, said in (
            ("list", "That is what is in `.`."),
            ("read a.txt", "That is `a.txt`, with line numbers"),
            ("find two", "1 match for `two`."),
            ("find three(", "No line contains `three(`."),
            ("read b.txt", "That did not work: `there is no b.txt"),
        ):
            assert driver.turn(prompt).state == "completed"
            assert driver.all(AssistantReplied)[-1].text.startswith(said)
        driver.send(Submit("replace two with 2 in a.txt"))
        consent(driver, "edit_file")
        driver.until(TurnEnded)
        assert (place.cwd / "a.txt").read_text() == "one 2\n"
        driver.send(Submit("run exit 3"))
        consent(driver, "run_shell_command")
        driver.until(TurnEnded)
        assert driver.all(AssistantReplied)[-1].text == "The command ended with exit code 3."
        started = driver.all(TurnStarted)
        assert len([row for row in driver.transcript().rows if isinstance(row, ToolBlock)]) == len(
            started
        )
    assert not list(place.home.glob("tour-*"))
