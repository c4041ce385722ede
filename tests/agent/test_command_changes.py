"""What commands change: seen before and after, in a repository and without one, and never guessed."""

from __future__ import annotations

import asyncio
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.command_changes import CLOCK, Watch, reads_only
from agent_tui.agent.git_status import Known, parsed
from agent_tui.protocol.events import ApprovalAsked, Event, FileChanged, Notice, TurnEnded
from agent_tui.protocol.ops import Answer, Cancel, RestoreFiles, Submit
from agent_tui.protocol.tool_events import ToolStarted
from agent_tui.sessions.checkpoints import Blobs
from tests.agent.driving import Driver, Place
from tests.agent.test_restore import answer, ask


def git(cwd: Path, *words: str) -> str:
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(argv, cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository: `clean` and `run` as committed, `dirty` changed since, `loose` unknown to git, `ignored`."""
    place = Place(tmp_path)
    place.cwd.mkdir()
    git(place.cwd, "init", "-q", "-b", "main")
    for name in ("clean", "dirty", "run", "gone"):
        (place.cwd / name).write_text(f"{name} as committed\n")
    (place.cwd / ".gitignore").write_text("ignored\n*.json\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "all")
    for name in ("dirty", "loose", "ignored"):
        (place.cwd / name).write_text(f"{name} of mine\n")
    return place


def tree(place: Place) -> dict[str, tuple[bytes, int]]:
    files = (path for path in place.cwd.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.name: (path.read_bytes(), path.stat().st_mode & 0o777) for path in files}


def running(place: Place, command: str) -> str:
    return place.script([{"call": "run_shell_command", "arguments": {"command": command}}], [{"text": "ran"}])


def changed(driver: Driver) -> dict[str, FileChanged]:
    return {Path(event.path).name: event for event in driver.all(FileChanged)}


MIXED = "echo x >> clean; echo x >> dirty; rm gone loose; chmod +x run; mkdir new; echo n > new/file; echo x >> ignored"


def test_a_command_is_taken_back(place: Place) -> None:
    model = running(place, MIXED)
    before = tree(place)
    index = (place.cwd / ".git" / "index").read_bytes()
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        after = tree(place)
        assert set(changed(driver)) == {"clean", "dirty", "gone", "loose", "run", "file"}
        assert changed(driver)["clean"].diff.added == 1
        driver.send(RestoreFiles())
        assert answer(driver, "restored")["done"]
        mine = dict(before, ignored=after["ignored"])  # git is told to ignore it, and so do we
        assert tree(place) == mine
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored")["done"] and tree(place) == after
    assert (place.cwd / ".git" / "index").read_bytes() == index


@pytest.mark.parametrize("command", ["git checkout -q -b other && echo y > clean && git commit -qam y", "git stash -q"])
def test_what_git_itself_moves_is_never_taken_for_the_commands(place: Place, command: str) -> None:
    identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
    with place.engine(running(place, identity + command), mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) <= {"dirty", "loose"}
        for file in ask(driver)["files"]:
            assert file["state"] == "as_left"


def test_files_that_appear_because_they_are_ignored_no_more_are_not_new(place: Place) -> None:
    model = running(place, "echo > .gitignore")
    script = place.cwd / "script.json"
    while time.time_ns() < script.stat().st_ctime_ns + 2 * CLOCK:
        pass  # what was made just now could have been made by the command
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {".gitignore"}


def test_where_git_converts_files_nothing_is_guessed(place: Place) -> None:
    (place.cwd / ".gitattributes").write_text("* text=auto eol=crlf\n")
    with place.engine(running(place, "echo x >> clean; echo x >> dirty"), mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {"dirty"}
        assert [notice for notice in driver.all(Notice) if "git converts" in notice.text]


def test_without_git_what_the_session_touched_is_watched(tmp_path: Path) -> None:
    place = Place(tmp_path)
    create: dict[str, Any] = {"call": "create_file", "arguments": {"path": "a", "content": "a\n"}}
    remove = {"call": "run_shell_command", "arguments": {"command": "rm a; echo b > b"}}
    model = place.script([create], [remove], [{"text": "ran"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert [(Path(e.path).name, bool(e.before), bool(e.after)) for e in driver.all(FileChanged)] == [
            ("a", False, True),
            ("a", True, False),
        ]


def test_a_command_that_was_cancelled_is_looked_at_once_it_has_ended(place: Place) -> None:
    with place.engine(running(place, "echo x >> dirty; sleep 60"), mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(ToolStarted)
        while "x" not in (place.cwd / "dirty").read_text():
            pass
        driver.send(Cancel())
        told = ask(driver)
        assert [file["path"] for file in told["files"]] == ["dirty"] and told["turns"][0]["prompt"] == "go"


def test_a_session_that_ends_hears_nothing_more_of_a_cancelled_command(place: Place) -> None:
    told: list[Event] = []

    async def cancelled_and_ended() -> None:
        with ThreadPoolExecutor(1) as pool:
            cwd, blobs = place.cwd.resolve(), Blobs(place.home / "blobs")
            watch = Watch(cwd, {}, blobs, tuple, told.append, lambda diff: diff, pool)
            for close in (watch.close, lambda: None):
                before = await watch.before("make")
                assert before is not None
                (cwd / "dirty").write_text("made\n")
                watch.later(before, "c")
                close()
                await watch.settled()

    asyncio.run(cancelled_and_ended())
    assert told == []


def test_a_command_that_cannot_be_started_stops_nothing(place: Place) -> None:
    """It is too long for the system; the one behind it is watched as any other."""
    long = {"call": "run_shell_command", "arguments": {"command": "true " + "x" * 3_000_000}}
    later = {"call": "run_shell_command", "arguments": {"command": "echo x >> dirty"}}
    with place.engine(place.script([long], [later], [{"text": "ran"}]), mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        assert driver.until(TurnEnded).state == "completed"
        assert "dirty" in changed(driver)


@pytest.mark.parametrize(
    ("command", "reads"),
    [("ls -la src", True), ("grep -rn x .", True), ("", False), ("cat a > b", False), ("cat a; rm b", False),
     ("env rm x", False), ("ls $(rm x)", False), ("ls\nrm x", False), ("rm x", False), ("cat a | sh", False)],
)  # fmt: skip
def test_commands_that_evidently_only_read(command: str, reads: bool) -> None:
    assert reads_only(command) is reads


def test_the_words_of_git() -> None:
    status = parsed(
        "# branch.oid abc\x00# branch.head main\x00"
        "1 .M N... 100644 100644 100644 11 11 a b\x00"
        "1 D. N... 100755 000000 000000 12 00 c\x00"
        "2 R. N... 100644 100644 100644 13 13 R100 new\x00old\x00"
        "u UU N... 100644 100644 100644 100644 1 2 3 torn\x00"
        "1 .M SC.. 160000 160000 160000 14 14 sub\x00? c\x00? loose\x00",
        Path("/top"),
    )
    assert status.commit == "abc"
    assert {str(path): known for path, known in status.changed.items()} == {
        "/top/a b": Known("11", 0o644), "/top/c": Known("12", 0o755), "/top/new": Known(),
        "/top/old": Known("13", 0o644), "/top/torn": None, "/top/sub": None, "/top/loose": Known(),
    }  # fmt: skip
