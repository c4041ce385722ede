"""Temporary folders that nobody else may look into, and that do not outlive the program for long:
what a killed run has left, the next one removes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Final

PREFIX: Final = "agent-tui-run-"
FRESH_SECONDS: Final = 60.0
"""A folder that is younger may be one that its program has not locked yet."""


class PrivateFolder:
    """A new folder in `place` (empty: where temporary files are), until it is cleaned up. The
    system ends the lock on it with the program, however that ends. Raises OSError."""

    def __init__(self, place: str = "") -> None:
        parent = place or tempfile.gettempdir()
        remove_dead(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def cleanup(self) -> None:
        """Remove it, with all that is in it."""
        if self._fd >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.cleanup()


@cache
def remove_dead(parent: str) -> None:
    """Remove the folders of the same person whose program is gone: once in a run."""
    with os.scandir(parent) as found:
        paths = [entry.path for entry in found if entry.name.startswith(PREFIX)]
    for path in paths:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # another person's, or gone by now
            continue
        try:
            if _is_dead(fd):
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(fd)


def _is_dead(fd: int) -> bool:
    about = os.fstat(fd)
    if about.st_uid != os.getuid() or time.time() - about.st_mtime < FRESH_SECONDS:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # its program runs, or the system cannot say
        return False
    return True
