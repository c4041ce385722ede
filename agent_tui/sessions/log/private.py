"""Folders and files that only their owner may read."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.structures import late

_PIECE: Final = 1 << 20
_UNFINISHED: Final = late.pattern(
    r"\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:part|(?:\d+|\d{8}T\d{6}-\d{9})\.new)"
)
"""The names of logs that are being made: copies, imports, repairs."""
_DAY: Final = 86_400.0


def make_folder(folder: Path) -> None:
    """Make `folder`, and what is missing above it, for the owner alone; an open one of ours is
    closed to others.

    Raises OSError.
    """
    make_private(folder)
    about = folder.stat()
    if about.st_mode & 0o077 and about.st_uid == os.geteuid():
        folder.chmod(0o700)


def sync_folder(folder: Path) -> None:
    """Make a new name in `folder` survive a power cut. Raises OSError."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def drop_unfinished(folder: Path) -> None:
    """Remove logs that a kill left half-made, a day ago or more: each is a part of another file,
    which is there."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if _UNFINISHED.fullmatch(entry.name):
            with contextlib.suppress(OSError):  # another program drops it at the same time
                about = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(about.st_mode) and time.time() - about.st_mtime > _DAY:
                    (folder / entry.name).unlink()


def copy_stretch(source: int, start: int, stop: int, target: int) -> None:
    """Copy these bytes of `source` to the end of the new file `target`, a piece at a time. Zeros
    become a hole: what a crash left of a file may be a gigabyte of them, and the disk full. Raises
    OSError."""
    size = os.fstat(target).st_size
    for at in range(start, stop, _PIECE):
        piece = os.pread(source, min(_PIECE, stop - at), at)
        if piece.count(0) < len(piece):
            os.lseek(target, size + at - start, os.SEEK_SET)
            write_all(target, piece)
    os.ftruncate(target, size + stop - start)
    os.lseek(target, 0, os.SEEK_END)


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`, however many writes that takes. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
