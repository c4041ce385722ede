"""Folders and files that only their owner may read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_PIECE: Final = 1 << 20


def make_folder(folder: Path) -> None:
    """Make `folder`, and what is missing above it, for the owner alone; an open one of ours is closed to others.

    Raises OSError.
    """
    if not folder.is_dir():
        if not folder.parent.is_dir():
            make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
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


def copy_stretch(source: int, start: int, stop: int, target: int) -> None:
    """Copy these bytes of `source` to the end of the new file `target`, a piece at a time. Zeros become a hole: what a
    crash left of a file may be a gigabyte of them, and the disk full. Raises OSError."""
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
