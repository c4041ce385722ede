"""A file can have a second name that says nothing of what it holds: a hard link of `.env` called
`notes.txt`. The other names are looked for beside it, in the folders above it up to the session's,
and in all folders of the session, as far as there is time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent_tui.safety import protected_names, secret_names


def names_of(folder: Path, inode: int) -> list[str]:
    """The names in `folder` of the file with this number. Raises OSError."""
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries if entry.inode() == inode]


def secret_inodes(folder: Path) -> frozenset[int]:
    """The numbers of the files in `folder` that have the name of a secret; empty where it cannot be
    listed."""
    try:
        with os.scandir(folder) as entries:
            numbers = {entry.name: entry.inode() for entry in entries}
    except OSError:
        return frozenset()
    secrets = protected_names.find_secrets(folder.parts, [*numbers])
    return frozenset(numbers[name] for name in secrets)


def is_secret(real: Path, roots: Sequence[Path]) -> bool:
    """Whether the file at a real path has the name of a secret besides: costs one look at the file,
    but for files with several names."""
    try:
        about = os.lstat(real)
    except (OSError, ValueError):
        return False
    if about.st_nlink < 2 or not stat.S_ISREG(about.st_mode):
        return False
    near = (secret_inodes(folder) for folder in folders_above(real, roots))
    return any(about.st_ino in numbers for numbers in near) or (
        about.st_ino in secret_names.linked_inodes(roots)
    )


def folders_above(real: Path, roots: Iterable[Path]) -> list[Path]:
    """The folder that `real` lies in, and those above it, up to the one of `roots` that holds
    it."""
    home = next((root for root in roots if real.is_relative_to(root)), real.parent)
    return [folder for folder in real.parents if folder.is_relative_to(home)]
