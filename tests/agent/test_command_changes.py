"""What commands change: seen before and after, in a repository and without one, and never guessed."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent_tui.agent.services.jobs import Jobs
from agent_tui.agent.services.restore_looks import MOST
from agent_tui.agent.turn.command_changes import Watch, reads_only
from agent_tui.agent.turn.known_files import CLOCK
from agent_tui.agent.turn.snapshots import Known, parse_status
from agent_tui.agent.turn.told_changes import mode_before
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.turns import Turns
from agent_tui.agent.turn.undo_limits import APPEARED, COMMIT, IGNORED, MOVED, NO_REPOSITORY
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import (
    ApprovalAsked,
    Event,
    FileChanged,
    Notice,
    TurnEnded,
    TurnStarted,
    UndoLimited,
)
from agent_tui.protocol.ops import Answer, Cancel, RestoreFiles, Submit
from agent_tui.protocol.tool_events import ToolStarted
from agent_tui.protocol.transcript import NoticeBlock
from agent_tui.safety.sandbox import support as sandbox_support
from agent_tui.safety.sandbox.histories import Histories
from agent_tui.safety.secrets import scrubber as secrets
from agent_tui.safety.secrets.hidden_values import HiddenValues
from agent_tui.sessions.log.checkpoints import Blobs
from tests.agent.driving import PATIENCE, Driver, Place
from tests.agent.test_restore import answer, ask, restore_all


def git(cwd: Path, *words: str) -> str:
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(argv, cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository: `clean` and `run` as committed, `dirty` changed since, `loose` unknown to git,
    `ignored`."""
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
    return place.script(
        [{"call": "run_shell_command", "arguments": {"command": command}}], [{"text": "ran"}]
    )


def changed(driver: Driver) -> dict[str, FileChanged]:
    return {Path(event.path).name: event for event in driver.all(FileChanged)}


def age(path: Path) -> None:
    """Wait until `path` is so old that the command cannot have made it."""
    while time.time_ns() < path.stat().st_ctime_ns + 2 * CLOCK:
        pass


MIXED = "echo x >> clean; echo x >> dirty; rm gone loose; chmod +x run; mkdir new; echo n > new/file; echo x >> ignored"


def test_a_command_is_taken_back(place: Place) -> None:
    model = running(place, MIXED)
    before = tree(place)
    index = (place.cwd / ".git" / "index").read_bytes()
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        after = tree(place)
        names = {"clean", "dirty", "gone", "loose", "run", "file", "ignored"}
        assert set(changed(driver)) == names
        assert changed(driver)["clean"].diff.added == 1
        assert restore_all(driver).done
        mine = dict(before, gone=(before["gone"][0], 0o600))  # its mode is in no record
        assert tree(place) == mine
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done and tree(place) == after
    assert (place.cwd / ".git" / "index").read_bytes() == index


