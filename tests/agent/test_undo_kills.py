"""kill -9 at single moments while a file is put back: what it was is where it belongs, and no copy
stays beside it."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_tui.agent.services import file_restore, restore_looks
from agent_tui.agent.session import recovery
from agent_tui.agent.session.changes import Restoration
from agent_tui.protocol.events import FilesRestored, Notice, RestoreStarted
from agent_tui.protocol.session_events import RestoredFile
from agent_tui.sessions.log.checkpoints import Blobs

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import os, signal, sys
from pathlib import Path
from agent_tui.safety import file_access
path, what, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
real = getattr(os, moment)
def killed(*given, **named):
    if moment == "rename":
        real(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, moment, killed)
if what == "remove":
    file_access.remove(path, path.lstat())
else:
    file_access.atomic_write(path, b"old", follow=False, expect=path.lstat())
"""


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest() if content else ""


def killed(path: Path, what: str, moment: str) -> None:
    argv = [sys.executable, "-c", CHILD, str(path), what, moment]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def restored(
    path: Path, before: bytes, after: bytes, mode: int = 0o644, was: int = 0o644
) -> tuple[str, list[str]]:
    """What the next start says of the file, and more."""
    file = RestoredFile(str(path), sha(before), sha(after), mode, was)
    blobs = Blobs(path.parent.parent / "blobs")
    settled, _, *told = recovery.settle_restore(RestoreStarted("r", "undo", (1,), (file,)), blobs)
    assert isinstance(settled, FilesRestored) and all(isinstance(one, Notice) for one in told)
    return settled.files[0].outcome, [one.text for one in told if isinstance(one, Notice)]


@pytest.mark.parametrize(("what", "after"), [("remove", b""), ("replace", b"old")])
@pytest.mark.parametrize("moment", ["rename", "unlink"])
def test_nothing_stays_beside_a_file_whose_restore_was_killed(
    tmp_path: Path, what: str, after: bytes, moment: str
) -> None:
    path = tmp_path.resolve() / "a\nb"
    path.write_bytes(b"new")
    killed(path, what, moment)
    assert len(list(path.parent.glob(".a*.was"))) == 1, "the moment that is meant"
    outcome, told = restored(path, b"new", after)
    now = path.read_bytes() if path.exists() else b""
    assert (outcome, now) in (("done", after), ("failed", b"new")) and told == []
    assert list(path.parent.iterdir()) == [path] * path.exists()


def test_content_on_its_way_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """Ours is what has our name, our owner, a time after the intent, and a part of what was to be
    written."""
    path, blobs = tmp_path.resolve() / "work" / "a", Blobs(tmp_path.resolve() / "blobs")
    path.parent.mkdir()
    path.write_bytes(b"new")
    file = RestoredFile(str(path), sha(b"new"), blobs.put(b"old"))
    begun = time.time()
    killed(path, "replace", "fsync")
    [part] = path.parent.glob(".a.*.tmp")
    half, beside = (
        part.with_name(".a.0123456789ab.tmp"),
        f".a.orig-{file.after[:8]}.0123456789ab.tmp",
    )
    half.write_bytes(b"ol")
    part.with_name(beside).write_bytes(b"")
    theirs = {
        ".a.00000000000a.tmp": b"mine",
        ".a.tmp": b"old",
        ".a.xyz.tmp": b"old",
        ".b.0123456789ab.tmp": b"old",
    }
    for name, content in theirs.items():
        (path.parent / name).write_bytes(content)
    recovery.settle_restore(RestoreStarted("r", "undo", (1,), (file,), at=begun + 60), blobs)
    assert part.exists() and half.exists(), "they were there before the restore began"
    recovery.settle_restore(RestoreStarted("r", "undo", (1,), (file,), at=begun), blobs)
    assert {one.name for one in path.parent.iterdir()} == {
        "a",
        *theirs,
    } and path.read_bytes() == b"new"


def test_what_another_program_wrote_at_that_moment_is_kept_and_named(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_bytes(b"new")
    killed(path, "remove", "rename")
    [aside] = path.parent.iterdir()
    aside.write_bytes(b"theirs")  # as if they had been faster than the rename
    _, [told] = restored(path, b"new", b"")
    assert str(aside) in told and aside.read_bytes() == b"theirs"


def test_a_mode_that_was_not_given_back_is_not_said_to_be(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_bytes(b"same")
    path.chmod(0o644)
    assert restored(path, b"same", b"same", 0o755, 0o644)[0] == "failed"
    path.chmod(0o755)
    assert restored(path, b"same", b"same", 0o755, 0o644)[0] == "done"
    assert restored(path, b"same", b"same", 0o755, 0o755)[0] == "same"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    path.unlink()
    assert restored(path, b"", b"", 0o644, 0)[0] == "same"


def test_the_old_content_can_be_put_beside_a_file_with_a_long_name(tmp_path: Path) -> None:
    blobs, path = Blobs(tmp_path / "blobs"), tmp_path.resolve() / ("語" * 80)
    target = blobs.put(b"old")
    path.write_bytes(b"theirs")
    look = restore_looks.look_at(Restoration(str(path), sha(b"new"), target), blobs, (path.parent,))
    file = file_restore.restore(look, "both", blobs)
    assert (
        file.outcome == "beside"
        and Path(file.beside).read_bytes() == b"old"
        and path.read_bytes() == b"theirs"
    )
    assert len(os.fsencode(Path(file.beside).name)) <= 255


def test_a_folder_is_read_once_however_many_files_are_put_back(tmp_path: Path) -> None:
    work = tmp_path.resolve() / "work"
    work.mkdir()
    for number in range(20):
        (work / str(number)).write_bytes(b"new")
    files = tuple(RestoredFile(str(path), sha(b"new"), sha(b"old")) for path in work.iterdir())
    read: list[str] = []
    sys.addaudithook(
        lambda name, given: (
            read.append(str(given[0])) if name in ("os.listdir", "os.scandir") else None
        )
    )
    recovery.settle_restore(RestoreStarted("r", "undo", (1,), files), Blobs(tmp_path / "blobs"))
    assert read.count(str(work)) == 1
