"""Goes through the files under a folder in a stable order, as `.gitignore` allows.

Every folder is opened by its name in the open folder above it, and no link is followed: what is found lies below the
start, whatever another program changes meanwhile.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_tui.safety import ignore

MAX_DEPTH: Final = 100
"""Folders below each other: each holds a descriptor open."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


@dataclass(frozen=True, slots=True)
class Found:
    """A file (or a link, or something special): `path` is relative to the start of the walk."""

    path: str
    name: str
    regular: bool
    folder: int
    """Descriptor of its folder, open until the next one is asked for."""

    def read(self, limit: int) -> bytes | None:
        """At most `limit` + 1 bytes of it; None if it is no regular file (any more). Raises OSError."""
        with os.fdopen(os.open(self.name, _READ, dir_fd=self.folder), "rb", buffering=0) as file:
            there = os.fstat(file.fileno())
            if not stat.S_ISREG(there.st_mode):
                return None
            data = bytearray()
            while part := file.read(max(0, min(limit + 1 - len(data), there.st_size - len(data) + 1))):
                data += part
            return bytes(data)


@dataclass(slots=True)
class _Level:
    descriptor: int
    path: str
    """From the start, with a slash behind, or empty."""
    scope: ignore.Scope
    entries: list[os.DirEntry[str]]
    """Those still to come, the next one last."""


class Walk:
    """A walk from `start` (a real path). `stopped` ends it early; `unreadable` counts folders that were left out."""

    def __init__(self, start: Path, roots: Iterable[Path], stopped: Callable[[], bool]) -> None:
        self.unreadable = 0
        self.unread_rules = 0
        self._start, self._stopped = start, stopped
        top = ignore.top_of(start, roots)
        above = start.relative_to(top).as_posix()
        self._above = "" if above == "." else f"{above}/"
        self._scope = ignore.above(start, top)

    def files(self) -> Iterator[Found]:
        """All that is no folder. Raises OSError if the start cannot be opened."""
        levels = [self._level(os.open(self._start, _FOLDER), "", self._scope)]
        try:
            while levels and not self._stopped():
                level = levels[-1]
                if not level.entries:
                    os.close(levels.pop().descriptor)
                    continue
                entry = level.entries.pop()
                path = f"{level.path}{entry.name}"
                folder = entry.is_dir(follow_symlinks=False)
                if entry.name == ".git" or level.scope.ignores(f"{self._above}{path}", entry.name, folder):
                    continue
                if not folder:
                    yield Found(path, entry.name, entry.is_file(follow_symlinks=False), level.descriptor)
                    continue
                inner = self._opened(entry.name, level.descriptor) if len(levels) < MAX_DEPTH else None
                if inner is None:
                    self.unreadable += 1
                else:
                    levels.append(self._level(inner, f"{path}/", level.scope))
        finally:
            for level in levels:
                os.close(level.descriptor)

    def _level(self, descriptor: int, path: str, scope: ignore.Scope) -> _Level:
        entries: list[os.DirEntry[str]] = []
        try:
            with os.scandir(descriptor) as found:
                for entry in found:
                    if self._stopped():
                        break
                    entries.append(entry)
        except OSError:
            self.unreadable += 1  # it may be opened, not listed
        entries.sort(key=lambda entry: entry.name, reverse=True)
        if any(entry.name == ignore.FILE for entry in entries):
            rules = ignore.read(descriptor)
            self.unread_rules += rules.skipped if rules else 0
            scope = scope.with_rules(rules, len(self._above) + len(path))
        return _Level(descriptor, path, scope, entries)

    def _opened(self, name: str, folder: int) -> int | None:
        try:
            return os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            return None  # no permission, or gone meanwhile: counted by the caller
