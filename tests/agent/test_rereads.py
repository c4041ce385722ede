"""A file that is read again, as it was: in one line, as long as the model has what it read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.events import FilesRestored, ToolEnded, TurnEnded
from agent_tui.protocol.ops import Clear, RestoreFiles, Rewind, Submit
from tests.agent.driving import Driver, Place

LINE = "a.txt is unchanged since you read it above."
TEXT = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    (place.cwd / "a.txt").write_text(TEXT)
    return place


def call(name: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": name, "arguments": {"path": "a.txt", **arguments}}]


READ = call("read_file")
DONE = [{"text": "done"}]


def results(driver: Driver) -> list[str]:
    """Of each call: `line`, `full`, or the first word."""
    contents = [(event.name, event.content) for event in driver.all(ToolEnded)]
    return [
        "line" if said == LINE else said.split()[0] if name == "edit_file" else "full"
        for name, said in contents
    ]


def test_in_a_later_turn(place: Place) -> None:
    with place.engine(place.script(READ, READ, DONE, READ, DONE, READ, DONE)) as driver:
        for _ in range(3):
            driver.turn("read it")
        assert results(driver) == ["full", "line", "line", "line"]


@pytest.mark.parametrize("how", ["rewind", "clear"])
def test_what_the_model_has_no_more(place: Place, how: str) -> None:
    with place.engine(place.script(READ, DONE)) as driver:  # it begins anew, both times
        driver.turn("read it")
        mark = driver.transcript().marks[0].n
        driver.send(Rewind(mark) if how == "rewind" else Clear())
        driver.turn("read it")
        assert results(driver) == ["full", "full"]


def test_a_turn_that_stands_is_still_there_after_a_rewind(place: Place) -> None:
    """What was known is forgotten all the same: to read it once more is never wrong."""
    with place.engine(place.script(READ, DONE, DONE, READ, DONE)) as driver:
        driver.turn("read it")
        driver.turn("nothing")
        driver.send(Rewind(driver.transcript().marks[1].n))
        driver.turn("nothing")
        driver.turn("read it")
        assert results(driver) == ["full", "full"]


def test_another_part_is_read(place: Place) -> None:
    part, other = call("read_file", start_line=3, end_line=4), call("read_file", start_line=4)
    with place.engine(place.script(READ, DONE, part, part, other, DONE)) as driver:
        driver.turn("read it")
        driver.turn("read parts")
        assert results(driver) == ["full", "full", "line", "full"]


def test_a_change_and_its_undo_are_read(place: Place) -> None:
    edit = call("edit_file", old="line 30\n", new="last\n")
    model = place.script(READ, DONE, edit, READ, DONE, READ, DONE)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("read it")
        driver.turn("edit it")
        driver.send(RestoreFiles())
        driver.until(FilesRestored)
        driver.turn("read it")
        assert results(driver) == ["full", "Edited", "full", "full"]


def test_a_change_of_another_program_is_read(place: Place) -> None:
    part = call("read_file", start_line=1, end_line=2)
    with place.engine(place.script(part, DONE, part, DONE)) as driver:
        driver.turn("read it")
        (place.cwd / "a.txt").write_text(TEXT.replace("line 30", "last"))
        driver.turn("read it")
        assert results(driver) == ["full", "full"]  # its lines are the same, but not the file


def test_a_read_that_failed_gave_nothing(place: Place) -> None:
    beyond = call("read_file", start_line=99)
    with place.engine(place.script(beyond, beyond, DONE)) as driver:
        driver.turn("read it")
        said = [event.content for event in driver.all(ToolEnded)]
        assert said[0] == said[1] and "after the end" in said[1]


def test_a_turn_that_failed_before_an_answer_gave_nothing(place: Place) -> None:
    """Its prompt, with the file that it names, is not in the conversation."""
    fails = [{"fail": "auth", "times": 1}]
    with place.engine(place.script([*fails, *READ], DONE)) as driver:
        driver.send(Submit("see @a.txt"))
        assert driver.until(TurnEnded).state == "error"
        driver.turn("read it")
        assert results(driver) == ["full", "full"]


def test_what_was_attached_is_not_read_again(place: Place) -> None:
    with place.engine(place.script(READ, DONE, DONE)) as driver:
        driver.turn("see @a.txt")
        driver.turn("once more: @a.txt")  # the person gives it, so it is given
        assert results(driver) == ["full", "line", "full"]


def test_after_edits_that_missed_it_is_read(place: Place) -> None:
    miss = call("edit_file", old="no such line", new="x")
    with place.engine(place.script(READ, miss, READ, DONE), mode="accept-all") as driver:
        driver.turn("edit it")
        assert results(driver) == ["full", "Error", "full"]
