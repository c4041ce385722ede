"""A yes holds for what was shown: where a file changed meanwhile, the question comes again with the
new diff."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import ApprovalAsked, FileChanged, ToolEnded, ToolStarted, TurnEnded
from agent_tui.protocol.ops import Answer, Choice, SetMode, Submit
from tests.agent.driving import Driver, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def edit(**more: Any) -> dict[str, Any]:
    return {
        "call": "edit_file",
        "arguments": {"path": "a.txt", "old": "max = 1", "new": "max = 2", **more},
    }


def lines(asked: ApprovalAsked) -> tuple[str, ...]:
    assert isinstance(asked.display, DiffDisplay)
    return tuple(line for hunk in asked.display.hunks for line in hunk.lines)


def ask(driver: Driver) -> ApprovalAsked:
    driver.send(Submit("go"))
    return driver.until(ApprovalAsked)


@pytest.mark.parametrize("answer", ["once", "always"])
def test_a_save_while_a_question_is_open_is_kept_and_shown(place: Place, answer: Choice) -> None:
    model = place.script([edit()], [{"text": "done"}])
    file = place.cwd / "a.txt"
    file.write_text("max = 1\n")
    with place.engine(model) as driver:
        first = ask(driver)
        file.write_text("max = 1\nmine\n")
        driver.send(Answer(first.id, answer))
        second = driver.until(ApprovalAsked)
        assert "the file changed meanwhile" in second.reason and second.id != first.id
        assert lines(second) == ("-max = 1", "+max = 2", " mine")
        assert file.read_text() == "max = 1\nmine\n"
        driver.send(Answer(second.id, "once"))
        assert driver.until(ToolEnded).tag == "ok"
        driver.until(TurnEnded)
        assert file.read_text() == "max = 2\nmine\n"
        assert len(driver.all(FileChanged)) == len(driver.all(ToolStarted)) == 1


def test_replace_all_changes_as_many_places_as_were_shown(place: Place) -> None:
    model = place.script([edit(replace_all=True)], [{"text": "done"}])
    file = place.cwd / "a.txt"
    file.write_text("max = 1\n")
    with place.engine(model) as driver:
        first = ask(driver)
        file.write_text("max = 1\nmax = 10\n")
        driver.send(Answer(first.id, "once"))
        second = driver.until(ApprovalAsked)
        assert lines(second) == ("-max = 1", "-max = 10", "+max = 2", "+max = 20")
        driver.send(Answer(second.id, "no"))
        assert driver.until(ToolEnded).tag == "denied"
    assert file.read_text() == "max = 1\nmax = 10\n"


def test_what_cannot_be_done_any_more_asks_nothing(place: Place) -> None:
    model = place.script([edit()], [{"text": "done"}])
    file = place.cwd / "a.txt"
    file.write_text("max = 1\n")
    with place.engine(model) as driver:
        first = ask(driver)
        file.write_text("min = 0\n")
        driver.send(Answer(first.id, "once"))
        assert driver.until(ToolEnded).tag == "no_match"
        driver.until(TurnEnded)
        assert driver.all(ApprovalAsked) == [first]
    assert file.read_text() == "min = 0\n"


def test_a_name_that_became_a_link_to_what_is_obeyed_is_not_written(place: Place) -> None:
    """Also where edits run unasked from this answer on: the link leads to a file that always asks."""
    model = place.script([edit()], [{"text": "done"}])
    file, hook = place.cwd / "a.txt", place.cwd / ".git/hooks/pre-commit"
    file.write_text("max = 1\n")
    hook.parent.mkdir(parents=True)
    hook.write_text("max = 1\n")
    with place.engine(model) as driver:
        first = ask(driver)
        file.unlink()
        file.symlink_to(hook)
        driver.send(SetMode("accept-edits"))
        driver.send(Answer(first.id, "once"))
        assert driver.until(ToolEnded).tag == "blocked"
        driver.until(TurnEnded)
    assert hook.read_text() == "max = 1\n"


def test_always_holds_for_the_file_that_was_shown(place: Place) -> None:
    """The name leads to another file at the next call: that one is asked about."""
    again = {
        "call": "edit_file",
        "arguments": {"path": "a.txt", "old": "max = 2", "new": "max = 3"},
    }
    model = place.script([edit()], [{"text": "done"}], [again], [{"text": "done"}])
    file, other = place.cwd / "a.txt", place.cwd / "other.txt"
    file.write_text("max = 1\n")
    other.write_text("max = 2\n")
    with place.engine(model) as driver:
        first = ask(driver)
        driver.send(Answer(first.id, "always"))
        driver.until(TurnEnded)
        file.unlink()
        file.symlink_to(other)
        second = ask(driver)
        assert isinstance(second.display, DiffDisplay) and second.display.path == "other.txt"
        driver.send(Answer(second.id, "no"))
        driver.until(TurnEnded)
    assert other.read_text() == "max = 2\n"
