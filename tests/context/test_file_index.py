"""The files of a folder: the same as git lists, where there is git; and what a walk must survive."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent_tui.context.file_index import FileIndex
from agent_tui.safety.git_index import Stopped
from tests.safety.test_git_index import git

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "tools" / "gitignore_cases.json").read_text("utf-8")
)
LOG = logging.getLogger("test")


def index(
    start: Path, environment: Mapping[str, str] | None = None, most: int = 200_000
) -> FileIndex:
    return FileIndex(start, {"HOME": str(start / "no-home"), **(environment or {})}, LOG, most)


def whole(start: Path, environment: Mapping[str, str] | None = None) -> list[str]:
    return index(start, environment).scan_all(lambda: False).paths


def files(paths: list[str]) -> set[str]:
    return {path for path in paths if not path.endswith("/")}


def tree(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git_lists(folder: Path) -> set[str]:
    return set(
        git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]
    )


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_what_is_ignored_is_what_git_ignores(tmp_path: Path, case: dict[str, Any]) -> None:
    tree(tmp_path, **dict.fromkeys((*case["kept"], *case["ignored"]), ""))
    tree(tmp_path, **{name: "\n".join(lines) + "\n" for name, lines in case["rules"].items()})
    tree(tmp_path, **{".git/HEAD": ""})
    rules = case["rules"].keys() - set(case["rules_ignored"])
    assert files(whole(tmp_path)) == {*case["kept"], *rules}


RULES = {
    ".gitignore": "*.log\n/out/\nnode/\n",
    "src/.gitignore": "!keep.log\n",
    "src/a.py": "",
    "src/keep.log": "",
    "src/b.log": "",
    "out/x": "",
    "out/tracked": "",
    "node/m/x.js": "",
    "new.txt": "",
    "b.excluded": "",
    "mine.global": "",
    "deep/down/file": "",
}


def made(folder: Path) -> dict[str, str]:
    """A repository with rules of every kind; returns an environment with rules of the person's own."""
    git(folder, "init")
    tree(folder, **RULES)
    git(folder, "add", "src/a.py", ".gitignore", "deep")
    git(folder, "add", "-f", "out/tracked")
    tree(folder, **{".git/info/exclude": "*.excluded\n"})
    return {"HOME": str(folder / "none")}


def test_tracked_and_new_files_as_git_lists_them(tmp_path: Path) -> None:
    environment = made(tmp_path)
    found = index(tmp_path, environment)
    at_once = found.at_once(lambda: False)
    assert at_once is not None
    assert files(at_once.paths) == {".gitignore", "src/a.py", "out/tracked", "deep/down/file"}
    assert files(found.scan_all(lambda: False).paths) == git_lists(tmp_path)
    assert {"src/", "deep/", "deep/down/", "out/"} <= set(at_once.paths)
    assert files(whole(tmp_path / "src", environment)) == git_lists(tmp_path / "src")
    assert index(tmp_path / "deep", environment).at_once(lambda: False) is not None


def test_the_person_s_own_rules_hold(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    made(work)
    tree(home, **{".config/git/ignore": "*.global\n", ".gitconfig": ""})
    assert "mine.global" not in whole(work, {"HOME": str(home)})
    tree(home, **{".gitconfig": "[core]\n\texcludesFile = ~/own\n", "own": "new.*\n"})
    assert {"mine.global", "new.txt"} & set(whole(work, {"HOME": str(home)})) == {"mine.global"}


def test_ignore_files_beside_git_s_own(tmp_path: Path) -> None:
    made(tmp_path)
    tree(tmp_path, **{".ignore": "new.txt\n!src/b.log\n"})
    found = whole(tmp_path)
    assert "new.txt" not in found and "src/b.log" in found


def test_what_is_gone_is_no_longer_listed_and_what_is_new_is(tmp_path: Path) -> None:
    made(tmp_path)
    found = index(tmp_path)
    (tmp_path / "src/a.py").unlink()
    tree(tmp_path, **{"brand/new.py": ""})
    paths = found.scan_all(lambda: False).paths
    assert "src/a.py" not in paths and {"brand/", "brand/new.py"} <= set(paths)
    git(tmp_path, "add", "brand")
    at_once = found.at_once(lambda: False)
    assert at_once is not None and "brand/new.py" in at_once.paths


@pytest.mark.parametrize(
    "damage", [b"", b"DIRC\0\0\0\x09", b"DIRC\0\0\0\2\xff\xff\xff\xff" + bytes(100)]
)
def test_a_broken_index_is_said_once_and_walked_around(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    made(tmp_path)
    (tmp_path / ".git/index").write_bytes(damage)
    found = index(tmp_path)
    with caplog.at_level(logging.WARNING, "test"):
        listing = found.scan_all(lambda: False)
    assert {"src/a.py", "new.txt"} <= set(listing.paths) and "out/tracked" not in listing.paths
    assert len(caplog.messages) == 1 and "is not used" in caplog.messages[0]


def test_a_submodule_and_a_repository_inside_are_folders(tmp_path: Path) -> None:
    made(tmp_path)
    tree(tmp_path, **{"vendor/lib/.git/HEAD": "", "vendor/lib/x.c": ""})
    found = whole(tmp_path)
    assert "vendor/lib/" in found and "vendor/lib/x.c" not in found


def test_without_a_repository_junk_is_left_out(tmp_path: Path) -> None:
    tree(
        tmp_path,
        **{
            "a.py": "",
            "node_modules/x/y.js": "",
            ".venv/bin/python": "",
            "src/__pycache__/a.pyc": "",
            "src/b.py": "",
            "dist/out": "",
            ".git": "no repository",
            "c.log": "",
            ".gitignore": "*.log\n",
        },
    )
    assert index(tmp_path).at_once(lambda: False) is None
    assert sorted(whole(tmp_path)) == [".gitignore", "a.py", "src/", "src/b.py"]


def test_links_in_a_circle_special_files_and_odd_names(tmp_path: Path) -> None:
    tree(tmp_path, **{"a/x": "", "two\nlines": "", "spa ce": "", 'quo"te': "", "ünï/ñ": ""})
    (tmp_path / "a/back").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"\xff\xfe")).write_text("")
    assert sorted(whole(tmp_path)) == [
        "a/",
        "a/back",
        "a/x",
        "pipe",
        'quo"te',
        "self",
        "spa ce",
        "ünï/",
        "ünï/ñ",
    ]


