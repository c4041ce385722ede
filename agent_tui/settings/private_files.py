"""Files of the person's that are written whole or not at all, one program at a time."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.regular_file import open_regular

PRIVATE: Final = 0o600


def content(path: Path, limit: int = -1) -> bytes:
    """What stands in the file, at most `limit` bytes; nothing where there is none. Raises
    OSError."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(limit)
    except FileNotFoundError:
        return b""


def change(path: Path, changed: Callable[[bytes], bytes]) -> None:
    """Write a file that is for its owner alone, from what stands in it. A link to it stays one.
    Raises OSError."""
    make_private(path.parent)
    target = Path(os.path.realpath(path))
    with alone(target.parent):
        replace(target, changed(content(target)), PRIVATE)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """While it holds, no other agent-tui changes a file in `folder`: else one of two changes would
    be lost."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (
                errno.ENOTSUP,
                errno.ENOSYS,
                errno.EINVAL,
                errno.EBADF,
                errno.ENOLCK,
            ):
                raise
        yield  # on a file system without locks, unguarded
    finally:
        os.close(handle)


def replace(path: Path, content: bytes, mode: int) -> None:
    """Write `path` whole or not at all. The person's file is for the person alone: it may hold
    keys."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
