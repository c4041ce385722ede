"""Contents by their hash: kept whole, kept once, kept private, and never handed out damaged."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.sessions.log.checkpoints import Blobs
from tests.campaigns import examples


@settings(deadline=None, max_examples=examples(20))
@given(content=st.binary(max_size=2_000))
def test_what_was_put_is_got(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    blobs = Blobs(tmp_path_factory.mktemp("data") / "blobs")
    sha = blobs.put(content)
    assert sha == hashlib.sha256(content).hexdigest()
    assert blobs.put(content) == sha
    assert blobs.get(sha) == content
    assert [entry.name for entry in blobs.folder.iterdir()] == [sha]
    assert stat.S_IMODE((blobs.folder / sha).stat().st_mode) == 0o600
    assert stat.S_IMODE(blobs.folder.stat().st_mode) == 0o700


def test_damage_is_found_and_mended_by_the_next_put(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha = blobs.put(b"content")
    (tmp_path / sha).write_bytes(b"contemt")
    with pytest.raises(ValueError, match="damaged"):
        blobs.get(sha)
    blobs.put(b"content")
    assert blobs.get(sha) == b"content"


@pytest.mark.parametrize("name", ["", "../secret", "0" * 63, "A" * 64, "g" * 64])
def test_only_hashes_are_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256"):
        Blobs(tmp_path).get(name)


def test_what_was_never_put(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Blobs(tmp_path).get("0" * 64)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        Blobs(tmp_path / "file" / "blobs").put(b"content")


def test_the_old_and_the_too_many_go_but_nothing_of_today(tmp_path: Path) -> None:
    blobs, now = Blobs(tmp_path / "blobs"), time.time()
    ages = {
        0.5: b"today",
        2: b"young" * 10,
        10: b"middle" * 10,
        40: b"old",
        50: b"ancient, but touched",
    }
    shas = {days: blobs.put(content) for days, content in ages.items()}
    for days, sha in shas.items():
        os.utime(blobs.folder / sha, (now - days * 86_400,) * 2)
    part = blobs.folder / f".{shas[2]}.12.abcd"
    part.write_bytes(b"half")
    os.utime(part, (now - 3 * 86_400,) * 2)
    foreign = blobs.folder / "notes.txt"
    foreign.write_text("mine")
    os.utime(foreign, (now - 99 * 86_400,) * 2)
    blobs.touch([shas[50], "0" * 64])
    assert blobs.prune(80, 30, now) == (3, len(b"old" + b"half" + b"middle" * 10))
    kept = {entry.name for entry in blobs.folder.iterdir()}
    assert kept == {shas[0.5], shas[2], shas[50], "notes.txt"}
    assert blobs.prune(0, 0, now) == (0, 0)
    assert Blobs(tmp_path / "none").prune(1, 1, now) == (0, 0)


@pytest.mark.parametrize("what", ["pipe", "folder", "link", "gigabyte", "damage"])
def test_what_lies_in_the_place_of_a_content_holds_nobody_up(tmp_path: Path, what: str) -> None:
    """Reading says that it is lost; keeping the content again puts it right, wherever that needs no
    deleting."""
    blobs = Blobs(tmp_path / "blobs")
    sha = blobs.put(b"before")
    path, aim = tmp_path / "blobs" / sha, tmp_path / "aim"
    path.unlink()
    aim.write_bytes(b"mine")
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(aim)
        case "gigabyte":
            path.touch()
            os.truncate(path, 1 << 30)
        case _:
            path.write_bytes(b"mine!!")
    with pytest.raises((OSError, ValueError)):
        blobs.get(sha)
    if what == "folder":
        with pytest.raises(OSError):
            blobs.put(b"before")
    else:
        assert blobs.put(b"before") == sha and blobs.get(sha) == b"before"
    assert aim.read_bytes() == b"mine"
    assert [one.name for one in (tmp_path / "blobs").iterdir()] == [sha]


def test_what_a_kill_left_of_contents_put_aside_goes_after_a_day(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    old, new = blobs.aside("old"), blobs.aside("new")
    kept = new.put(b"wanted")
    old.put(b"not wanted")
    os.utime(old.folder, (1.0, 1.0))
    blobs.prune(0, 0, new.folder.stat().st_mtime + 1)
    assert not old.folder.exists()
    blobs.keep_from(new, [kept, "0" * 64])
    new.clear()
    assert blobs.get(kept) == b"wanted" and not new.folder.exists()
