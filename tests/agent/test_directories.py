"""Folders beside the session's own: what is done there is not asked about, after a resume as
before; what was removed, or is not what it was, asks again."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.session.directories import named_directories
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    ContextBuilt,
    DirectoriesChanged,
    ErrorRaised,
    Event,
    FileChanged,
    FilesRestored,
    Notice,
    SessionStarted,
    ToolEnded,
    TurnEnded,
)
from agent_tui.protocol.ops import (
    Answer,
    Clear,
    Query,
    RestoreFiles,
    Resume,
    Rewind,
    SetDirectory,
    Submit,
)
from agent_tui.safety.git import ask_git
from agent_tui.safety.git_config import find_repository
from agent_tui.sessions.log.copies import trim
from agent_tui.sessions.log.fork import fork
from agent_tui.sessions.log.store import log_path, read
from tests.agent.driving import PATIENCE, Driver, Place, running


def calls(lib: Path, number: int) -> list[Any]:
    """A read and an edit in `lib`, and an end."""
    edit = {"path": str(lib / "a.txt"), "old": f"{number}\n", "new": f"{number + 1}\n"}
    return [
        [{"call": "read_file", "arguments": {"path": str(lib / "a.txt")}}],
        [{"call": "edit_file", "arguments": edit}],
        [{"text": "done"}],
    ]


def prepared(tmp_path: Path) -> tuple[Place, Path]:
    lib = tmp_path / "lib"
    lib.mkdir(parents=True)
    (lib / "a.txt").write_text("1\n")
    (lib / "AGENTS.md").write_text("Count upwards in the library.\n")
    (tmp_path / "AGENTS.md").write_text("Nobody added this one.\n")
    return Place(tmp_path), lib


def asked_in(driver: Driver, prompt: str) -> list[str]:
    """Run a turn and say no to whatever is asked; the reasons."""
    driver.send(Submit(prompt))
    reasons = []
    while not isinstance(
        event := driver.until(Event, lambda e: isinstance(e, (ApprovalAsked, TurnEnded))), TurnEnded
    ):
        assert isinstance(event, ApprovalAsked)
        reasons.append(event.reason)
        driver.send(Answer(event.id, "no"))
    return reasons


def added(driver: Driver, path: Path | str, remove: bool = False) -> DirectoriesChanged:
    driver.send(SetDirectory(str(path), remove))
    return driver.until(DirectoriesChanged)


def test_work_in_an_added_folder_is_not_asked_about_until_it_is_removed(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    model = place.script(*calls(lib, 1), *calls(lib, 1), *calls(lib, 2), *calls(lib, 3))
    with place.engine(model, mode="accept-edits") as driver:
        session = driver.events[0].session
        assert ["outside" in reason for reason in asked_in(driver, "not yet")] == [True, True]
        assert added(driver, "../lib").directories[0].path == str(lib)
        assert asked_in(driver, "now") == [] and (lib / "a.txt").read_text() == "2\n"
        built = driver.all(ContextBuilt)
        assert "Count upwards" not in built[0].system and str(lib) not in built[0].system
        assert (
            "Count upwards" in built[1].system
            and f"as well, by their full paths: {lib}" in built[1].system
        )
        assert "Nobody added" not in built[1].system
        assert any(
            block for block in driver.transcript().rows if str(lib) in getattr(block, "text", "")
        )
    with place.engine(model, mode="accept-edits", resume=session) as driver:
        assert asked_in(driver, "still") == [] and (lib / "a.txt").read_text() == "3\n"
        assert any(
            "Still part" in notice.text and str(lib) in notice.text for notice in driver.all(Notice)
        )
        assert driver.all(ContextBuilt) == [], (
            "the prefix is the same, and stays in a server's cache"
        )
        driver.send(RestoreFiles())
        assert [one.outcome for one in driver.until(FilesRestored).files] == ["done"]
        assert (lib / "a.txt").read_text() == "2\n"
        (lib / "a.txt").write_text("3\n")
        assert added(driver, lib, remove=True).directories == ()
        assert len(asked_in(driver, "no more")) == 2 and (lib / "a.txt").read_text() == "3\n"
        assert "Count upwards" not in driver.all(ContextBuilt)[-1].system
    assert [
        len(line["directories"]) if "directories" in line else 0
        for line in place.log_lines()
        if line["type"] == "directories_changed"
    ] == [1, 0]


def files_told(driver: Driver, wanted: list[str]) -> Answered:
    """The list of files, as soon as `wanted` are those in it that have their full paths."""

    def those(event: Answered) -> bool:
        return (
            event.kind == "files"
            and sorted(path for path in event.data.paths if path[0] == "/") == wanted
        )

    driver.send(Query("files", "files"))
    return driver.until(Answered, those)


def test_files_there_can_be_named_in_a_prompt(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    with place.engine(place.script([{"text": "read"}]), mode="accept-edits") as driver:
        for wanted in ([], [f"{lib}/AGENTS.md", f"{lib}/a.txt"], []):
            if wanted or driver.all(DirectoriesChanged):
                added(driver, lib, remove=not wanted)
            told = files_told(driver, wanted)
            assert "script.json" in told.data.paths
        added(driver, lib)
        assert asked_in(driver, f"look at @{lib}/a.txt") == []
        assert "1" in driver.all(ToolEnded)[-1].content and driver.all(ToolEnded)[-1].tag == "ok"


def test_what_can_be_listed_searched_and_found_there(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    (lib / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.txt").write_text("needle\n")
    model = place.script(
        [
            {"call": "list_files", "arguments": {"path": str(lib)}},
            {"call": "glob_files", "arguments": {"pattern": "*.txt", "path": str(lib)}},
            {"call": "grep_files", "arguments": {"pattern": "1", "path": "../lib"}},
            {
                "call": "create_file",
                "arguments": {"path": str(lib / "new" / "c.txt"), "content": "new\n"},
            },
            {"call": "read_file", "arguments": {"path": str(lib / "out" / "b.txt")}},
            {"call": "read_file", "arguments": {"path": f"{lib}/../secret/b.txt"}},
        ],
        [{"text": "done"}],
    )
    with place.engine(model, mode="accept-edits") as driver:
        added(driver, lib)
        reasons = asked_in(driver, "look around")
        ended = driver.all(ToolEnded)
    assert len(reasons) == 2 and all("outside" in reason for reason in reasons)
    assert [end.tag for end in ended] == ["ok", "ok", "ok", "ok", "denied", "denied"]
    assert (
        all("a.txt" in end.content for end in ended[:3])
        and (lib / "new" / "c.txt").read_text() == "new\n"
    )
    assert not any("needle" in end.content for end in ended)


def test_folders_of_the_command_line_are_kept_and_others_are_refused(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    model = place.script(*calls(lib, 1), *calls(lib, 2))
    config = place.config(model, mode="accept-edits")
    config = replace(
        config, directories=named_directories(config, [str(lib), str(lib), str(place.cwd)])
    )
    with running(config) as driver:
        assert driver.until(DirectoriesChanged).directories == named_directories(config, [str(lib)])
        assert not list((place.home / "sessions").glob("*.jsonl")), (
            "nothing was asked yet that is worth a file"
        )
        assert asked_in(driver, "now") == []
        session = driver.events[0].session
        for text in ("/", "~", str(place.home), str(tmp_path), "nowhere"):
            driver.send(SetDirectory(text))
            assert driver.until(ErrorRaised).text.startswith(f"Not added: {text}")
        driver.send(SetDirectory(str(lib / "new" / "..")))
        assert "Not added" in driver.until(ErrorRaised).text
        driver.send(SetDirectory(str(place.cwd)))
        assert "already" in driver.until(Notice).text
        driver.send(SetDirectory())
        assert str(lib) in driver.until(Notice, lambda notice: "works in" in notice.text).text
        driver.send(
            Resume("")
        )  # a new session in its place: what the command line said holds there, too
        driver.until(SessionStarted, lambda event: event.session != session)
        assert driver.until(DirectoriesChanged).directories == named_directories(config, [str(lib)])
        added(driver, lib, remove=True)
        driver.send(Submit("x"))
        driver.until(ApprovalAsked, lambda asked: "outside" in asked.reason)
    with place.engine(model, mode="accept-edits", resume=session) as driver:
        assert asked_in(driver, "later") == []


def test_a_folder_that_is_another_one_now_is_left_out_and_that_is_said(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    model = place.script(*calls(lib, 1), *calls(lib, 2), *calls(lib, 2))
    with place.engine(model, mode="accept-edits") as driver:
        added(driver, lib)
        assert asked_in(driver, "now") == []
        session = driver.events[0].session
    lib.rename(tmp_path / "away")
    lib.symlink_to("away")
    for wanted in ("leads to another folder", ""):
        with place.engine(model, mode="accept-edits", resume=session) as driver:
            assert len(asked_in(driver, "later")) == 2
            said = [
                notice.text for notice in driver.all(Notice) if notice.text.startswith("Left out")
            ]
            assert len(said) == bool(wanted) and all(wanted in text for text in said)
        if lib.is_symlink():  # the right one again: what was left out does not come back by itself
            lib.unlink()
            (tmp_path / "away").rename(lib)


def test_going_back_brings_no_folder_back(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    model = place.script(*calls(lib, 1), *calls(lib, 2))
    with place.engine(model, mode="accept-edits") as driver:
        session = driver.events[0].session
        added(driver, lib)
        assert asked_in(driver, "first") == [] and asked_in(driver, "second") == []
        marks = driver.transcript().marks
        added(driver, lib, remove=True)
        driver.send(Rewind(marks[1].n))  # the model says again what it said then
        (lib / "a.txt").write_text("2\n")
        assert len(asked_in(driver, "again")) == 2
        assert "Count upwards" not in driver.all(ContextBuilt)[-1].system
        driver.send(Clear())
    folder = place.home / "sessions"
    smaller = trim(folder, session, 1).id
    for at, own in [
        (-1, smaller),
        *((at, fork(folder, session, at)) for at in (0, marks[0].n, marks[1].n)),
    ]:
        events, problems = read(log_path(folder, own))
        assert not problems and len({event.n for event in events}) == len(events)
        last = [event for event in events if isinstance(event, DirectoriesChanged)][-1]
        assert last.directories == (), at


KILLED = """
import os, sys
from pathlib import Path
from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import DirectoriesChanged
from agent_tui.protocol.ops import SetDirectory
from tests.agent.driving import Driver, Place
config = Place(Path(sys.argv[1])).config("scripted/script.json", mode="accept-edits")
driver = Driver(Worker(config), config)
driver.worker.start(lambda: None)
driver.send(SetDirectory(sys.argv[2]))
print(driver.until(DirectoriesChanged).session, flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_kill_right_after_it_was_added_keeps_it(tmp_path: Path) -> None:
    place, lib = prepared(tmp_path)
    model = place.script(*calls(lib, 1))
    argv = [sys.executable, "-c", KILLED, str(tmp_path), str(lib)]
    done = subprocess.run(
        argv,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    with place.engine(model, mode="accept-edits", resume=done.stdout.strip()) as driver:
        assert asked_in(driver, "after the kill") == []
        assert len(driver.all(FileChanged)) == 1 and (lib / "a.txt").read_text() == "2\n"


def test_no_program_of_our_own_is_found_in_an_added_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, lib = prepared(tmp_path)
    later = tmp_path / "later"
    for folder in (lib, later):
        fake = folder / ".venv" / "bin" / "git"
        fake.parent.mkdir(parents=True)
        fake.write_text(f"#!/bin/sh\necho $0 >>{tmp_path}/run\n")
        fake.chmod(0o755)
    links = tmp_path / "links"
    links.mkdir()
    (links / "git").symlink_to(lib / ".venv" / "bin" / "git")
    path = f"{lib}/.venv/bin:{links}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    place.cwd.mkdir()
    subprocess.run(["/usr/bin/git", "init", "-q", str(place.cwd)], check=True)
    config = place.config(place.script([{"text": "main"}]))
    config = replace(config, directories=named_directories(config, [str(lib)]))
    with running(config) as driver:
        driver.until(DirectoriesChanged)
        added(driver, later)
        monkeypatch.setenv("PATH", f"{later}/.venv/bin:{path}")
        assert asked_in(driver, "what is the branch?") == []
    where = find_repository(place.cwd)
    assert where is not None
    answer = asyncio.run(ask_git(where, ("status", "--porcelain"), 60))
    assert answer.problem == "" and not (tmp_path / "run").exists()
