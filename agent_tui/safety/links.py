"""Symbolic links as such: what one says, and making one, in a folder that no other link diverts."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from agent_tui.safety import paths

KIND: Final = stat.S_IFLNK
"""The mode of a link in records, as git writes it: its content is where it points."""


def is_link(mode: int) -> bool:
    return stat.S_IFMT(mode) == KIND


def read(real: Path) -> tuple[bytes, os.stat_result]:
    """Where the link at a real path points, and its facts. Raises NotRegular (it is none), OSError."""
    with paths.folder_of(real) as folder:
        about = os.stat(real.name or ".", dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISLNK(about.st_mode):
            raise paths.NotRegular(f"{real} is no link")
        return os.fsencode(os.readlink(real.name, dir_fd=folder)), about


def make(real: Path, target: bytes) -> None:
    """A new link, never over what is there (FileExistsError). Raises OSError."""
    with paths.folder_of(real) as folder:
        os.symlink(os.fsdecode(target), real.name, dir_fd=folder)
        paths.sync(folder)
