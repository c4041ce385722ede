"""Where the files are that a text names: looked for in the folders of the session alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.agent.services.queries import find_files
from agent_tui.protocol.answers import NamedFiles
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Query
from tests.agent.driving import Place, running


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work" / "src").mkdir(parents=True)
    (tmp_path / "work" / "src" / "a.py").touch()
    (tmp_path / "secret.txt").touch()
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "b.py").touch()
    return tmp_path / "work"


def place(work: Path, name: str, home: str = "") -> str:
    return find_files([name], [work, work.parent / "added"], home)[name]


def test_files_of_the_session_are_found(work: Path) -> None:
    file, other = str(work / "src" / "a.py"), str(work.parent / "added" / "b.py")
    for name in ("src/a.py", "./src/a.py", "src/../src/a.py", file):
        assert place(work, name) == file
    assert place(work, other) == place(work, "../added/b.py") == other
    assert place(work, "~/src/a.py", str(work)) == file
    (work / "link.py").symlink_to("src/a.py")
    assert place(work, "link.py") == str(work / "link.py"), "as it is named"


def test_everything_else_is_none(work: Path) -> None:
    (work / "out.txt").symlink_to(work.parent / "secret.txt")
    (work / "round.py").symlink_to("round.py")
    os.mkfifo(work / "pipe.py")
    names = ["b.py", "src", "out.txt", "../secret.txt", str(work.parent / "secret.txt"), "pipe.py"]
    for name in (*names, "round.py", "src/a.py/x", "a" * 300, "/" * 4_000, "\0.py", "~/src/a.py"):
        assert place(work, name) == "", name


def test_the_engine_answers_what_is_asked(tmp_path: Path) -> None:
    there = Place(tmp_path)
    with running(there.config(there.script())) as driver:
        driver.send(Query("q", "named_files", "script.json\nnone.py"))
        told = driver.until(Answered, lambda event: event.id == "q")
    found = {"script.json": str(there.cwd / "script.json"), "none.py": ""}
    assert told.data == NamedFiles(found)
