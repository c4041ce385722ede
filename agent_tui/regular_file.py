"""Opening a file that may be anything by now. Standard library only, and little of it: the first
frame needs it."""

from __future__ import annotations

import os
import stat


def open_regular(
    path: str | os.PathLike[str], flags: int = os.O_RDONLY, folder: int | None = None
) -> int:
    """A descriptor of the file, by its path from the open folder `folder`. A pipe, a device or a
    folder is refused at once: to open or read one may take for ever. Raises OSError."""
    flags |= os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "is not a regular file", os.fspath(path))
    return fd
