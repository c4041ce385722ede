"""The files of which git keeps nothing: all where there is no repository, and those that it
ignores. What programs make again, repositories within and what is named like a secret are passed
over: of a secret no copy is made."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from agent_tui.safety.folder_walk import open_listed
from agent_tui.safety.protected_names import find_secrets
from agent_tui.safety.work_tree import GENERATED

MOST: Final = 5_000
"""Files that are listed; those nearest to the top come first."""
LARGEST: Final = 1_000_000
"""Bytes of one of which a copy is kept."""
MOST_KEPT: Final = 50_000_000
"""Bytes of all of them."""
SECONDS: Final = 1.0
"""So long a listing takes, and so long the copies."""

Key = tuple[int, ...]


def key_of(about: os.stat_result) -> Key:
    """What tells a file apart from what it was before: no program can set the last of these
    times."""
    return (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


@dataclass(slots=True)
class Listing:
    """Files and links by their real paths; `passed`: what is there beside them, of which nothing is
    known, folders too; `closed`: those of them that cannot be looked into; `is_whole`: no limit
    was reached."""

    files: dict[Path, Key] = field(default_factory=dict)
    passed: set[Path] = field(default_factory=set)
    is_whole: bool = True
    closed: list[Path] = field(default_factory=list)

    def knows(self, path: Path) -> bool:
        """Whether it would have been listed, had it been there."""
        return self.passed.isdisjoint((path, *path.parents))


def list_files(top: Path, starts: Iterable[Path], own: Collection[Path]) -> Listing:
    """The files below `starts` (real paths of folders and files in the folder `top`), at most
    `MOST`; nothing in the folders `own`. Follows no link. Costs a look at each folder and file:
    not for the loop."""
    walk = _Walk(top, frozenset(own))
    walk.run(deque(starts))
    return walk.listing


class _Walk:
    """Goes down level by level, so that a limit keeps what is near the top."""

    def __init__(self, top: Path, own: frozenset[Path]) -> None:
        self.listing = Listing()
        self._top, self._own = top, own
        self._secrets: set[int] = set()
        """The numbers of files that are named like secrets: another name makes them no others."""

    def run(self, todo: deque[Path]) -> None:
        listing, ends = self.listing, time.monotonic() + SECONDS
        while todo and time.monotonic() < ends:
            path = todo.popleft()
            try:
                todo.extend(self._enter(path) if self._may_enter(path) else ())
            except OSError as error:  # it is gone, or closed
                listing.passed.add(path)
                if isinstance(error, PermissionError):
                    listing.closed.append(path)
        listing.passed.update(todo)
        listing.is_whole &= not todo
        for path in [path for path, key in listing.files.items() if key[0] in self._secrets]:
            listing.passed.add(path)
            del listing.files[path]

    def _may_enter(self, path: Path) -> bool:
        if path not in self._own and GENERATED.isdisjoint(path.parts[len(self._top.parts) :]):
            return True
        self.listing.passed.add(path)
        return False

    def _enter(self, path: Path) -> list[Path]:
        """Take what is in a folder, or a file; returns the folders in it. Raises OSError."""
        try:
            descriptor = open_listed(str(path))
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            self._take(path.parent, {path.name: path.lstat()})
            return []
        try:
            with os.scandir(descriptor) as found:
                entries = sorted(found, key=lambda entry: entry.name)
            if any(entry.name == ".git" for entry in entries) and path != self._top:
                self.listing.passed.add(path)  # a repository of its own
                return []
            below = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
            rest = [one for one in entries if not one.is_dir(follow_symlinks=False)]
            if len(self.listing.files) + len(rest) > MOST:
                self.listing.passed.add(path)
                self.listing.is_whole = False
                return []
            self._take(path, {one.name: one.stat(follow_symlinks=False) for one in rest})
        finally:
            os.close(descriptor)
        return [path / name for name in below if name != ".git"]

    def _take(self, folder: Path, files: Mapping[str, os.stat_result]) -> None:
        listing = self.listing
        named = find_secrets(folder.parts, [*files])
        for name, about in files.items():
            path = folder / name
            if name in named:
                self._secrets.add(about.st_ino)
            if name in named or len(listing.files) >= MOST:
                listing.passed.add(path)
                listing.is_whole &= name in named
            elif stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode):
                listing.files[path] = key_of(about)
