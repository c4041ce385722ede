"""The index of git, read without git: what git wrote, in each version, and what no git would write."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.safety.git_config import Repository, find_repository
from agent_tui.safety.git_index import BadIndex, Stopped, parse_index, read_tracked

NAMES = (
    "a",
    "b c.txt",
    "src/app.py",
    "src/app_test.py",
    "src/deep/er/x",
    "zz/ünï.txt",
    *(f"n/{n}" for n in range(90)),
)


def git(folder: Path, *arguments: str) -> str:
    command = [
        "git",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
        *arguments,
    ]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def repo(folder: Path, *options: str, names: Sequence[str] = NAMES) -> Repository:
    git(folder, "init", *options)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    git(folder, "add", "-A")
    found = find_repository(folder)
    assert found is not None
    return found


def read(where: Repository) -> list[str]:
    return read_tracked(where, lambda: False)


def listed(folder: Path) -> list[str]:
    return git(folder, "ls-files", "-z").split("\0")[:-1]


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_every_version_lists_what_git_lists(tmp_path: Path, version: int, format: str) -> None:
    where = repo(tmp_path, f"--object-format={format}")
    (tmp_path / "later").write_text("")
    git(
        tmp_path, "add", "--intent-to-add", "later"
    )  # an extended flag, which version 2 cannot hold
    git(tmp_path, "update-index", "--index-version", str(version))
    assert (tmp_path / ".git/index").read_bytes()[7] == max(version, 3)
    assert read(where) == listed(tmp_path) == sorted((*NAMES, "later"), key=str.encode)


def test_a_conflict_is_one_file_and_a_submodule_a_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    repo(inner, names=("x",))
    git(inner, "commit", "-m", "x")
    outer = tmp_path / "outer"
    outer.mkdir()
    where = repo(outer, names=("f",))
    git(outer, "submodule", "add", str(inner), "sub")
    git(outer, "commit", "-m", "1")
    git(outer, "checkout", "-b", "side")
    (outer / "f").write_text("side")
    git(outer, "commit", "-am", "2")
    git(outer, "checkout", "main")
    (outer / "f").write_text("main")
    git(outer, "commit", "-am", "3")
    subprocess.run(["git", "merge", "side"], cwd=outer, capture_output=True, check=False)
    assert git(outer, "ls-files", "-u").count("\tf") == 3
    assert read(where) == [".gitmodules", "f", "sub/"]
    own = find_repository(outer / "sub")
    assert own is not None and own.top == outer / "sub"
    assert read(own) == ["x"]


def test_a_second_work_tree_has_an_index_of_its_own(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    repo(first, names=("a", "b"))
    git(first, "commit", "-m", "1")
    git(first, "worktree", "add", "../second")
    git(second, "rm", "-q", "a")
    where = find_repository(second)
    assert where is not None
    assert read(where) == ["b"]
    assert where.common.resolve() == first / ".git"


def test_a_split_index_is_left_alone(tmp_path: Path) -> None:
    where = repo(tmp_path)
    git(tmp_path, "update-index", "--split-index")
    with pytest.raises(BadIndex, match="split"):
        read(where)


def test_a_sparse_index_names_folders(tmp_path: Path) -> None:
    where = repo(tmp_path)
    git(tmp_path, "commit", "-m", "1")
    git(tmp_path, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(tmp_path, "sparse-checkout", "set", "src")
    assert read(where) == [
        "a",
        "b c.txt",
        "n/",
        "src/app.py",
        "src/app_test.py",
        "src/deep/er/x",
        "zz/",
    ]


def test_without_an_index_nothing_is_tracked(tmp_path: Path) -> None:
    git(tmp_path, "init")
    where = find_repository(tmp_path)
    assert where is not None and read(where) == []
    assert find_repository(tmp_path / ".git" / "refs") == where
    (tmp_path / ".git/index").mkdir()
    with pytest.raises(BadIndex):
        read(where)


def test_a_folder_that_only_looks_like_a_repository_is_none(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text("nonsense")
    assert find_repository(tmp_path / "sub") is None


def entry(name: bytes, mode: int = 0o100644, flags: int = 0) -> bytes:
    fixed = (
        bytes(24)
        + mode.to_bytes(4, "big")
        + bytes(12 + 20)
        + (flags | min(len(name), 0xFFF)).to_bytes(2, "big")
    )
    return (fixed + name).ljust((len(fixed) + len(name) + 8) // 8 * 8, b"\0")


def index(*names: bytes, version: int = 2, count: int = -1, more: bytes = b"") -> bytes:
    size = len(names) if count < 0 else count
    body = (
        b"DIRC"
        + version.to_bytes(4, "big")
        + size.to_bytes(4, "big")
        + b"".join(map(entry, names))
        + more
    )
    return body + hashlib.sha1(body).digest()


def test_long_names_and_unknown_extensions() -> None:
    long = b"x" * 5_000
    found = parse_index(index(b"a", long, b"b", more=b"FSMN\0\0\0\4abcd" + b"ZZZZ\0\0\0\0"))
    assert [*found] == ["a", long.decode(), "b"]
    assert [*parse_index(index(b"\xff"))] == ["\udcff"]
    assert parse_index(index()) == {}


def test_an_index_without_a_checksum_is_one_too() -> None:
    assert [*parse_index(index(b"a")[:-20] + bytes(20))] == ["a"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not an index"),
        (b"DIRC", "not an index"),
        (index(b"a", version=5), "version 5"),
        (index(b"a", count=2_000_000), "cut off"),
        (index(b"a", b"b", b"c")[:-40], "cut off|checksum"),
        (index(b"a")[:-1] + b"\0", "checksum"),
        (
            index(
                b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                version=4,
            ),
            "damaged|cut",
        ),
    ],
)
def test_damage_is_said(data: bytes, said: str) -> None:
    with pytest.raises(BadIndex, match=said):
        parse_index(data)


@given(st.binary(max_size=300), st.sampled_from([2, 3, 4]), st.integers(0, 3))
def test_no_bytes_do_more_harm_than_that(junk: bytes, version: int, count: int) -> None:
    body = b"DIRC" + version.to_bytes(4, "big") + count.to_bytes(4, "big") + junk
    try:
        assert len(parse_index(body + hashlib.sha1(body).digest())) <= max(count, 1)
    except BadIndex as error:
        assert "\n" not in str(error)


def test_a_large_index_is_given_up_when_nobody_waits() -> None:
    data = index(*(b"%d" % number for number in range(10_000)))
    with pytest.raises(Stopped):
        parse_index(data, stopped=lambda: True)
