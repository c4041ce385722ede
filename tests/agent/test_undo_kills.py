"""kill -9 at single moments while a file is put back: what it was is where it belongs, and no copy stays beside it."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.agent import recovery, undo
from agent_tui.protocol.events import FilesRestored, Notice, RestoreStarted
from agent_tui.protocol.undo_events import RestoredFile

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import os, signal, sys
from pathlib import Path
from agent_tui.safety import exchange, paths
path, what, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
real = getattr(os, moment)
def killed(*given, **named):
    if moment == "rename":
        real(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, moment, killed)
if what == "remove":
    paths.remove(path, path.lstat())
else:
    paths.atomic_write(path, b"old", follow=False, expect=path.lstat())
"""


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest() if content else ""


def killed(path: Path, what: str, moment: str) -> None:
    argv = [sys.executable, "-c", CHILD, str(path), what, moment]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def restored(path: Path, before: bytes, after: bytes, mode: int = 0o644, was: int = 0o644) -> tuple[str, list[str]]:
    """What the next start says of the file, and more."""
    file = RestoredFile(str(path), sha(before), sha(after), mode, was)
    settled, _, *told = recovery.restored(RestoreStarted("r", "undo", (1,), (file,)))
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
    from agent_tui.agent.changes import Restoration
    from agent_tui.sessions.checkpoints import Blobs

    blobs, path = Blobs(tmp_path / "blobs"), tmp_path.resolve() / ("語" * 80)
    target = blobs.put(b"old")
    path.write_bytes(b"theirs")
    look = undo.look_at(Restoration(str(path), sha(b"new"), target), blobs, (path.parent,))
    file = undo.restore(look, "both", blobs)
    assert file.outcome == "beside" and Path(file.beside).read_bytes() == b"old" and path.read_bytes() == b"theirs"
    assert len(os.fsencode(Path(file.beside).name)) <= 255
