"""The names beside a file while another takes its place, and what a kill left under them.

`.NAME.<12 hex digits>.tmp` is content on its way, of which nobody misses half. `.NAME.<12 hex digits>.was` is what was
there until now: whoever put it aside says whether it is kept elsewhere.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets as random_names
import stat
import time
from pathlib import Path
from typing import Final, Literal

AGE: Final = 3_600.0
"""Seconds after which nobody writes at a file any more."""
MOST: Final = 5_000
"""Names of a folder that are looked at: it is done with each write."""
_NAME: Final = 80


def cut(name: str, most: int) -> str:
    """The beginning of `name` that takes at most `most` bytes: a name may have 255, and characters up to four."""
    return name if len(os.fsencode(name)) <= most else os.fsencode(name)[:most].decode("utf-8", "ignore")


def beside(name: str, end: Literal["tmp", "was"]) -> str:
    """A new name of ours for what lies beside the file `name`."""
    return f".{cut(name, _NAME)}.{random_names.token_hex(6)}.{end}"


def sweep(folder: int, name: str) -> None:
    """Remove the content that a kill left on its way to the file `name`, in the folder with this descriptor."""
    pattern, now = _pattern(name, "tmp"), time.time()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:  # it matters less than what was just written
        for entry in itertools.islice(entries, MOST):
            if not pattern.fullmatch(entry.name):
                continue
            about = entry.stat(follow_symlinks=False)
            fresh = now - max(about.st_mtime, about.st_ctime) < AGE  # a rename changes only the latter
            if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and not fresh:
                os.unlink(entry.name, dir_fd=folder)


def put_aside(real: Path) -> list[Path]:
    """What was put aside from the place of the file `real` and is still there."""
    pattern = _pattern(real.name, "was")
    try:
        return [path for path in sorted(real.parent.iterdir()) if pattern.fullmatch(path.name)]
    except OSError:
        return []  # no such folder any more: then there is nothing in it


def _pattern(name: str, end: str) -> re.Pattern[str]:
    return re.compile(rf"\.{re.escape(cut(name, _NAME))}\.[0-9a-f]{{12}}\.{end}")
