"""Calls of one step that must be asked about are asked about at once; each keeps its own question,
its own answer and its own preview."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session import recovery
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantReplied,
    FileChanged,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Answer, Cancel, Choice, SetMode, Submit
from agent_tui.protocol.transcript import Transcript
from agent_tui.settings.table import PermissionSettings
from tests.agent.driving import Driver, Place, running

DONE = [{"text": "done"}]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def edit(path: str, old: str = "1", new: str = "2") -> dict[str, Any]:
    return {"call": "edit_file", "arguments": {"path": path, "old": old, "new": new}}


def run(command: str) -> dict[str, Any]:
    return {"call": "run_shell_command", "arguments": {"command": command}}


def files(place: Place, *names: str) -> list[Path]:
    place.cwd.mkdir(parents=True, exist_ok=True)
    made = [place.cwd / name for name in names]
    for path in made:
        path.write_text("1\n")
    return made


def asked(driver: Driver, count: int) -> list[ApprovalAsked]:
    driver.send(Submit("go"))
    return [driver.until(ApprovalAsked) for _ in range(count)]


def answers(driver: Driver) -> list[tuple[str, str, str]]:
    return [(one.id, one.choice, one.by) for one in driver.all(ApprovalAnswered)]


def test_the_questions_of_a_step_are_there_together_and_writers_run_in_order(place: Place) -> None:
    made = files(place, "a", "b", "c")
    with place.engine(place.script([edit("a"), edit("b"), edit("c")], DONE)) as driver:
        questions = asked(driver, 3)
        assert not driver.all(ApprovalAnswered)
        for one in reversed(questions):
            driver.send(Answer(one.id, "once"))
        driver.until(TurnEnded)
        wanted = [one.call_id for one in questions]
        assert [one.call_id for one in driver.all(ToolStarted)] == wanted
        assert [one.call_id for one in driver.all(ToolEnded)] == wanted
        assert answers(driver) == [(one.id, "once", "person") for one in reversed(questions)]
    assert [path.read_text() for path in made] == ["2\n"] * 3


def test_each_is_answered_for_itself(place: Place) -> None:
    made = files(place, "a", "b", "c")
    with place.engine(place.script([edit("a"), edit("b"), edit("c")], DONE)) as driver:
        first, second, third = asked(driver, 3)
        driver.send(Answer(second.id, "no", "leave b alone"))
        driver.send(Answer(third.id, "once", "and test it"))
        driver.send(Answer(first.id, "once"))
        driver.until(TurnEnded)
        results = [one.content for one in driver.all(ToolEnded)]
        assert "leave b alone" in results[1] and "and test it" in results[2]
    assert [path.read_text() for path in made] == ["2\n", "1\n", "2\n"]


def test_a_second_change_of_the_same_file_is_shown_as_it_will_be_made(place: Place) -> None:
    """Its preview is made when the first one is done: a yes is for what is applied."""
    a, b = files(place, "a", "b")
    steps = [edit("a"), edit("a", "2", "3"), edit("b")]
    with place.engine(place.script(steps, DONE)) as driver:
        first, of_b = asked(driver, 2)
        assert (first.label, of_b.label) == ("Edit a", "Edit b")
        driver.send(Answer(of_b.id, "once"))
        driver.send(Answer(first.id, "once"))
        second = driver.until(ApprovalAsked)
        assert a.read_text() == "2\n" and b.read_text() == "1\n"
        driver.send(Answer(second.id, "once"))
        driver.until(TurnEnded)
    assert (a.read_text(), b.read_text()) == ("3\n", "2\n")


def test_what_a_command_before_it_changed_asks_again(place: Place) -> None:
    (a,) = files(place, "a")
    steps = [run("echo mine >> a"), edit("a")]
    with place.engine(place.script(steps, DONE)) as driver:
        command, change = asked(driver, 2)
        driver.send(Answer(change.id, "once"))
        driver.send(Answer(command.id, "once"))
        again = driver.until(ApprovalAsked)
        assert "changed meanwhile" in again.reason and again.id != change.id
        assert a.read_text() == "1\nmine\n"
        driver.send(Answer(again.id, "no"))
        driver.until(TurnEnded)
    assert a.read_text() == "1\nmine\n"


@pytest.mark.parametrize("early", [True, False])
def test_a_name_that_leads_elsewhere_by_then_asks_again(place: Place, early: bool) -> None:
    """The yes was for a file in the folder. It is a link to one outside now."""
    files(place, "a")
    outside = place.root / "outside"
    outside.write_text("1\n")
    steps = [run(f"ln -sf {outside} a"), edit("a")]
    with place.engine(place.script(steps, DONE)) as driver:
        command, change = asked(driver, 2)
        if early:
            driver.send(Answer(change.id, "once"))
        driver.send(Answer(command.id, "once"))
        again = driver.until(ApprovalAsked)
        assert "outside the folder" in again.reason
        by = "person" if early else "changed"
        assert by in [one.by for one in driver.all(ApprovalAnswered) if one.id == change.id]
        driver.send(Answer(again.id, "no"))
        driver.until(TurnEnded)
    assert outside.read_text() == "1\n"


def test_a_mode_that_allows_the_others_answers_them(place: Place) -> None:
    made = files(place, "a", "b", "c")
    with place.engine(place.script([edit("a"), edit("b"), edit("c")], DONE)) as driver:
        first, second, third = asked(driver, 3)
        driver.send(Answer(third.id, "no"))
        driver.send(SetMode("accept-edits"))
        driver.send(Answer(first.id, "once"))
        driver.until(TurnEnded)
        assert (second.id, "once", "rule") in answers(driver)
        assert (third.id, "no", "person") in answers(driver)
    assert [path.read_text() for path in made] == ["2\n", "2\n", "1\n"]


def test_a_rule_that_was_asked_for_meanwhile_answers_only_what_it_fits(place: Place) -> None:
    steps = [run("touch x"), run("touch x"), run("touch y")]
    with place.engine(place.script(steps, DONE)) as driver:
        first, same, other = asked(driver, 3)
        driver.send(Answer(first.id, "always"))
        driver.until(ApprovalAnswered, lambda one: one.id == same.id and one.by == "rule")
        driver.send(Answer(other.id, "no"))
        driver.until(TurnEnded)
    assert (place.cwd / "x").exists() and not (place.cwd / "y").exists()


def test_to_interrupt_leaves_no_question_and_runs_nothing(place: Place) -> None:
    made = files(place, "a", "b")
    with place.engine(place.script([edit("a"), edit("b")], DONE)) as driver:
        _, second = asked(driver, 2)
        driver.send(Cancel())
        assert driver.until(TurnEnded).state == "cancelled"
        assert not driver.transcript().questions
        driver.send(Answer(second.id, "once"))
        driver.turn("again")
        assert not driver.all(FileChanged)
    assert [path.read_text() for path in made] == ["1\n", "1\n"]


def test_a_question_that_waits_stops_the_clock_of_the_turn(place: Place) -> None:
    """Also where one was answered before the turn of its call came."""
    files(place, "a", "b")
    with place.engine(place.script([edit("a"), edit("b")], DONE, [edit("b", "2", "3")], DONE)) as d:
        first, second = asked(d, 2)
        d.send(Answer(second.id, "once"))
        d.send(Answer(first.id, "once"))
        d.until(TurnEnded)
        d.send(Submit("more"))
        d.send(Answer(d.until(ApprovalAsked).id, "once"))
        assert d.until(TurnEnded).state == "completed"


def test_what_only_looks_or_is_denied_is_no_question(place: Place) -> None:
    files(place, "a", "b")
    rules = PermissionSettings(deny=("edit_file(b)",))
    steps = [edit("a"), {"call": "read_file", "arguments": {"path": "a"}}, edit("b"), edit("no")]
    with place.engine(place.script(steps, DONE), permissions=rules) as driver:
        (only,) = asked(driver, 1)
        driver.send(Answer(only.id, "once"))
        driver.until(TurnEnded)
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok", "ok", "blocked", "not_found"]
        assert driver.all(ApprovalAsked) == [only]


def test_a_call_counts_once_however_early_it_is_asked_about(place: Place) -> None:
    files(place, "a", "b", "c")
    config = place.config(place.script([edit("a"), edit("b"), edit("c")], DONE))
    held = replace(config.settings, rate_limits={"edit_file": 3})
    with running(replace(config, settings=held)) as driver:
        for one in asked(driver, 3):
            driver.send(Answer(one.id, "once"))
        driver.until(TurnEnded)
        assert [one.tag for one in driver.all(ToolEnded)] == ["ok", "ok", "ok"]


def test_with_nobody_there_each_is_denied(place: Place) -> None:
    files(place, "a", "b")
    steps = place.script([edit("a"), edit("b")], DONE)
    with place.engine(steps, interactive=False) as driver:
        driver.turn("go")
        assert [one.by for one in driver.all(ApprovalAnswered)] == ["headless", "headless"]
        assert [one.tag for one in driver.all(ToolEnded)] == ["denied", "denied"]


@pytest.mark.parametrize("choice", ["once", "no"])
def test_words_that_were_sent_early_are_told_though_the_call_never_ran(
    place: Place, choice: Choice
) -> None:
    files(place, "a", "b")
    with place.engine(place.script([edit("a"), edit("b")], DONE)) as driver:
        _, second = asked(driver, 2)
        driver.send(Answer(second.id, choice, "use tabs"))
        driver.until(ApprovalAnswered, lambda event: event.id == second.id)
        driver.send(Cancel())
        driver.until(TurnEnded)
        told = {ended.call_id: ended.content for ended in driver.all(ToolEnded)}
        assert "the person had said: use tabs" in told[second.call_id]
        driver.turn("again")
        assert "use tabs" in repr(place.log_lines())


def test_words_with_a_yes_outlive_a_new_question_about_the_same_call(place: Place) -> None:
    [path] = files(place, "a")
    with place.engine(place.script([edit("a")], DONE)) as driver:
        [first] = asked(driver, 1)
        path.write_text("1\nmine\n")
        driver.send(Answer(first.id, "once", "use tabs"))
        again = driver.until(ApprovalAsked)
        driver.send(Answer(again.id, "once"))
        driver.until(TurnEnded)
        [ended] = driver.all(ToolEnded)
        assert ended.tag == "ok" and "the person allowed it and said: use tabs" in ended.content


def test_words_of_a_call_that_a_kill_kept_from_running_are_told_after_it() -> None:
    calls = (ToolCall("c1", "edit_file", "{}"), ToolCall("c2", "edit_file", "{}"))
    events = [
        TurnStarted(prompt="go", turn=1),
        AssistantReplied(text="", calls=calls),
        ApprovalAsked(id="q1", call_id="c1", tool="edit_file", label="Edit a"),
        ApprovalAsked(id="q2", call_id="c2", tool="edit_file", label="Edit b"),
        ApprovalAnswered(id="q2", choice="once", text="use tabs"),
    ]
    told = {
        event.call_id: event.content
        for event in recovery.settle_open_turns(events, Transcript(), lambda _: "")
        if isinstance(event, ToolEnded)
    }
    assert "use tabs" in told["c2"] and "said" not in told["c1"]