def test_a_limit_keeps_what_is_near_the_top_and_says_so(tmp_path: Path) -> None:
    tree(
        tmp_path,
        **{f"deep/er/{number}": "" for number in range(50)},
        **{f"{number}": "" for number in range(5)},
    )
    listing = index(tmp_path, most=20).scan_all(lambda: False)
    assert listing.more and len(files(listing.paths)) == 20
    assert {str(number) for number in range(5)} <= set(listing.paths)


def test_a_folder_that_cannot_be_listed_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, **{"a": "", "locked/x": "", "open/" * 40 + "end": ""})
    scan = os.scandir

    def refusing(folder: str) -> Any:  # root may read everything: the kernel's answer is played
        if folder.endswith("locked/"):
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    listing = index(tmp_path).scan_all(lambda: False)
    assert listing.unreadable == 1
    assert files(listing.paths) == {"a", "open/" * 40 + "end"}
    with pytest.raises(FileNotFoundError):
        index(tmp_path / "gone").scan_all(lambda: False)


def test_a_walk_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    tree(tmp_path, **{f"{number}/x": "" for number in range(20)})
    looks = iter([False] * 5 + [True] * 100)
    with pytest.raises(Stopped):
        index(tmp_path).scan_all(lambda: next(looks))
    assert len(list(looks)) == 99


@pytest.mark.parametrize("how", ["file", "link", "index", "commondir"])
def test_the_names_of_another_repository_are_not_listed(tmp_path: Path, how: str) -> None:
    """Else a folder that somebody sent would tell what the person has elsewhere."""
    other, sent = tmp_path / "other", tmp_path / "sent"
    tree(other, **{"private.txt": "", "new.txt": ""})
    git(other, "init")
    git(other, "add", "-A")
    tree(other, **{".git/info/exclude": "new.txt\n"})
    tree(sent, **{"new.txt": "", "a.log": "", ".gitignore": "*.log\n"})
    if how == "file":
        tree(sent, **{".git": f"gitdir: {other / '.git'}\n"})
    elif how == "link":
        (sent / ".git").symlink_to(other / ".git")
    else:
        git(sent, "init")
        tree(sent, **{".git/index": "", ".git/commondir": f"{other / '.git'}\n"})
    if how == "index":
        (sent / ".git/commondir").unlink()
        (sent / ".git/index").unlink()
        (sent / ".git/index").symlink_to(other / ".git/index")
    assert index(sent).at_once(lambda: False) is None
    assert files(whole(sent)) == {"new.txt", ".gitignore"}
    assert files(whole(other)) == {"private.txt", "new.txt"}


def test_a_second_work_tree_and_a_submodule_have_their_index(tmp_path: Path) -> None:
    main, outer = tmp_path / "main", tmp_path / "outer"
    tree(main, a="")
    git(main, "init")
    git(main, "add", "-A")
    git(main, "commit", "-m", "x")
    git(main, "worktree", "add", "-q", str(tmp_path / "second"))
    outer.mkdir()
    git(outer, "init")
    git(outer, "submodule", "add", "-q", str(main), "sub")
    for start in (tmp_path / "second", outer / "sub"):
        at_once = index(start).at_once(lambda: False)
        assert at_once is not None and at_once.paths == ["a"]
