"""Undo of what commands change in files of which git keeps nothing: without a repository, and where
it ignores them; commands of the person too."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.turn import known_files, untracked_files
from agent_tui.agent.turn.undo_limits import (
    IGNORED,
    MANY_UNTRACKED,
    NO_REPOSITORY,
    describe_unseen,
)
from agent_tui.agent.turn.untracked_files import list_files
from agent_tui.protocol.events import FileChanged, ShellEnded, TurnStarted, UndoLimited
from agent_tui.protocol.ops import Cancel, RestoreFiles, RunShell
from agent_tui.protocol.tool_events import ToolOutput
from tests.agent.driving import Place
from tests.agent.test_command_changes import changed, git, running
from tests.agent.test_restore import answer, ask, restore_all

CHANGES = "echo x >> notes; rm gone; echo n > new; mkdir deep; echo d > deep/file; chmod 600 mode"
SECRET = "TOKEN=hunter2-hunter2\n"


def tree(place: Place) -> dict[str, tuple[bytes, int]]:
    files = (path for path in place.cwd.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {
        str(path.relative_to(place.cwd)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in files
    }


@pytest.fixture(params=["folder", "ignored"])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    """Files without git, or in a repository that ignores all of them but `kept`."""
    place = Place(tmp_path)
    place.cwd.mkdir()
    for name in ("notes", "gone", "mode", ".env"):
        (place.cwd / name).write_text(f"{name} of mine\n")
    (place.cwd / ".env").write_text(SECRET)
    for folder in ("node_modules", "src"):
        (place.cwd / folder).mkdir()
        (place.cwd / folder / "inner").write_text("inner\n")
    if request.param == "ignored":
        git(place.cwd, "init", "-q")
        (place.cwd / "kept").write_text("kept\n")
        (place.cwd / ".gitignore").write_text("*\n!kept\n!.gitignore\n")
        git(place.cwd, "add", "kept", ".gitignore")
        git(place.cwd, "commit", "-q", "-m", "all")
    return place


def test_changes_deletions_and_new_files_are_taken_back(place: Place) -> None:
    model = running(place, CHANGES)
    before = tree(place)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        after = tree(place)
        assert set(changed(driver)) == {"notes", "gone", "new", "file", "mode"}
        assert {event.turn for event in driver.all(FileChanged)} == {1}
        assert restore_all(driver).done and tree(place) == before
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done and tree(place) == after


def test_the_second_command_is_taken_back_to_after_the_first(place: Place) -> None:
    calls: list[Any] = [
        {"call": "run_shell_command", "arguments": {"command": f"echo {n} >> notes"}}
        for n in (1, 2)
    ]
    model = place.script([*calls], [{"text": "x"}], [calls[1]], [{"text": "x"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("first")
        driver.turn("second")
        events = driver.all(FileChanged)
        assert len(events) == 3
        assert all(one.after == then.before for one, then in pairwise(events))
        assert restore_all(driver).done
        assert (place.cwd / "notes").read_text() == "notes of mine\n1\n2\n"


def contents(place: Place) -> list[bytes]:
    return [one.read_bytes() for one in (place.home / "blobs").rglob("*") if one.is_file()]


def test_of_what_did_not_change_nothing_is_kept_when_the_session_is_over(place: Place) -> None:
    (place.cwd / "plain").write_text("ghp_" + "a1B2c3D4" * 4)
    with place.engine(running(place, "echo x >> notes"), mode="accept-all") as driver:
        driver.turn("go")
        assert restore_all(driver).done
    assert contents(place) and not [one for one in contents(place) if b"a1B2c3D4" in one]


def test_of_a_secret_no_copy_is_made_and_that_is_said_before(place: Place) -> None:
    model = running(place, "echo more >> .env; echo x >> notes; ln .env other; ls > node_modules/x")
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {"notes"}
        kept = contents(place)
        assert kept and not [content for content in kept if b"hunter2" in content]
        [limit] = driver.all(UndoLimited)
        assert limit.text in (NO_REPOSITORY, IGNORED)
        assert limit.n < min(event.n for event in driver.all(FileChanged))
        assert limit.text in ask(driver).caps
        assert restore_all(driver).done and (place.cwd / ".env").read_text() == SECRET + "more\n"


def test_another_name_of_a_secret_is_passed_over(place: Place) -> None:
    (place.cwd / "harmless").hardlink_to(place.cwd / ".env")
    model = running(place, "echo more >> harmless")
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert changed(driver) == {}
        assert not [content for content in contents(place) if b"hunter2" in content]


def test_what_is_too_large_is_named_before_and_never_deleted(place: Place) -> None:
    """Changed by the command it looks like a new one: nobody knows what it held."""
    large = place.cwd / "large"
    large.write_bytes(b"x" * (untracked_files.LARGEST + 1))
    model = running(place, "echo more >> large; echo x >> notes")
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {"notes"}
        assert describe_unseen(["large"]) in ask(driver).caps
        assert restore_all(driver).done and large.read_bytes().endswith(b"xmore\n")


def test_beyond_the_number_of_files_it_is_said_and_nothing_is_guessed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untracked_files, "MOST", 7)
    (place.cwd / "src" / "more").mkdir()
    for number in range(9):
        (place.cwd / "src" / "more" / f"f{number}").write_text("mine\n")
    model = running(place, "echo x >> src/more/f1; rm src/more/f2; echo n > src/more/n; rm gone")
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {"gone"} and MANY_UNTRACKED in ask(driver).caps


def test_an_unchanged_tree_is_not_read_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = [
        [{"call": "run_shell_command", "arguments": {"command": f"true {n} > /dev/null"}}]
        for n in range(3)
    ]
    model = place.script(*calls, [{"text": "ran"}], [{"text": "x"}])
    read, seen = known_files.read_content, list[str]()

    def noted(path: Path, mode: int, limit: int) -> bytes:
        seen.append(path.name)
        return read(path, mode, limit)

    monkeypatch.setattr(known_files, "read_content", noted)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        driver.turn("again")
        assert seen.count("notes") == 1 and not driver.all(FileChanged)


def test_commands_of_the_person_are_taken_back_by_themselves(place: Place) -> None:
    with place.engine(running(place, "echo model >> notes"), mode="accept-all") as driver:
        driver.turn("go")
        before = tree(place)
        driver.send(RunShell("echo mine >> notes; rm gone; echo n > new", False))
        driver.until(ShellEnded)
        told = ask(driver)
        assert {file.path for file in told.files} == {"notes", "gone", "new"}
        assert [(turn.turn, turn.prompt[:6]) for turn in told.turns] == [(0, "! echo")]
        assert restore_all(driver).done and tree(place) == before
        [turn] = driver.all(TurnStarted)
        driver.send(RestoreFiles(turn.n, choices={"notes": "restore"}))
        assert answer(driver, "restored").done
        assert (place.cwd / "notes").read_text() == "notes of mine\n"


def test_a_command_of_the_person_before_any_turn_and_one_that_is_stopped(place: Place) -> None:
    before = tree(place)
    with place.engine("", mode="accept-all") as driver:
        driver.send(RunShell("echo mine >> notes; echo told; sleep 60", False))
        driver.until(ToolOutput)
        driver.send(Cancel())
        driver.until(FileChanged)
        assert restore_all(driver).done and tree(place) == before


def test_of_a_private_command_nothing_is_on_record(place: Place) -> None:
    with place.engine("", mode="accept-all") as driver:
        driver.send(RunShell("echo mine >> notes", True))
        driver.until(ShellEnded)
        assert not driver.all(FileChanged) and not driver.all(UndoLimited)


def test_what_the_model_changes_beside_a_command_of_the_person_is_told_once(place: Place) -> None:
    wait = "touch .git-began; while [ ! -e go ]; do sleep 0.02; done; echo mine >> gone"
    model = running(place, "echo model >> notes")
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(RunShell(wait, False))
        while not (place.cwd / ".git-began").exists():
            pass
        driver.turn("go")
        (place.cwd / "go").touch()
        driver.until(ShellEnded)
        names = [Path(event.path).name for event in driver.all(FileChanged)]
        assert names.count("notes") == 1 and names.count("gone") == 1


def listed(root: Path, *own: Path) -> set[str]:
    found = list_files(root, (root,), own)
    return {str(path.relative_to(root)) for path in found.files}


def test_what_a_listing_passes_over(tmp_path: Path) -> None:
    for name in ("a", "in/b", "target/c", "in/__pycache__/d", "repo/.git/HEAD", "repo/e", "own/f"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "in")
    assert listed(tmp_path, tmp_path / "own") == {"a", "in/b", "link"}
    found = list_files(tmp_path, (tmp_path,), (tmp_path / "own",))
    for passed in ("target/c", "repo/e", "own/f", "in/__pycache__/new"):
        assert not found.knows(tmp_path / passed)
    assert found.knows(tmp_path / "in" / "new") and found.is_whole


def test_what_was_passed_over_is_not_new_when_git_shows_it(place: Place) -> None:
    """Else undo would delete a secret that the command changed as it let git see it."""
    model = running(place, "echo > .gitignore; echo more >> .env; echo more >> node_modules/inner")
    with place.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {".gitignore"}


@pytest.mark.parametrize(
    "command",
    ["mv .env conf.txt", "mv large other", "mv node_modules nm"],
    ids=["secret", "large", "folder"],
)
def test_the_only_copy_of_what_nobody_looked_at_is_never_deleted(
    place: Place, command: str
) -> None:
    (place.cwd / "large").write_bytes(b"x" * 1_500_000)
    (place.cwd / "node_modules" / "inner").write_text("what is nowhere else\n")
    with place.engine(running(place, command), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        after = tree(place)
        ask(driver)
        restore_all(driver)
        assert tree(place) == after
