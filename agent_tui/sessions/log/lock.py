"""One writer for one session: a lock that the system itself drops when the program ends, however it
ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from pathlib import Path
from typing import Final

SUFFIX: Final = ".lock"
PATIENCE: Final = 0.4
"""Seconds that a held lock is tried again."""


class SessionLocked(Exception):
    """Another program has the session open. The message says which."""


class Lock:
    """`flock` on a file that is there only while the lock is held."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = -1

    def take(self) -> None:
        """Raises SessionLocked, or OSError where no lock can be had. Taking a lock that is held
        does nothing.

        A program that was killed while it started a command can seem to hold the lock for a moment
        longer (the fork has its descriptors until it becomes the command), so a held lock is tried
        for a little while.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._take()
                return
            except SessionLocked:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _take(self) -> None:
        while self._fd < 0:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                os.close(fd)
                raise OSError(errno.EINVAL, "its lock is not a regular file", str(self.path))
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not is_file_of(
                    fd, self.path
                ):  # the one before us removed the file between our open and our lock
                    os.close(fd)
                    continue
            except OSError as error:
                holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
                os.close(fd)
                if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN):
                    by = f" (process {holder})" if holder else ""
                    raise SessionLocked(
                        f"session {self.path.stem} is open in another program{by}"
                    ) from None
                raise
            with contextlib.suppress(
                OSError
            ):  # the number is only for words, and a full disk is no reason to refuse
                os.ftruncate(fd, 0)
                os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
            self._fd = fd

    def renew(self) -> None:
        """Take the lock again where its file was removed under us. Raises as `take` does."""
        if self._fd >= 0 and not is_file_of(self._fd, self.path):
            os.close(self._fd)
            self._fd = -1
        self.take()

    def release(self) -> None:
        if self._fd < 0:
            return
        with contextlib.suppress(
            OSError
        ):  # it cannot be removed any more: the lock is what ends with the descriptor
            if is_file_of(
                self._fd, self.path
            ):  # somebody may have removed ours, and another program made its own
                self.path.unlink()
        os.close(self._fd)
        self._fd = -1


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock, not even a program that left its file behind. Nothing is
    written or removed; a shared lock is had for a moment, for which `take` has patience. A lock
    that cannot be looked at counts as held."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def held_sessions(folder: Path) -> frozenset[str]:
    """The sessions of `folder` that a program has open, this one too."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(SUFFIX)]
    except OSError:
        return frozenset()
    return frozenset(name.removesuffix(SUFFIX) for name in names if not is_free(folder / name))


def is_file_of(fd: int, path: Path) -> bool:
    """Whether `path` still names the open file, and is no link. Raises OSError where that cannot be
    told."""
    try:
        there = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(fd))
