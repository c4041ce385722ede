"""Which places are this program's own: its folders, and what links in them lead to. What is written
there is obeyed by it, or is its record."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

OWN: Final = "belongs to agent-tui itself"
"""Why writing to one asks."""
KEYS: Final = "credentials.toml"
"""In the config folder."""
_MOST_FOLDERS: Final = 500
"""In which links are looked for, the nearest first."""
_RECORDS: Final = frozenset(
    {"blobs", "cache", "logs", "maps", "outputs", "repositories", "sessions"}
)
"""Folders of many files, which nobody keeps elsewhere one by one."""


def is_own(real: Path, own: Sequence[Path]) -> bool:
    """Whether a real path lies in one of the folders `own`, holds one, or is reached by a link in
    one, as people link to a folder where they keep all their settings."""
    for folder in map(_real, dict.fromkeys(own)):
        if real.is_relative_to(folder) or folder.is_relative_to(real):
            return True
    return any(real.is_relative_to(target) for target in _linked(own))


def holds_keys(real: Path, own: Sequence[Path]) -> bool:
    """Whether it is the file with the stored keys, whatever it is called."""
    return any(real == _real(folder / KEYS) for folder in own)


def _linked(own: Sequence[Path]) -> Iterator[Path]:
    """Where the links in the folders `own` lead to."""
    todo = [str(_real(folder)) for folder in own]
    for at in todo:
        try:
            with os.scandir(at) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        yield _real(Path(entry.path))
                    elif len(todo) < _MOST_FOLDERS and entry.is_dir(follow_symlinks=False):
                        todo += [] if entry.name in _RECORDS else [entry.path]
        except OSError:
            continue  # it is not there, or not ours to look at


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
