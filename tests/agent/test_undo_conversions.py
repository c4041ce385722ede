"""Files that git changes on their way to the work tree: undo never writes bytes that they did not
have, and says of which it cannot know them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.agent.turn.undo_limits import CONVERTED
from agent_tui.protocol.events import UndoLimited
from tests.agent.driving import Place
from tests.agent.test_command_changes import git, running
from tests.agent.test_restore import restore_all

WRITES = "echo more >> sub/a.txt; echo more >> plain"
CASES = {
    "below": {"sub/.gitattributes": "*.txt eol=crlf\n"},
    "encoding": {"sub/.gitattributes": "*.txt working-tree-encoding=UTF-16LE eol=lf\n"},
    "old-word": {".gitattributes": "*.txt crlf\n"},
    "macro": {".gitattributes": "[attr]windows eol=crlf\n*.txt windows\n"},
    "auto": {".gitattributes": "*.txt text=auto\n", "config": "[core]\n\teol = crlf\n"},
    "autocrlf": {"config": "[core]\n\tautocrlf = yes\n"},
    "info": {"info": "*.txt eol=crlf\n"},
    "person": {"xdg/git/attributes": "*.txt eol=crlf\n"},
    "person-named": {
        "xdg/git/config": "[core]\n\tattributesFile = {root}/mine\n",
        "mine": "*.txt eol=crlf\n",
    },
    "named": {"config": "[core]\n\tattributesFile = {root}/mine\n", "mine": "*.txt eol=crlf\n"},
    "included": {"config": "[include]\n\tpath = {root}/mine\n", "mine": "[core]\nautocrlf=true\n"},
    "filter": {
        "sub/.gitattributes": "*.txt filter=up\n",
        "config": '[filter "up"]\n\tsmudge = tr a-z A-Z\n\tclean = tr A-Z a-z\n',
    },
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    return place


def prepare(place: Place, files: dict[str, str]) -> dict[str, bytes]:
    """The repository as git checks it out with these attributes and settings."""
    git(place.cwd, "init", "-q", "-b", "main")
    special = {"config": place.cwd / ".git/config", "info": place.cwd / ".git/info/attributes"}
    for name, text in files.items():
        above = place.root if name.startswith(("xdg", "mine")) else place.cwd
        path = special.get(name, above / name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(text.replace("{root}", str(place.root)))
    (place.cwd / "sub").mkdir(exist_ok=True)
    wide = "UTF-16LE" in str(files)
    (place.cwd / "sub" / "a.txt").write_bytes("one\ntwo\n".encode("utf-16-le" if wide else "utf-8"))
    (place.cwd / "plain").write_text("plain\n")
    (place.cwd / ".gitignore").write_text("*.json\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-q", "-m", "all")
    (place.cwd / "sub" / "a.txt").unlink()
    git(place.cwd, "checkout", "--", "sub")
    os.utime(place.cwd / "sub" / "a.txt", (1_700_000_000, 1_700_000_000))
    git(place.cwd, "status")  # takes it for clean by its time from now on
    return tree(place)


def tree(place: Place) -> dict[str, bytes]:
    return {name: (place.cwd / name).read_bytes() for name in ("sub/a.txt", "plain")}


@pytest.mark.parametrize("files", CASES.values(), ids=CASES)
def test_a_file_that_git_converts_is_left_as_it_is_and_that_is_said(
    place: Place, files: dict[str, str]
) -> None:
    before = prepare(place, files)
    with place.engine(running(place, WRITES), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        after = tree(place)
        restore_all(driver)
        assert tree(place)["sub/a.txt"] == after["sub/a.txt"]
        assert CONVERTED in [limit.text for limit in driver.all(UndoLimited)]
        everywhere = files.keys() & {"config"} and not files.keys() & {
            ".gitattributes",
            "sub/.gitattributes",
        }
        assert tree(place)["plain"] == (after if everywhere else before)["plain"]


@pytest.mark.parametrize(
    "command",
    [
        f"echo > sub/.gitattributes; {WRITES}",
        f"rm sub/.gitattributes; {WRITES}",
        f"echo '*.bin -text' > .git/info/attributes; {WRITES}",
        f"rm sub/.gitattributes; git add -A; {WRITES}",
    ],
)
def test_attributes_that_a_command_changed_are_not_known_any_more(
    place: Place, command: str
) -> None:
    prepare(place, CASES["below"])
    with place.engine(running(place, command), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        after = tree(place)
        restore_all(driver)
        assert tree(place) == after
        assert CONVERTED in [limit.text for limit in driver.all(UndoLimited)]


def test_attributes_that_change_no_content_are_none_of_it(place: Place) -> None:
    before = prepare(place, {".gitattributes": "*.txt -text diff=python linguist-vendored\n"})
    with place.engine(running(place, WRITES), mode="accept-all", sandbox="local") as driver:
        driver.turn("go")
        assert restore_all(driver).done and tree(place) == before
        assert CONVERTED not in [limit.text for limit in driver.all(UndoLimited)]
