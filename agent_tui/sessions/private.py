"""Folders and files that only their owner may read."""

from __future__ import annotations

import os
from pathlib import Path


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


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`, however many writes that takes. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
