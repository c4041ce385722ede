"""The lock of a session where the disk is full or read-only, and where somebody removed its file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.sessions.index import manage
from agent_tui.sessions.log import copies
from agent_tui.sessions.log.lock import Lock, SessionLocked
from agent_tui.sessions.log.repair import Refused
from tests.disks import small_disk
from tests.sessions.logs import turn, write


def test_a_session_can_be_deleted_while_the_disk_is_full(tmp_path: Path) -> None:
    """That is when somebody wants to."""
    with small_disk(tmp_path / "disk") as disk:
        sessions = disk.folder / "sessions"
        path = write(sessions, "one", *turn(1, "hello"))
        with disk.full():
            manage.delete(sessions, "one")
        assert not path.exists() and list(sessions.iterdir()) == []


def test_a_lock_that_cannot_be_removed_any_more_is_let_go_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = Lock(tmp_path / "one.lock")
    lock.take()
    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", _read_only)
        lock.release()
    other = Lock(tmp_path / "one.lock")
    other.take()
    other.release()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_another_program_stays_where_ours_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "one.lock"
    ours, theirs = Lock(path), Lock(path)
    ours.take()
    path.unlink()  # somebody tidied up
    theirs.take()
    ours.release()
    with pytest.raises(SessionLocked):
        Lock(path).take()
    theirs.release()
    assert not path.exists()


def test_a_copy_on_a_disk_that_is_read_only_is_refused_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "one", *turn(1, "hello"), *turn(2, "more"))
    real = os.open

    def opened(path: str | Path, flags: int, *rest: int) -> int:
        return _read_only(Path(path)) if flags & os.O_CREAT else real(path, flags, *rest)

    monkeypatch.setattr(Path, "unlink", _read_only)
    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(Refused, match="the new log cannot be written: Read-only file system"):
        copies.trim(tmp_path, "one", 1)


def _read_only(path: Path, **_: bool) -> int:
    raise OSError(30, os.strerror(30), str(path))
