"""What a command moved away from where it was, and put a link in its place: undo brings it back, and
never deletes the only copy of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.agent.turn.undo_limits import MOVED
from agent_tui.protocol.events import TurnStarted, UndoLimited
from agent_tui.protocol.ops import FileChoice, RestoreFiles
from tests.agent.driving import Place
from tests.agent.test_command_changes import git, running
from tests.agent.test_restore import answer, ask, restore_all
from tests.agent.test_undo_replaced import tree

MINE = "lines that nobody committed\n"
LOOSE = "loose\n"
MOVE = "mkdir shared && mv conf shared/ && ln -s shared/conf conf"
NO_LINK = "mkdir shared && cp -r conf shared/ && rm -r conf"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository: `conf/a.txt` has lines of its own, `conf/new.txt` is unknown to git, and
    `conf/deep/b.txt` is as committed."""
    place = Place(tmp_path)
    (place.cwd / "conf" / "deep").mkdir(parents=True)
    git(place.cwd, "init", "-q", "-b", "main")
    (place.cwd / ".gitignore").write_text("*.json\nhidden/\n")
    (place.cwd / "conf" / "a.txt").write_text("as committed\n")
    (place.cwd / "conf" / "deep" / "b.txt").write_text("deep as committed\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "all")
    (place.cwd / "conf" / "a.txt").write_text(MINE)
    (place.cwd / "conf" / "new.txt").write_text(LOOSE)
    return place


@pytest.mark.parametrize(
    "command",
    [
        MOVE,
        f"{NO_LINK} && ln -s shared/conf conf",
        "mkdir -p x/y && mv conf x/y/ && ln -s y/conf x/conf && ln -s x/conf conf",
        "mv conf/deep deep && ln -s ../deep conf/deep && mv conf kept && ln -s kept conf",
        "cp -r conf kept && rm -r conf && ln -s $PWD/kept conf",
        "mkdir shared; mv conf/new.txt shared; mv conf/a.txt shared; rmdir -p conf/x 2>/dev/null; "
        "mv conf/deep shared; rmdir conf; ln -s shared conf",
        NO_LINK,
    ],
)
def test_what_was_moved_behind_a_link_comes_back_and_goes_there_again(
    place: Place, command: str
) -> None:
    before = tree(place)
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        after = tree(place)
        assert after != before
        told = ask(driver)
        assert {(file.state, file.default) for file in told.files} == {("during", "keep")}
        assert {"conf/a.txt", "conf/new.txt", "conf/deep/b.txt"} <= {
            file.path for file in told.files
        }
        said = [event.text for event in driver.all(UndoLimited)]
        assert MOVED not in said and not any("not readable" in text for text in said)
        outcome = restore_all(driver)
        assert outcome.done, outcome.said
        assert tree(place) == before
        driver.send(RestoreFiles(redo=True))
        outcome = answer(driver, "restored")
        assert outcome.done, (outcome.said, outcome.asked)
        assert tree(place) == after
        assert restore_all(driver).done and tree(place) == before


def test_files_come_back_from_behind_a_link_to_where_nobody_looks(place: Place) -> None:
    before = tree(place)
    command = "mv conf hidden && ln -s hidden conf"
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        assert restore_all(driver).done and tree(place).items() >= before.items()


def test_work_that_git_put_away_comes_back_behind_a_link(place: Place) -> None:
    before = tree(place)
    stash = "git -c user.name=a -c user.email=a@b stash -u -q"
    command = f"{stash}; mv conf other; ln -s other conf"
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        assert restore_all(driver).done and tree(place) == before


def test_the_only_copy_stays_where_the_file_itself_is_not_restored(place: Place) -> None:
    with place.engine(running(place, MOVE), mode="accept-all") as driver:
        driver.turn("go")
        choices: dict[str, FileChoice] = {file.real: "restore" for file in ask(driver).files}
        choices[str(place.cwd / "conf/a.txt")] = "keep"
        driver.send(RestoreFiles(choices=choices))
        files = {file.path: file.outcome for file in answer(driver, "restored").files}
        assert files[str(place.cwd / "shared/conf/a.txt")] == "kept"
        found = tree(place)
        assert found["shared/conf/a.txt"] == MINE and found["conf/new.txt"] == LOOSE
        assert "shared/conf/new.txt" not in found and "conf/a.txt" not in found


def test_the_only_copy_stays_where_its_return_failed(place: Place) -> None:
    """The link is kept, so nothing can come where it is."""
    with place.engine(running(place, MOVE), mode="accept-all") as driver:
        driver.turn("go")
        choices: dict[str, FileChoice] = {
            file.real: "restore" for file in ask(driver).files if file.path != "conf"
        }
        driver.send(RestoreFiles(choices=choices))
        outcome = answer(driver, "restored")
        assert not outcome.done and "its folder is a link now" in outcome.said
        found = tree(place)
        assert (found["shared/conf/a.txt"], found["shared/conf/new.txt"]) == (MINE, LOOSE)


def test_the_only_copy_is_named_and_cannot_be_chosen(place: Place) -> None:
    """The content of a file that is too large to look at by then is not told of, and only its copy
    is."""
    command = "cp conf/a.txt kept.txt; cp conf/new.txt loose.txt; truncate -s 300M conf/a.txt"
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        told = {file.path: file for file in ask(driver).files}
        assert set(told) == {"kept.txt", "loose.txt"}
        assert (told["kept.txt"].state, told["kept.txt"].choices) == ("only", ("keep",))
        assert told["kept.txt"].default == "keep" and "only copy" in told["kept.txt"].why
        assert told["loose.txt"].choices == ("keep", "restore"), "its content stands elsewhere"
        assert restore_all(driver).done
        found = tree_of_copies(place)
        assert found == {"kept.txt": MINE}


@pytest.mark.parametrize(
    "command",
    [
        "mv conf/a.txt t; mv conf/new.txt conf/a.txt; mv t conf/new.txt",
        "mv conf/new.txt c.txt; mv conf/a.txt conf/new.txt",
        "mv conf/a.txt t; mv conf/deep/b.txt conf/a.txt; mv conf/new.txt conf/deep/b.txt; "
        "mv t conf/new.txt; cp conf/new.txt more",
    ],
)
def test_files_that_took_each_others_place_go_back(place: Place, command: str) -> None:
    before = tree(place)
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        after = tree(place)
        outcome = restore_all(driver)
        assert outcome.done and tree(place) == before, outcome.said
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done and tree(place) == after


def test_a_file_is_not_overwritten_where_what_it_holds_could_not_go_back(place: Place) -> None:
    command = "mv conf/a.txt held.txt; mv conf/deep deeper; mv held.txt deeper/b.txt"
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        choices: dict[str, FileChoice] = {file.real: "restore" for file in ask(driver).files}
        choices[str(place.cwd / "conf/a.txt")] = "keep"
        driver.send(RestoreFiles(choices=choices))
        answer(driver, "restored")
        assert (place.cwd / "deeper" / "b.txt").read_text() == MINE


def test_a_copy_that_had_to_make_room_is_there_again_where_the_file_did_not_come(
    place: Place,
) -> None:
    command = (
        "mv conf/a.txt t; mkdir -p conf/a.txt/sub; mv t conf/a.txt/sub/a; echo 1 > conf/a.txt/other"
    )
    with place.engine(running(place, command), mode="accept-all") as driver:
        driver.turn("go")
        choices: dict[str, FileChoice] = {file.real: "restore" for file in ask(driver).files}
        choices[str(place.cwd / "conf/a.txt/other")] = "keep"
        driver.send(RestoreFiles(choices=choices))
        assert not answer(driver, "restored").done
        assert tree(place)["conf/a.txt/sub/a"] == MINE


def tree_of_copies(place: Place) -> dict[str, str]:
    return {path.name: path.read_text() for path in place.cwd.glob("*.txt")}


def test_what_the_turns_made_themselves_is_deleted_wherever_it_went(place: Place) -> None:
    made = [{"call": "create_file", "arguments": {"path": "made.txt", "content": "made\n"}}]
    moved = [{"call": "run_shell_command", "arguments": {"command": "mv made.txt moved.txt"}}]
    before = tree(place)
    model = place.script(made, [{"text": "made"}], moved, [{"text": "moved"}])
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("make")
        driver.turn("move")
        first = driver.all(TurnStarted)[0].n
        told = ask(driver, "undo", str(first)).files
        choices: dict[str, FileChoice] = {file.real: "restore" for file in told}
        driver.send(RestoreFiles(first, choices=choices))
        assert answer(driver, "restored").done and tree(place) == before
