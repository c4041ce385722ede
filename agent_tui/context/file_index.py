"""The files of a folder as a person would name them: what git tracks, and what else lies there and
is not ignored.

No git process is started. In a repository the index answers at once; the walk that follows finds
what is new and drops what is gone. Elsewhere, what builds and package tools leave behind is left
out.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from logging import Logger
from pathlib import Path
from typing import Final

from agent_tui.safety import ignore, work_tree
from agent_tui.safety.git_config import (
    Repository,
    explain_refusal,
    find_repository,
)
from agent_tui.safety.git_index import BadIndex, Stopped, read_tracked
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MOST: Final = 200_000
"""Files and folders that are listed."""
_STOP_EVERY: Final = 1_000
_UNTYPABLE: Final = late.pattern("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""In names that no prompt can hold: control characters, and bytes that are no UTF-8."""


@frozen
class Listing:
    """Paths from the start, in no order, folders with a slash behind. `more`: the limit was
    reached; `unreadable` counts folders."""

    paths: list[str]
    more: bool = False
    unreadable: int = 0


@dataclass(slots=True)
class FileIndex:
    """The files below `start` (a real path); remembers what it parsed while the index of git stays
    the same."""

    start: Path
    environment: Mapping[str, str]
    log: Logger
    most: int = MOST
    _parsed: tuple[tuple[int, ...], list[str]] = field(default=((), []))

    def at_once(self, stopped: Callable[[], bool]) -> Listing | None:
        """What git tracks; None where that is not known. Raises Stopped."""
        where, may_read = self._find()
        known = self._tracked(where, stopped) if where is not None and may_read else None
        if not known:
            return None
        return self._listing(known, len(known) > self.most, 0)

    def scan_all(self, stopped: Callable[[], bool]) -> Listing:
        """What really lies there. Raises Stopped, or OSError if the start cannot be listed."""
        where, may_read = self._find()
        known = self._tracked(where, stopped) if where is not None and may_read else None
        above = "" if where is None else work_tree.below(self.start, where.top)
        walk = _Walk(self.start, above, frozenset(known or ()), where is None, self.most, stopped)
        rules = ignore.Scope()
        if where is not None:
            rules = work_tree.rules_above(self.start, where, may_read, self.environment)
        walk.run(rules)
        return self._listing(walk.found, walk.more, walk.unreadable)

    def _find(self) -> tuple[Repository | None, bool]:
        """The repository around the start, and whether its git folder is read: one that leads
        elsewhere would tell what another repository of the person's holds. The rules in the work
        tree hold either way."""
        where = find_repository(self.start)
        problem = "" if where is None else explain_refusal(where)
        if problem:
            self.log.warning("the index of git for %s is not used: %s", self.start, problem)
        return where, not problem

    def _tracked(self, where: Repository, stopped: Callable[[], bool]) -> list[str] | None:
        """The tracked paths below the start; None where the index cannot be used."""
        try:
            stat = (where.folder / "index").stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except OSError:
            return []  # nothing was ever added
        if stamp == self._parsed[0]:
            return self._parsed[1]
        try:
            paths = read_tracked(where, stopped)
        except (BadIndex, OSError) as error:
            self.log.warning("the index of git in %s is not used: %s", where.folder, error)
            return None
        if self.start != where.top:
            above = f"{self.start.relative_to(where.top).as_posix()}/"
            paths = [path[len(above) :] for path in paths if path.startswith(above)]
        self._parsed = (stamp, paths)
        return paths

    def _listing(self, found: list[str], more: bool, unreadable: int) -> Listing:
        """The files with the folders that hold them, without names that cannot be typed."""
        found = [
            path for path in found[: self.most] if path.isprintable() or not _UNTYPABLE.search(path)
        ]
        return Listing(
            list(dict.fromkeys((*work_tree.folders_of(found), *found))), more, unreadable
        )


class _Walk:
    """Goes down level by level, so that a limit keeps what is near the top; no link is followed."""

    def __init__(
        self,
        start: Path,
        above: str,
        known: frozenset[str],
        junk: bool,
        most: int,
        stopped: Callable[[], bool],
    ) -> None:
        self.found: list[str] = []
        self.more = False
        self.unreadable = 0
        self._start, self._above, self._known, self._junk = start, above, known, junk
        self._most, self._stopped = most, stopped
        self._holding = work_tree.folders_of(known)
        """Folders that hold something tracked: they are entered though a rule ignores them."""

    def run(self, scope: ignore.Scope) -> None:
        todo: deque[tuple[str, ignore.Scope, bool]] = deque([("", scope, False)])
        while todo and not self.more:
            path, scope, ignored = todo.popleft()
            try:
                entries = self._entries(f"{self._start}/{path}")
            except OSError:
                if not path:
                    raise
                self.unreadable += 1
                continue
            if path and ".git" in entries:
                self.found.append(path)  # a repository of its own
                continue
            for name in ignore.FILES:
                if name in entries and not ignored:
                    rules = ignore.read(None, f"{self._start}/{path}{name}")
                    scope = scope.with_rules(rules, len(self._above) + len(path))
            entries.pop(".git", None)
            for name, folder in entries.items():
                self._one(name, folder, path, scope, ignored, todo)
            self.more = len(self.found) > self._most

    def _one(
        self,
        name: str,
        folder: bool,
        above: str,
        scope: ignore.Scope,
        ignored: bool,
        todo: deque[tuple[str, ignore.Scope, bool]],
    ) -> None:
        path = f"{above}{name}"
        if not folder:
            if path in self._known or not (
                ignored or scope.ignores(self._above + path, name, False)
            ):
                self.found.append(path)
        else:
            hidden = (
                ignored
                or (self._junk and name in work_tree.GENERATED)
                or scope.ignores(self._above + path, name, True)
            )
            if not hidden or f"{path}/" in self._holding:
                todo.append((f"{path}/", scope, hidden))

    def _entries(self, folder: str) -> dict[str, bool]:
        """The names in a folder, and which of them are folders."""
        if self._stopped():
            raise Stopped
        entries: dict[str, bool] = {}
        with os.scandir(folder) as found:
            for entry in found:
                entries[entry.name] = entry.is_dir(follow_symlinks=False)
                if not len(entries) % _STOP_EVERY and self._stopped():
                    raise Stopped
        return entries
