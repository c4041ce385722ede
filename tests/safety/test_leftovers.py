"""What a kill in the midst of a write leaves beside a file goes with the next one; nothing else
does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agent_tui.safety import atomic_swap, file_access

HEX = "0123456789ab"


def test_what_a_kill_left_goes_with_the_next_write_of_that_file_after_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path.resolve()
    ours = [f".note.txt.{HEX}.tmp", ".note.txt.ffffffffffff.tmp"]
    kept = [
        ".other.txt.0123456789ab.tmp",
        f".note.txt.{HEX}.was",
        f"note.txt.{HEX}.tmp",
        ".note.txt.0123.tmp",
        f".note.txt.{HEX.upper()}.tmp",
        f".note.txt.{HEX}.tmp.gz",
        f".noteXtxt.{HEX}.tmp",
    ]
    for name in (*ours, *kept):
        (work / name).write_text("half")
        os.utime(work / name, (1.0, 1.0))
    (work / ".note.txt.aaaaaaaaaaaa.tmp").symlink_to("note.txt")
    (work / ".note.txt.bbbbbbbbbbbb.tmp").mkdir()
    os.mkfifo(work / ".note.txt.cccccccccccc.tmp")
    before = {path.name for path in work.iterdir()}
    file_access.atomic_write(work / "note.txt", b"one")
    assert {path.name for path in work.iterdir()} == before | {"note.txt"}, (
        "somebody may be writing there"
    )
    later = time.time() + atomic_swap.AGE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    file_access.atomic_write(work / "note.txt", b"two")
    assert {path.name for path in work.iterdir()} == (before | {"note.txt"}) - {*ours}
    assert (work / "note.txt").read_bytes() == b"two"


@pytest.mark.parametrize("name", ["語" * 85, "🙂" * 63, "a" * 255, "ü" * 127, "new\nline"])
def test_every_name_that_a_file_may_have_can_be_written(tmp_path: Path, name: str) -> None:
    path = tmp_path.resolve() / name
    for word in (b"one", b"two"):
        file_access.atomic_write(path, word)
        assert path.read_bytes() == word and [one.name for one in path.parent.iterdir()] == [name]
    file_access.atomic_write(path, b"three", follow=False, expect=path.lstat())
    file_access.remove(path, path.lstat())
    assert list(path.parent.iterdir()) == []
