"""Files for the person: where they go, what they are called, and that none is ever written over."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_tui.agent.services.exporting import Writing, write_new
from agent_tui.protocol.answers import FileWritten
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Export, WriteFile
from tests.agent.driving import Driver, Place

ANSWER = {"text": "# Done\n\n<script>alert(1)</script>"}


def told(driver: Driver) -> FileWritten:
    data = driver.until(Answered, lambda event: event.kind == "written").data
    assert isinstance(data, FileWritten)
    return data


def export(driver: Driver, path: str = "") -> str:
    driver.send(Export(path))
    data = told(driver)
    assert data.problem == ""
    return data.path


def test_a_session_is_written_under_a_name_that_is_free(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([ANSWER])) as driver:
        driver.turn("go")
        id8 = driver.events[0].session[:8]
        first, second = export(driver), export(driver)
        assert re.fullmatch(rf"agent-tui-\d{{4}}-\d\d-\d\d-{id8}\.md", first)
        assert second == first.replace(".md", "-2.md")
        assert (place.cwd / first).read_text() == (place.cwd / second).read_text()
        assert "## Agent\n\n# Done" in (place.cwd / first).read_text()
        assert (place.cwd / first).stat().st_mode & 0o777 == 0o600
        page = (place.cwd / export(driver, "html")).read_text()
        assert "&lt;script&gt;alert(1)" in page and "<script" not in page
        (place.cwd / "docs").mkdir()
        assert export(driver, "docs").startswith("docs/agent-tui-")
        assert export(driver, "talk") == "talk.md"
        assert export(driver, "docs/talk.json") == "docs/talk.json"
        records = json.loads((place.cwd / "docs/talk.json").read_text())["events"]
        assert [r["n"] for r in records] == list(range(1, len(records) + 1))
        (tmp_path / "user").mkdir()
        assert export(driver, "~/talk.htm") == "~/talk.htm"
        assert (tmp_path / "user" / "talk.htm").exists()


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("talk.txt", ".txt is not a format; use .md, .html, .json"),
        ("not/there.md", "No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, path: str, problem: str) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([ANSWER])) as driver:
        driver.turn("go")
        driver.send(Export(path))
        data = told(driver)
        assert data.path == ""
        assert data.problem.startswith(problem)
        assert not list(place.cwd.glob("**/*.md"))


def test_a_session_without_a_prompt_leaves_no_file(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([ANSWER])) as driver:
        driver.send(Export())
        assert told(driver).problem == "this session has no prompt yet"
        assert [path.name for path in place.cwd.iterdir()] == ["script.json"]


def test_a_piece_is_written_beside_others_and_nowhere_else(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([ANSWER])) as driver:
        for name, expected in (
            ("code-1.py", "code-1.py"),
            ("code-1.py", "code-1-2.py"),
            ("../../x.py", "x.py"),
        ):
            driver.send(WriteFile(name, "x = 'ä'\n"))
            assert told(driver).path == expected
            assert (place.cwd / expected).read_text() == "x = 'ä'\n"


def test_the_end_of_the_program_gives_a_document_up(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.engine(place.script([ANSWER])) as driver:
        driver.turn("go")
    [log] = (place.home / "sessions").glob("*.jsonl")

    async def late() -> Answered:
        with ThreadPoolExecutor(1) as pool:
            writing = Writing(place.cwd, {}, pool)
            writing.ended = True
            return await writing.session(log, log.stem, "a.html")

    assert asyncio.run(late()).data.problem == "the program ended"
    assert not (place.cwd / "a.html").exists()


def test_a_link_that_lies_in_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("mine")
    (tmp_path / "a.md").symlink_to(tmp_path / "real")
    (tmp_path / "b.md").symlink_to(tmp_path / "nowhere")
    assert write_new(tmp_path / "a.md", "new").name == "a-2.md"
    assert write_new(tmp_path / "b.md", "new").name == "b-2.md"
    assert (tmp_path / "real").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
