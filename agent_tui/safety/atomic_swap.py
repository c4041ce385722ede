"""The names beside a file while another takes its place, and what a kill left under them.

`.NAME.<12 hex digits>.tmp` is content on its way, of which nobody misses half. `.NAME.<12 hex
digits>.was` is what was
there until now: whoever put it aside says whether it is kept elsewhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import itertools
import os
import re
import secrets as random_names
import stat
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from agent_tui.structures import late

AGE: Final = 3_600.0
"""Seconds after which nobody writes at a file any more."""
MOST: Final = 5_000
"""Names of a folder that are looked at: it is done with each write."""
_NAME: Final = 80
_OURS: Final = late.pattern(r"\..*\.[0-9a-f]{12}\.(?:tmp|was)", re.DOTALL)


def cut_name(name: str, most: int) -> str:
    """The beginning of `name` that takes at most `most` bytes: a name may have 255, and characters
    up to four."""
    return (
        name
        if len(os.fsencode(name)) <= most
        else os.fsencode(name)[:most].decode("utf-8", "ignore")
    )


def new_token() -> str:
    """What tells one of our names beside a file from all others."""
    return random_names.token_hex(6)


def name_beside(name: str, end: Literal["tmp", "was"], token: str = "") -> str:
    """A name of ours for what lies beside the file `name`: that with `token`, or a new one."""
    return f".{cut_name(name, _NAME)}.{token or new_token()}.{end}"


def sweep(folder: int, name: str) -> None:
    """Remove the content that a kill left on its way to the file `name`, in the folder with this
    descriptor."""
    pattern, now = _pattern(name, "tmp"), time.time()
    with (
        contextlib.suppress(OSError),
        os.scandir(folder) as entries,
    ):  # it matters less than what was just written
        for entry in itertools.islice(entries, MOST):
            if not pattern.fullmatch(entry.name):
                continue
            about = entry.stat(follow_symlinks=False)
            fresh = (
                now - max(about.st_mtime, about.st_ctime) < AGE
            )  # a rename changes only the latter
            if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and not fresh:
                os.unlink(entry.name, dir_fd=folder)


class Leftovers:
    """What lies under names of ours. Each folder is read once, however many files of it are asked
    for."""

    def __init__(self) -> None:
        self._names: dict[Path, list[str]] = {}

    def find(self, real: Path, end: Literal["tmp", "was"]) -> list[Path]:
        """What still lies under a name of ours beside the file `real`."""
        folder = real.parent
        if folder not in self._names:
            try:
                names = os.listdir(folder)  # noqa: PTH208 - names, not paths
            except OSError:
                names = []  # no such folder any more: then there is nothing in it
            self._names[folder] = sorted(name for name in names if _OURS.fullmatch(name))
        if not self._names[folder]:
            return []
        pattern = _pattern(real.name, end)
        found = [folder / name for name in self._names[folder] if pattern.fullmatch(name)]
        return [path for path in found if os.path.lexists(path)]


def _pattern(name: str, end: str) -> re.Pattern[str]:
    return re.compile(rf"\.{re.escape(cut_name(name, _NAME))}\.[0-9a-f]{{12}}\.{end}")


_EXCHANGE: Final = 2
"""RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""
_FREE: Final = 4 if sys.platform == "darwin" else 1
"""RENAME_EXCL of macOS, RENAME_NOREPLACE of Linux."""


@cache
def _renameat2() -> Any:
    """The system's call, of Linux or macOS; None where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    return getattr(library, "renameat2", None) or getattr(library, "renameatx_np", None)


def exchange(folder: int, one: str, other: str) -> bool:
    """Exchange two names in the folder with this descriptor. False: the system or the disk cannot,
    nothing was done."""
    call = _renameat2()
    return (
        call is not None
        and call(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0
    )


def rename_to_free(folder: int, name: str, other: int, new: str) -> None:
    """Rename a file, from the folder with the one descriptor to that with the other, never over
    what is there. Raises FileExistsError, OSError."""
    call = _renameat2()
    if call is not None:
        if call(folder, os.fsencode(name), other, os.fsencode(new), _FREE) == 0:
            return
        error = ctypes.get_errno()
        if error not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise OSError(error, os.strerror(error), new)
    os.link(name, new, src_dir_fd=folder, dst_dir_fd=other, follow_symlinks=False)
    os.unlink(name, dir_fd=folder)
