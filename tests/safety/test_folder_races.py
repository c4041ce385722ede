"""Folders that become links while they are looked at: nothing outside is read, kept, or linked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.safety import folder_walk
from agent_tui.safety.sandbox import object_store
from agent_tui.safety.sandbox.git_history import take_state as take_history
from agent_tui.safety.sandbox.git_objects import PackIndex
from agent_tui.safety.sandbox.object_store import ObjectStore, list_objects
from agent_tui.safety.sandbox.protected_state import read_file, take_state
from tests.safety.test_git_history import root as root
from tests.safety.test_git_history import shell

SECRET = b"outside"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "outside"
    folder.mkdir()
    (folder / "id_rsa").write_bytes(SECRET)
    return folder


def swap(folder: Path, outside: Path) -> None:
    folder.rename(f"{folder}.was")
    folder.symlink_to(outside)


@pytest.fixture
def swap_listed(monkeypatch: pytest.MonkeyPatch, outside: Path) -> Callable[[Path], None]:
    """A folder that becomes a link right after it was listed."""
    plain = folder_walk._list

    def arm(folder: Path) -> None:
        which = folder.stat().st_ino

        def listed(descriptor: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
            found = plain(descriptor)
            if os.fstat(descriptor).st_ino == which and not folder.is_symlink():
                swap(folder, outside)
            return found

        monkeypatch.setattr(folder_walk, "_list", listed)

    return arm


@pytest.mark.parametrize("place", ["refs/zz", "logs/zz", "refs/zz/below"])
def test_small_files_of_git(
    root: Path, swap_listed: Callable[[Path], None], outside: Path, place: str
) -> None:
    git = root / ".git"
    (git / place).mkdir(parents=True)
    (git / place / "id_rsa").write_text("inside")
    swap_listed(git / place.removesuffix("/below"))
    (outside / "below").symlink_to(".")
    state = take_history(str(git), {}, {})
    found = [was.content for path, was in state.files.items() if path.endswith("id_rsa")]
    assert found == [b"inside"] and SECRET not in {was.content for was in state.files.values()}
    assert (git / place.removesuffix("/below")).is_symlink()


def test_work_trees(root: Path, outside: Path) -> None:
    (outside / "gitdir").write_bytes(SECRET)
    (root / ".git/worktrees").mkdir()
    (root / ".git/worktrees/zz").symlink_to(outside)
    state = take_history(str(root / ".git"), {}, {})
    assert not state.trees and SECRET not in {was.content for was in state.files.values()}


def test_protected_folders(root: Path, swap_listed: Callable[[Path], None]) -> None:
    place = root / ".vscode"
    place.mkdir()
    (place / "id_rsa").write_text("inside")
    swap_listed(place)
    state = take_state((root,))
    assert [was.content for was in state.files.values()].count(SECRET) == 0
    assert state.files[f"{place}/id_rsa"].content == b"inside" and place.is_symlink()
    assert f"{place}/id_rsa" in state.changed().paths


def test_single_files(root: Path, outside: Path) -> None:
    place = root / "sub" / "deep"
    place.mkdir(parents=True)
    (place / "id_rsa").write_text("inside")
    assert read_file(f"{place}/id_rsa", 100) is not None
    assert read_file(f"{place}/id_rsa", 5) is None
    swap(root / "sub", outside)
    (outside / "deep").symlink_to(".")
    assert read_file(f"{place}/id_rsa", 100) is None


@pytest.mark.parametrize("small", [0, 100_000])
def test_objects(root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(object_store, "SMALL", small)
    objects, store = root / ".git/objects", ObjectStore(root.parent / "store")
    now = list_objects(str(objects), {})
    name = min(now.loose)
    swap(objects / name[:2], outside)
    (outside / name[3:]).write_bytes(SECRET)
    swap(objects / "pack", outside)
    for pack in now.packs:
        (outside / pack.removeprefix("pack/")).write_bytes(SECRET)
    store.keep(str(objects), now)
    kept = [path.read_bytes() for path in (root.parent / "store").rglob("*") if path.is_file()]
    assert kept and SECRET not in kept
    assert list_objects(str(objects), {}).loose == {one for one in now.loose if one[:2] != name[:2]}


def test_another_file_than_the_one_that_was_opened_is_not_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "SMALL", 0)
    link, pack = os.link, root / ".git/objects/pack"
    [name] = [path.name for path in pack.glob("*.pack")]
    whole = (pack / name).read_bytes()

    def late(source: str, to: str, **more: int) -> None:
        if source == name:
            (pack / name).unlink()
            (pack / name).write_bytes(SECRET)
        link(source, to, **more)

    monkeypatch.setattr(object_store.os, "link", late)
    objects = root / ".git/objects"
    ObjectStore(root.parent / "store").keep(str(objects), list_objects(str(objects), {}))
    assert (pack / name).read_bytes() == SECRET
    assert (root.parent / "store/pack" / name).read_bytes() == whole


def test_indexes_of_packs(root: Path, outside: Path) -> None:
    [index] = (root / ".git/objects/pack").glob("*.idx")
    assert PackIndex(str(index)).count > 0
    (outside / index.name).write_bytes(index.read_bytes())
    swap(index.parent, outside)
    assert PackIndex(str(index)).count == 0


def test_a_repository_whose_objects_are_a_link_holds_none(root: Path) -> None:
    shell(root, "mv .git/objects ../objects; ln -s ../../objects .git/objects")
    assert not list_objects(f"{root}/.git/objects", {}).names