def test_names_that_are_no_utf_8_are_taken_back(place: Place) -> None:
    """Tracked, unknown to git and new ones: the files themselves, and none beside them."""
    names = [os.fsdecode(name) for name in (b"caf\xe9", b"notes\xff", b"new\xfe")]
    tracked, loose, _ = (place.cwd / name for name in names)
    tracked.write_text("as committed\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "odd")
    loose.write_text("my own work\n")
    command = "for f in caf* notes*; do echo gone > $f; done; cp caf* $(printf 'new\\376')"
    model = running(place, command)
    before = tree(place)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {*names}
        after = tree(place)
        assert restore_all(driver).done and tree(place) == before
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done and tree(place) == after


@pytest.mark.parametrize(
    "command", ["git checkout -q -b other && echo y > clean && git commit -qam y", "git stash -q"]
)
def test_what_git_itself_moves_is_never_taken_for_the_commands(place: Place, command: str) -> None:
    identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
    with place.engine(running(place, identity + command), mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) <= {"dirty", "loose"}
        for file in ask(driver).files:
            assert file.state == "during"


def contents(place: Place) -> dict[str, str]:
    files = (path for path in place.cwd.rglob("*") if ".git" not in path.parts)
    return {
        str(path.relative_to(place.cwd)): path.read_text() if path.is_file() else ""
        for path in files
    }


@pytest.fixture
def folders(place: Place) -> Place:
    """Also `src` with a file of the commit and two that git does not know, and `photos` outside."""
    outside = place.root / "photos"
    for folder in (place.cwd / "src" / "deep", outside):
        folder.mkdir(parents=True)
    (place.cwd / "src" / "kept").write_text("kept\n")
    git(place.cwd, "add", "src")
    git(place.cwd, "commit", "-q", "-m", "src")
    (place.cwd / "src" / ".gitignore").write_text("*.o\n")
    (place.cwd / "src" / "deep" / "loose").write_text("loose\n")
    (outside / "picture").write_text("picture\n")
    age(outside / "picture")
    return place


@pytest.mark.parametrize(
    "command", ["mv src lib", "mkdir lib && mv src lib/src && touch lib/src/new", "git mv src lib"]
)
def test_a_folder_that_a_command_renamed_is_taken_back(folders: Place, command: str) -> None:
    model = running(folders, command)
    before = contents(folders)
    with folders.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        after = contents(folders)
        assert restore_all(driver).done
        assert contents(folders) == before, "and no empty folder is left"
        assert MOVED not in [limit.text for limit in driver.all(UndoLimited)]
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done
        assert {
            name: text for name, text in contents(folders).items() if text or name.endswith("new")
        } == {name: text for name, text in after.items() if text or name.endswith("new")}


@pytest.mark.parametrize("command", ["mv ../photos here", "mkdir here; mv ../photos here/photos"])
def test_of_a_folder_that_came_from_outside_it_is_said_that_it_does_not_go_back_there(
    folders: Place, command: str
) -> None:
    model = running(folders, command)
    before = contents(folders)
    with folders.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert ask(driver).caps == (IGNORED, MOVED)
        assert [(file.default, file.goes) for file in ask(driver).files] == [("keep", True)]
        assert restore_all(driver).done and contents(folders) == before


@pytest.mark.parametrize(
    "command",
    [
        "echo > .gitignore; touch made",
        "rm old/.gitignore; touch made old/made",
        "mv own/.git ../own.git; touch made",
        "echo > .git/info/exclude; touch made excluded/made",
    ],
)
def test_what_git_only_did_not_tell_of_is_not_new(folders: Place, command: str) -> None:
    for name in ("old", "own", "excluded"):
        (folders.cwd / name).mkdir()
        (folders.cwd / name / "there").write_text("there\n")
    (folders.cwd / "old" / ".gitignore").write_text("*\n")
    (folders.cwd / ".git" / "info" / "exclude").write_text("excluded\n")
    git(folders.cwd, "init", "-q", "own")
    model = running(folders, command)
    age(folders.cwd / "script.json")
    with folders.engine(model, mode="accept-all", sandbox="local") as driver:
        driver.send(Submit("go"))
        if "mv own/.git" in command:  # that asks in every mode
            driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        driver.until(TurnEnded)
        assert not {"there", "script.json"} & set(changed(driver))
        assert "made" in changed(driver)
        assert (APPEARED in ask(driver).caps) is ("mv own/.git" in command)  # what was not known


def test_all_permission_bits_of_a_file_that_was_looked_at_are_restored(place: Place) -> None:
    command = "chmod 600 dirty; chmod 444 loose; echo x > clean; chmod 4711 clean"
    model = running(place, command)
    before = tree(place)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert restore_all(driver).done
        assert {name: tree(place)[name] for name in ("dirty", "loose")} == {
            name: before[name] for name in ("dirty", "loose")
        }
        assert tree(place)["clean"][0] == before["clean"][0] and IGNORED in ask(driver).caps


def test_a_file_never_comes_back_wider_than_it_was(place: Place) -> None:
    """Git keeps no permissions: of those files that were private, none may be read by others after
    undo."""
    for name in ("clean", "run", "gone"):
        (place.cwd / name).chmod(0o600)
    model = running(place, "chmod +x run; rm gone; echo more >> clean")
    before = tree(place)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert restore_all(driver).done
        assert tree(place) == before


@pytest.mark.parametrize(
    ("known", "now", "before"),
    [
        (0o644, 0, 0o600),
        (0o755, 0, 0o700),
        (0o644, 0o711, 0o600),
        (0o644, 0o755, 0o644),
        (0o755, 0o600, 0o700),
        (0o755, 0o640, 0o750),
        (0o644, 0o600, 0o600),
        (0o755, 0o711, 0o711),
        (0o644, 0o120000, 0o600),
    ],
)
def test_only_whether_it_can_be_run_is_taken_from_git(known: int, now: int, before: int) -> None:
    assert mode_before(known, now) == before


def test_without_git_a_folder_that_a_command_renamed_is_taken_back(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    create: dict[str, Any] = {
        "call": "create_file",
        "arguments": {"path": "src/a", "content": "a\n"},
    }
    rename = {"call": "run_shell_command", "arguments": {"command": "mv src lib"}}
    with place.engine(
        place.script([create], [{"text": "x"}], [rename], [{"text": "x"}]), mode="accept-all"
    ) as driver:
        driver.turn("make")
        age(place.cwd / "src" / "a")
        driver.turn("rename")
        told = ask(driver)
        assert {file.path for file in told.files} == {"src/a", "lib/a"}
        assert told.caps == (NO_REPOSITORY,)
        assert restore_all(driver).done
        assert (place.cwd / "src" / "a").read_text() == "a\n" and not (place.cwd / "lib").exists()


def test_files_that_appear_because_they_are_ignored_no_more_are_not_new(place: Place) -> None:
    model = running(place, "echo > .gitignore")
    age(place.cwd / "script.json")
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert set(changed(driver)) == {".gitignore"}


def test_where_git_converts_files_nothing_is_guessed(place: Place) -> None:
    (place.cwd / ".gitattributes").write_text("* text=auto eol=crlf\n")
    with place.engine(
        running(place, "echo x >> clean; echo x >> dirty"), mode="accept-all"
    ) as driver:
        driver.turn("go")
        assert set(changed(driver)) == {"dirty"}
        [said] = [limit for limit in driver.all(UndoLimited) if "git converts" in limit.text]
        assert said.shown and said.text in ask(driver).caps


@pytest.mark.parametrize("others", [True, False])
def test_what_is_too_large_to_be_taken_back_is_not_counted_among_what_can_be(
    place: Place, others: bool
) -> None:
    command = f"truncate -s {MOST + 1} large" + "; echo x >> dirty; echo x >> clean" * others
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        [said] = [notice.text for notice in driver.all(Notice) if "/undo" in notice.text]
        can = "dirty and clean changed while a command ran. /undo can revert them. " * others
        assert said == f"{can}Too large for /undo: large."
        assert {file.path for file in ask(driver).files if file.choices == ("keep",)} == {"large"}


def test_a_change_of_permissions_alone_is_shown(place: Place) -> None:
    (place.cwd / "clean").chmod(0o644)
    with place.engine(running(place, "chmod 755 clean"), mode="accept-all") as driver:
        driver.turn("go")
        [event] = driver.all(FileChanged)
        [hunk] = event.diff.hunks
        assert hunk.lines == ("\\ permissions: 644, now 755 (a program now)",)


def test_how_to_undo_speaks_of_what_a_tool_and_what_a_command_changed(tmp_path: Path) -> None:
    told: list[Any] = []
    turns = Turns.__new__(Turns)
    turns.record = SimpleNamespace(  # type: ignore[assignment]
        emit=lambda event, *_: told.append(event.text)
    )
    turns._first_changes = [
        FileChanged(
            call_id="1",
            path=str(tmp_path / name),
            diff=DiffDisplay(name, (), 0, 0),
            during_command=by,
        )
        for name, by in (("own", False), ("made", True), ("gone", True))
    ]
    turns._tell_how_to_undo()
    assert told == [
        "Changed own. /undo reverts what a turn changed. "
        "made and gone changed while a command ran. /undo can revert them."
    ]


def test_without_git_all_files_are_watched(tmp_path: Path) -> None:
    place = Place(tmp_path)
    create: dict[str, Any] = {"call": "create_file", "arguments": {"path": "a", "content": "a\n"}}
    remove = {"call": "run_shell_command", "arguments": {"command": "rm a; echo b > b"}}
    model = place.script([create], [remove], [{"text": "ran"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        assert [
            (Path(e.path).name, bool(e.before), bool(e.after)) for e in driver.all(FileChanged)
        ] == [
            ("a", False, True),
            ("a", True, False),
            ("b", False, True),
        ]


def test_a_command_that_was_cancelled_is_looked_at_once_it_has_ended(place: Place) -> None:
    with place.engine(running(place, "echo x >> dirty; sleep 60"), mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(ToolStarted)
        while "x" not in (place.cwd / "dirty").read_text():
            pass
        driver.send(Cancel())
        told = ask(driver)
        assert [file.path for file in told.files] == ["dirty"] and told.turns[0].prompt == "go"


WAITS = "echo x >> dirty; while [ ! -e .git/go ]; do sleep 0.05; done"


def test_what_the_person_saved_while_a_command_ran_is_kept_unless_they_choose(place: Place) -> None:
    mine = place.cwd / "clean"
    with place.engine(running(place, WAITS), mode="accept-all") as driver:
        driver.send(Submit("go"))
        driver.until(ToolStarted)
        while "x" not in (place.cwd / "dirty").read_text():
            pass
        mine.write_text("a line of mine\n")
        (place.cwd / ".git" / "go").touch()
        driver.until(TurnEnded)
        [said] = [notice.text for notice in driver.all(Notice) if "/undo" in notice.text]
        assert "clean" in said and "dirty" in said and "changed while a command ran" in said
        told = {file.path: file for file in ask(driver).files}
        assert {(file.state, file.default) for file in told.values()} == {("during", "keep")}
        driver.send(RestoreFiles(choices={"dirty": "restore"}))
        assert answer(driver, "restored").done
        assert (
            mine.read_text() == "a line of mine\n"
            and (place.cwd / "dirty").read_text() == "dirty of mine\n"
        )
        [turn] = driver.all(TurnStarted)
        assert [file.path for file in ask(driver, "undo", str(turn.n)).files] == ["clean"], (
            "it is offered still"
        )


def test_a_choice_holds_for_the_content_that_was_seen(place: Place) -> None:
    with place.engine(running(place, "echo x >> dirty"), mode="accept-all") as driver:
        driver.turn("go")
        [file] = ask(driver).files
        (place.cwd / "dirty").write_text("mine since\n")
        driver.send(RestoreFiles(choices={"dirty": "restore"}, seen={"dirty": file.now}))
        assert [one.path for one in answer(driver, "restored").asked] == ["dirty"]
        assert (place.cwd / "dirty").read_text() == "mine since\n"


STUBBORN = "trap '' TERM; while :; do echo LATE > .git/part; mv .git/part late; touch .git/began; sleep 0.02; done"
"""It is killed at any moment: never between the beginning of the file and its words."""


def test_what_a_cancelled_command_still_writes_is_its_own_and_the_next_turn_waits_for_its_end(
    place: Place,
) -> None:
    command = {"call": "run_shell_command", "arguments": {"command": STUBBORN}}
    create = {
        "call": "create_file",
        "arguments": {"path": "late", "content": "MODEL\n", "overwrite": True},
    }
    model = place.script([command], [create], [{"text": "made"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.send(Submit("first"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))  # of .git, which always asks
        while not (place.cwd / ".git" / "began").exists():
            pass
        driver.send(Cancel())
        driver.until(TurnEnded)
        assert driver.turn("second").state == "completed"
        assert (place.cwd / "late").read_text() == "MODEL\n"
        booked = [
            (event.turn, event.step, event.during_command) for event in driver.all(FileChanged)
        ]
        assert booked == [(1, 1, True), (2, 1, False)]
        assert [list(mark.files) for mark in driver.transcript().marks] == [["late"], ["late"]]
        kinds = [
            (type(event), event.turn)
            for event in driver.events
            if isinstance(event, FileChanged | ToolStarted)
        ]
        assert kinds.index((FileChanged, 1)) < kinds.index((ToolStarted, 2))
        assert [file.path for file in ask(driver).files] == ["late"]
        driver.send(RestoreFiles())
        assert answer(driver, "restored").done and (place.cwd / "late").read_text() == "LATE\n"


def test_a_cancelled_command_is_looked_at_when_it_ends_and_not_some_time_later(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the person makes after that is theirs."""
    told: list[Event] = []

    async def never(_: float) -> None:
        await asyncio.Event().wait()

    async def cancelled() -> None:
        with ThreadPoolExecutor(1) as pool:
            cwd, blobs = place.cwd.resolve(), Blobs(place.home / "blobs")
            watch = Watch(cwd, blobs, tuple, pool, place.home / "snapshot")
            before = await watch.take_snapshot(
                "make", CallContext(workplace(cwd, told.append), "c", frozenset())
            )
            assert before is not None
            (cwd / "dirty").write_text("made\n")
            monkeypatch.setattr(asyncio, "sleep", never)
            watch.report_changes_later(before)
            await asyncio.wait_for(watch.wait_until_settled(), PATIENCE)
            (cwd / "mine").write_text("mine\n")

    asyncio.run(cancelled())
    assert [Path(event.path).name for event in told if isinstance(event, FileChanged)] == ["dirty"]


def test_what_undo_cannot_reach_is_on_record_and_in_the_sheet(tmp_path: Path) -> None:
    place = Place(tmp_path)
    command = {"call": "run_shell_command", "arguments": {"command": "echo x >> notes"}}
    with place.engine(
        place.script([command], [command], [{"text": "ran"}]), mode="accept-all"
    ) as driver:
        driver.turn("go")
        [limit] = driver.all(UndoLimited)
        assert limit.text == NO_REPOSITORY and (limit.turn, limit.shown) == (1, True)
        assert NO_REPOSITORY in [
            row.text for row in driver.transcript().rows if isinstance(row, NoticeBlock)
        ]
        told = ask(driver)
        assert ([file.path for file in told.files], told.caps) == (["notes"], (NO_REPOSITORY,))


def test_of_a_command_in_a_repository_it_is_said_that_ignored_files_and_commits_are_out_of_reach(
    place: Place,
) -> None:
    identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; "
    command = identity + "rm ignored; git commit -qam all"
    with place.engine(running(place, command), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert ask(driver).caps == (IGNORED, COMMIT)
        assert [limit.text for limit in driver.all(UndoLimited) if limit.shown] == [COMMIT]


def workplace(cwd: Path, emit: Callable[[Event], None]) -> Workplace:
    secret = secrets.Scrubber(())
    return Workplace(
        all_roots=lambda: (cwd,),
        environment={},
        keys={},
        command_timeout=1,
        command_memory=0,
        output_limit=1_000,
        spool=cwd,
        emit=emit,
        scrub=secret.scrub,
        scrub_known=secret.scrub,
        scrub_secret_file=secret.scrub,
        hidden=HiddenValues(),
        scrub_stream=secret.stream,
        learn=secret.learn,
        checkpoint=lambda *_: "",
        own=(),
        histories=Histories(cwd / "repositories"),
        sandbox_support=sandbox_support.support,
        workspace_support=sandbox_support.workspace_support,
        skills=tuple,
        jobs=Jobs(emit),
        load_tools=tuple,
        off_loop=lambda work: asyncio.get_running_loop().run_in_executor(None, work),
        log=logging.getLogger(__name__),
    )


def test_a_session_that_ends_hears_nothing_more_of_a_cancelled_command(place: Place) -> None:
    told: list[Event] = []

    async def cancelled_and_ended() -> None:
        with ThreadPoolExecutor(1) as pool:
            cwd, blobs = place.cwd.resolve(), Blobs(place.home / "blobs")
            watch = Watch(cwd, blobs, tuple, pool, place.home / "snapshot")
            call = CallContext(workplace(cwd, told.append), "c", frozenset(), turn=3, step=1)
            for name in ("dirty", "loose"):
                before = await watch.take_snapshot("make", call)
                assert before is not None
                (cwd / name).write_text("made\n")
                watch.report_changes_later(before)
                await watch.close()

    asyncio.run(cancelled_and_ended())
    changes = [event for event in told if isinstance(event, FileChanged)]
    assert [(Path(event.path).name, event.turn, event.step) for event in changes] == [
        ("dirty", 3, 1)
    ]


def test_a_command_that_cannot_be_started_stops_nothing(place: Place) -> None:
    """It is too long for the system; the one behind it is watched as any other."""
    long = {"call": "run_shell_command", "arguments": {"command": "true " + "x" * 3_000_000}}
    later = {"call": "run_shell_command", "arguments": {"command": "echo x >> dirty"}}
    with place.engine(
        place.script([long], [later], [{"text": "ran"}]), mode="accept-all"
    ) as driver:
        driver.send(Submit("go"))
        driver.send(Answer(driver.until(ApprovalAsked).id, "once"))
        assert driver.until(TurnEnded).state == "completed"
        assert "dirty" in changed(driver)


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("ls -la src", True),
        ("grep -rn x .", True),
        ("", False),
        ("cat a > b", False),
        ("cat a; rm b", False),
        ("env rm x", False),
        ("ls $(rm x)", False),
        ("ls\nrm x", False),
        ("rm x", False),
        ("cat a | sh", False),
    ],
)
def test_commands_that_evidently_only_read(command: str, reads: bool) -> None:
    assert reads_only(command) is reads


def test_the_words_of_git() -> None:
    status = parse_status(
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
        "/top/a b": Known("11", 0o644),
        "/top/c": Known("12", 0o755),
        "/top/new": Known(),
        "/top/old": Known("13", 0o644),
        "/top/torn": None,
        "/top/sub": None,
        "/top/loose": Known(),
    }
