"""The query for files: told at once and again, without a process, and ended with the program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_tui.agent.services import files
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Query
from tests.agent.driving import Driver, Place

SCRIPT = [{"text": "hello"}]


def ask(driver: Driver, id: str = "files") -> Answered:
    driver.send(Query(id, "files"))
    return driver.until(Answered, lambda event: event.kind == "files")


def again(driver: Driver) -> Answered:
    return driver.until(Answered, lambda event: event.kind == "files")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    (place.cwd / "src").mkdir(parents=True)
    (place.cwd / "src/app.py").write_text("")
    return place


def test_in_a_repository_the_index_answers_first(place: Place) -> None:
    model = place.script(SCRIPT)
    subprocess.run(["git", "init", "-q"], cwd=place.cwd, check=True)
    subprocess.run(["git", "add", "src"], cwd=place.cwd, check=True)
    with place.engine(model) as driver:
        first, second = ask(driver), again(driver)
    assert (first.data.paths, first.data.whole) == (["src/", "src/app.py"], False)
    assert (second.data.paths, second.data.whole) == (["src/", "script.json", "src/app.py"], True)
    assert second.data.names == ["src/", "script.json", "app.py"] and second.data.note == ""


def test_what_is_known_is_told_again_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.engine(place.script(SCRIPT)) as driver:
        first = ask(driver)
        second = ask(driver, "more")
        assert second.id == "more" and second.data is first.data
        monkeypatch.setattr(files, "FRESH", 0.0)
        (place.cwd / "new.txt").write_text("")
        assert "new.txt" not in ask(driver).data.paths
        third = again(driver)
        assert "new.txt" in third.data.paths
        assert ask(driver).data is third.data
        assert (
            again(driver).data.paths is third.data.paths
        )  # nothing changed: nothing has to be searched again


def test_a_folder_that_is_gone_is_said(place: Place) -> None:
    with place.engine(place.script(SCRIPT)) as driver:
        (place.cwd / "src/app.py").unlink()
        (place.cwd / "src").rmdir()
        (place.cwd / "script.json").unlink()
        place.cwd.rmdir()
        told = ask(driver)
    assert told.data.paths == [] and "cannot be listed" in told.data.note
