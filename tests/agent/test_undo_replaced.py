"""What a command puts in the place of a file, and a file in the place of a folder: named, restored
where nothing of anybody is lost by that, and written beside it where it would be."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_tui.protocol.answers import OldFile
from agent_tui.protocol.ops import FileChoice, RestoreFiles
from tests.agent.driving import Driver, Place
from tests.agent.test_command_changes import git, running
from tests.agent.test_restore import answer, ask, restore_all

Tree = dict[str, str]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository with `cfg` and `src/deep/a` as committed; `notes` and `link` are loose."""
    place = Place(tmp_path)
    (place.cwd / "src" / "deep").mkdir(parents=True)
    git(place.cwd, "init", "-q", "-b", "main")
    for name in ("cfg", "src/deep/a"):
        (place.cwd / name).write_text(f"{name} as committed\n")
    (place.cwd / ".gitignore").write_text("*.json\nignored\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "all")
    (place.cwd / "notes").write_text("notes of mine\n")
    (place.cwd / "link").symlink_to("notes")
    return place


def tree(place: Place) -> Tree:
    found: Tree = {}
    for path in place.cwd.rglob("*"):
        name = str(path.relative_to(place.cwd))
        if ".git" in path.parts or path.suffix == ".json":
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_text()
    return found


@pytest.mark.parametrize(
    "command",
    [
        "rm cfg notes link; mkdir cfg notes link; echo 1 > cfg/a; mkdir notes/x; echo 2 > link/l",
        "mv cfg was; mkdir -p cfg/sub; mv was cfg/sub/cfg",
        "rm -r src; echo 1 > src",
        "rm -r src/deep; ln -s ../notes src/deep",
        "rm -r src; mkdir -p src/deep/a; echo 1 > src/deep/a/a",
    ],
)
def test_what_changed_its_kind_comes_back(place: Place, command: str) -> None:
    model, before = running(place, command), tree(place)
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        after = tree(place)
        assert after != before
        assert restore_all(driver).done and tree(place) == before
        again: dict[str, FileChoice] = {
            file.real: "restore" for file in ask(driver, "redo").files
        }  # what comes where a link is now has to be asked for
        driver.send(RestoreFiles(redo=True, choices=again))
        assert answer(driver, "restored").done and tree(place) == after


@pytest.mark.parametrize(
    "make",
    ["mkfifo cfg notes link", "mkdir cfg notes link; mkfifo cfg/pipe notes/pipe link/pipe"],
)
def test_what_cannot_be_replaced_stays_and_the_earlier_version_comes_beside_it(
    place: Place, make: str
) -> None:
    model = running(place, f"rm cfg notes link; {make}")
    with place.engine(model, mode="accept-all") as driver:
        driver.turn("go")
        told = {file.path: file for file in ask(driver).files}
        assert {(path, file.state, file.choices, file.default) for path, file in told.items()} == {
            (name, "replaced", ("keep", "both"), "") for name in ("cfg", "notes", "link")
        }
        assert {file.path for file in restore_asked(driver)} == set(told)
        choices: dict[str, FileChoice] = dict.fromkeys(told, "both")
        driver.send(RestoreFiles(choices=choices))
        files = {Path(one.path).name: one for one in answer(driver, "restored").files}
        assert {one.outcome for one in files.values()} == {"beside"}
        assert Path(files["cfg"].beside).read_text() == "cfg as committed\n"
        assert Path(files["notes"].beside).read_text() == "notes of mine\n"
        assert str(Path(files["link"].beside).readlink()) == "notes"
        assert not (place.cwd / "cfg").is_file()


def restore_asked(driver: Driver) -> tuple[OldFile, ...]:
    driver.send(RestoreFiles())
    asked: tuple[OldFile, ...] = answer(driver, "restored").asked
    return asked


def test_a_folder_with_a_file_that_is_kept_is_kept_with_it(place: Place) -> None:
    with place.engine(
        running(place, "rm cfg; mkdir cfg; echo 1 > cfg/a"), mode="accept-all"
    ) as driver:
        driver.turn("go")
        choices: dict[str, FileChoice] = {"cfg": "restore", "cfg/a": "keep"}
        driver.send(RestoreFiles(choices=choices))
        said = answer(driver, "restored")
        assert not said.done and (place.cwd / "cfg" / "a").read_text() == "1\n"
        assert {Path(one.path).name: one.outcome for one in said.files} == {
            "cfg": "failed",
            "a": "kept",
        }


def test_a_file_of_the_person_in_a_new_folder_is_never_lost(place: Place) -> None:
    with place.engine(running(place, "rm cfg; mkdir cfg"), mode="accept-all") as driver:
        driver.turn("go")
        [file] = ask(driver).files
        assert (file.state, file.choices) == ("during", ("keep", "restore"))
        (place.cwd / "cfg" / "mine").write_text("mine\n")
        [file] = ask(driver).files
        assert file.choices == ("keep", "both")
        assert [path.name for path in (place.cwd / "cfg").iterdir()] == ["mine"]


def test_a_file_below_one_that_is_kept_is_said_not_to_come_back(place: Place) -> None:
    with place.engine(running(place, "rm -r src; echo 1 > src"), mode="accept-all") as driver:
        driver.turn("go")
        choices: dict[str, FileChoice] = {"src": "keep", "src/deep/a": "restore"}
        driver.send(RestoreFiles(choices=choices))
        [failed] = [one for one in answer(driver, "restored").files if one.outcome == "failed"]
        assert "its folder is a file now" in failed.problem
        assert (place.cwd / "src").read_text() == "1\n"
