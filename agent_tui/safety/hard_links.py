"""A file can have a second name that says nothing of what it holds: a hard link of `.env` called
`notes.txt`. The other names are looked for where they usually are: beside it, and in the folders
above it up to the session's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from agent_tui.safety import protected_names


def names_of(folder: Path, inode: int) -> list[str]:
    """The names in `folder` of the file with this number. Raises OSError."""
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries if entry.inode() == inode]


def secret_inodes(folder: Path) -> frozenset[int]:
    """The numbers of the files in `folder` that have the name of a secret; empty where it cannot be
    listed."""
    try:
        with os.scandir(folder) as entries:
            return frozenset(
                entry.inode()
                for entry in entries
                if protected_names.is_secret((*folder.parts[-1:], entry.name))
            )
    except OSError:
        return frozenset()


def is_secret(real: Path, roots: Iterable[Path]) -> bool:
    """Whether the file at a real path has the name of a secret besides: costs one look at the file,
    but for files with several names."""
    try:
        about = os.lstat(real)
    except (OSError, ValueError):
        return False
    if about.st_nlink < 2 or not stat.S_ISREG(about.st_mode):
        return False
    return any(about.st_ino in secret_inodes(folder) for folder in folders_above(real, roots))


def folders_above(real: Path, roots: Iterable[Path]) -> list[Path]:
    """The folder that `real` lies in, and those above it, up to the one of `roots` that holds it."""
    home = next((root for root in roots if real.is_relative_to(root)), real.parent)
    return [folder for folder in real.parents if folder.is_relative_to(home)]
