"""Symbolic links that commands make, change and remove; folders made for one file; files with
several names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.protocol.events import FileChanged, Notice, ToolEnded
from agent_tui.protocol.ops import RestoreFiles
from agent_tui.safety.file_access import LINK
from tests.agent.driving import Driver, Place
from tests.agent.test_command_changes import git, running
from tests.agent.test_restore import answer, ask, creating, restore_all


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


@pytest.fixture
def linked(place: Place) -> Place:
    """A repository with links as committed: to a file, to a folder, to nowhere; and a plain file."""
    git(place.cwd, "init", "-q", "-b", "main")
    (place.cwd / ".gitignore").write_text("*.json\n")
    (place.cwd / "plain").write_text("plain\n")
    (place.cwd / "folder").mkdir()
    (place.cwd / "folder" / "inner").write_text("inner\n")
    for name, target in (("to-file", "plain"), ("to-folder", "folder"), ("astray", "no/where")):
        (place.cwd / name).symlink_to(target)
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "all")
    return place


def tree(place: Place) -> dict[str, tuple[str, str]]:
    """Every name, links as links."""
    found: dict[str, tuple[str, str]] = {}
    for path in place.cwd.rglob("*"):
        if ".git" in path.parts or path.suffix == ".json":
            continue
        if path.is_symlink():
            found[path.name] = ("link", str(path.readlink()))
        elif path.is_file():
            found[path.name] = ("file", path.read_text())
    return found


def there_and_back(driver: Driver, place: Place, before: dict[str, tuple[str, str]]) -> None:
    after = tree(place)
    assert after != before
    assert {file.state for file in ask(driver).files} == {"during"}
    assert restore_all(driver).done and tree(place) == before
    driver.send(RestoreFiles(redo=True))
    assert answer(driver, "restored").done and tree(place) == after
    assert restore_all(driver).done and tree(place) == before


@pytest.mark.parametrize(
    "command",
    [
        "ln -s plain fresh; ln -s /no/such/place abs; ln -s folder way",
        "ln -sfn folder to-file; ln -sfn plain to-folder",
        "rm to-file to-folder astray",
        "rm to-file; echo a file now > to-file; rm plain; ln -s folder/inner plain",
        "mv to-file moved; ln -s moved to-file",
    ],
)
def test_links_that_a_command_made_changed_or_removed_are_taken_back(
    linked: Place, command: str
) -> None:
    before = tree(linked)
    with linked.engine(running(linked, command), mode="accept-all") as driver:
        driver.turn("go")
        there_and_back(driver, linked, before)


def test_a_link_is_on_record_as_git_has_it(linked: Place) -> None:
    with linked.engine(running(linked, "ln -s plain fresh"), mode="accept-all") as driver:
        driver.turn("go")
        [change] = driver.all(FileChanged)
        assert (change.before, change.mode_after, change.diff.added) == ("", LINK, 1)
        assert change.diff.hunks[0].lines[0] == "+plain"


def test_a_link_that_points_elsewhere_by_now_is_asked_about(linked: Place) -> None:
    with linked.engine(running(linked, "ln -s plain fresh"), mode="accept-all") as driver:
        driver.turn("go")
        (linked.cwd / "fresh").unlink()
        (linked.cwd / "fresh").symlink_to("folder")
        [file] = ask(driver).files
        assert (file.state, file.choices) == ("changed", ("keep", "restore"))
        driver.send(RestoreFiles(choices={"fresh": "keep"}))
        assert answer(driver, "restored").files[0].outcome == "kept"
        assert str((linked.cwd / "fresh").readlink()) == "folder"


def test_a_link_in_the_place_of_a_file_is_never_followed_nor_replaced(place: Place) -> None:
    with place.engine(place.script(creating("a"), [{"text": "made"}]), mode="accept-all") as driver:
        driver.turn("go")
        (place.cwd / "mine").write_text("a\n")
        (place.cwd / "a").unlink()
        (place.cwd / "a").symlink_to("mine")
        [file] = ask(driver).files
        assert (file.state, file.choices) == ("replaced", ("keep",))


def test_folders_made_for_a_file_go_with_it_and_others_stay(place: Place) -> None:
    (place.cwd / "had").mkdir()
    names = ("new/deep/one", "new/two", "had/three", "used/four")
    with place.engine(
        place.script(creating(*names), [{"text": "made"}]), mode="accept-all"
    ) as driver:
        driver.turn("go")
        assert [change.folders for change in driver.all(FileChanged)] == [2, 0, 0, 1]
        (place.cwd / "used" / "mine").write_text("mine\n")
        driver.send(RestoreFiles())
        assert answer(driver, "restored").done
        assert {path.name for path in place.cwd.rglob("*") if path.suffix != ".json"} == {
            "had",
            "used",
            "mine",
        }
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done
        assert (place.cwd / "new" / "deep" / "one").read_text() == "new/deep/one\n"
        driver.send(RestoreFiles())
        assert answer(driver, "restored").done and not (place.cwd / "new").exists()


def test_other_names_of_a_file_are_told_of_before_and_after(place: Place) -> None:
    (place.cwd / "a").write_text("old\n")
    os.link(place.cwd / "a", place.cwd / "twin")
    with place.engine(place.script(creating("a"), [{"text": "made"}]), mode="accept-all") as driver:
        driver.turn("go")
        said = "a had 1 other name, which keeps what it held (hard links)."
        assert said in driver.all(ToolEnded)[0].content
        assert [notice.level for notice in driver.all(Notice) if notice.text == said] == ["warning"]
        assert (place.cwd / "twin").read_text() == "old\n"
        os.link(place.cwd / "a", place.cwd / "third")
        assert "hard link" in ask(driver).files[0].why
        driver.send(RestoreFiles())
        assert answer(driver, "restored").done
        assert (place.cwd / "a").read_text() == "old\n" and (
            place.cwd / "third"
        ).read_text() == "a\n"


@pytest.mark.parametrize(
    "command",
    [
        "echo two > a.txt",
        "chmod 755 a.txt",
        "echo two > a.txt; ln a.txt c.txt",
        "ln -f plain a.txt; echo two > plain",
        "echo two > a.txt; mkdir deep; ln a.txt deep/d.txt",
    ],
)
def test_names_of_one_file_are_all_taken_back_and_stay_one_file(
    linked: Place, command: str
) -> None:
    (linked.cwd / "a.txt").write_text("one\n")
    os.link(linked.cwd / "a.txt", linked.cwd / "b.txt")
    git(linked.cwd, "add", "-A")
    git(linked.cwd, "commit", "-q", "-m", "twins")
    names = [linked.cwd / name for name in ("a.txt", "b.txt")]
    before = tree(linked), [path.stat().st_mode for path in names]
    with linked.engine(running(linked, command), mode="accept-all") as driver:
        driver.turn("go")
        after = tree(linked)
        were_one = names[0].samefile(names[1])
        assert not any(
            "hard link" in file.why for file in ask(driver).files if file.path in ("a.txt", "b.txt")
        )
        outcome = restore_all(driver)
        assert outcome.done, [file.problem for file in outcome.files]
        assert (tree(linked), [path.stat().st_mode for path in names]) == before
        assert names[0].samefile(names[1]) == were_one
        driver.send(RestoreFiles(redo=True))
        assert answer(driver, "restored").done and tree(linked) == after


def test_of_names_of_one_file_only_the_chosen_one_is_taken_back(linked: Place) -> None:
    (linked.cwd / "a.txt").write_text("one\n")
    os.link(linked.cwd / "a.txt", linked.cwd / "b.txt")
    git(linked.cwd, "add", "-A")
    git(linked.cwd, "commit", "-q", "-m", "twins")
    with linked.engine(running(linked, "echo two > a.txt"), mode="accept-all") as driver:
        driver.turn("go")
        driver.send(RestoreFiles(choices={"a.txt": "restore"}))
        assert answer(driver, "restored").done
        assert [(linked.cwd / name).read_text() for name in ("a.txt", "b.txt")] == [
            "one\n",
            "two\n",
        ]
