"""`/diff`: what the session changed, and what differs from the last commit, in real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_tui.agent.services.differences import parse_diff
from agent_tui.protocol.answers import Differences
from agent_tui.protocol.events import Answered
from agent_tui.protocol.ops import Query
from tests.agent.driving import Driver, Place


def git(place: Place, *words: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *own, *words], cwd=place.cwd, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.cwd.mkdir(parents=True)
    (made.cwd / ".gitignore").write_text("script.json\n")
    (made.cwd / "a.py").write_text("one\ntwo\nthree\n")
    (made.cwd / "gone.py").write_text("old\n")
    git(made, "init", "-q")
    git(made, "add", "-A")
    git(made, "commit", "-qm", "first")
    return made


def differences(driver: Driver, against: str = "") -> Differences:
    driver.send(Query(f"diff-{against}", "diff", against))
    answer = driver.until(Answered, lambda event: event.id == f"diff-{against}")
    assert isinstance(answer.data, Differences)
    return answer.data


def told(found: Differences) -> dict[str, list[str]]:
    return {
        one.path: [line for hunk in one.hunks for line in hunk.lines if line[:1] in "+-"]
        for one in found.files
    }


def edit(path: str, old: str, new: str) -> dict[str, object]:
    return {"call": "edit_file", "arguments": {"path": path, "old": old, "new": new}}


def test_the_session_shows_each_file_from_how_it_was_first(place: Place) -> None:
    new = {"call": "create_file", "arguments": {"path": "new.py", "content": "n\n"}}
    steps = [[edit("a.py", "two", "2")], [edit("a.py", "2", "zwei")], [new], [{"text": "done"}]]
    with place.engine(place.script(*steps), mode="accept-edits") as driver:
        assert not differences(driver).files
        driver.turn("go")
        (place.cwd / "a.py").write_text("one\nzwei\nthree\nby hand\n")
        (place.cwd / "other.py").write_text("of the person\n")
        found = differences(driver)
    assert told(found) == {"a.py": ["-two", "+zwei", "+by hand"], "new.py": ["+n"]}
    assert [one.created for one in found.files] == [False, True] and not found.left_out


def test_the_last_commit_shows_all_that_differs(place: Place) -> None:
    (place.cwd / "a.py").write_text("one\n2\nthree")
    (place.cwd / "gone.py").unlink()
    (place.cwd / "ünï x.txt").write_text("neu\n")
    (place.cwd / "raw.bin").write_bytes(b"\0\1")
    (place.cwd / "script.json").write_text("{}")
    with place.engine(place.script([{"text": "hi"}])) as driver:
        found = differences(driver, "head")
    assert told(found) == {
        "a.py": ["-two", "-three", "+2", "+three"],
        "gone.py": ["-old"],
        "ünï x.txt": ["+neu"],
    }
    assert found.left_out == ("raw.bin: it is not text",) and found.against == "head"


def test_without_a_commit_or_a_repository_it_says_so(tmp_path: Path) -> None:
    made = Place(tmp_path)
    with made.engine(made.script([{"text": "hi"}])) as driver:
        assert "no git repository" in differences(driver, "head").problem
    git(made, "init", "-q")
    with made.engine(made.script([{"text": "hi"}])) as driver:
        assert differences(driver, "head").problem == "there is no commit yet"


def test_no_program_of_the_repository_runs(place: Place, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    for name in ("diff.external", "diff.d.textconv", "diff.d.command", "filter.d.clean"):
        git(place, "config", name, str(program))
    git(place, "config", "core.fsmonitor", str(program))
    (place.cwd / ".gitattributes").write_text("* diff=d filter=d\n")
    (place.cwd / "a.py").write_text("changed\n")
    with place.engine(place.script([{"text": "hi"}])) as driver:
        found = differences(driver, "head")
    assert "a.py" in told(found) and not ran.exists()


@pytest.mark.parametrize("text", ["", "diff --git \n", "diff --git a/x b/x\n@@ bad\n", "garbage"])
def test_what_is_no_difference_is_none(text: str) -> None:
    assert all(not one.hunks for one in parse_diff(text))
