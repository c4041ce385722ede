"""The files of a folder as a person would name them: what git tracks, and what else lies there and
is not ignored.

No git process is started. In a repository the index answers at once; the walk that follows finds
what is new and drops what is gone. Elsewhere, what builds and package tools leave behind is left
out.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from logging import Logger
from pathlib import Path
from typing import Final

from agent_tui.safety import ignore
from agent_tui.safety.git_config import (
    Repository,
    explain_refusal,
    find_repository,
    read_text,
)
from agent_tui.safety.git_index import BadIndex, Stopped, read_tracked

MOST: Final = 200_000
"""Files and folders that are listed."""
JUNK: Final = frozenset(
    (
        "node_modules",
        ".venv",
        "venv",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".gradle",
        ".next",
        ".terraform",
        ".cache",
        "target",
        "dist",
        "build",
        ".hg",
        ".svn",
    )
)
"""Folders that are left out where no repository says what to ignore."""
_STOP_EVERY: Final = 1_000
_UNTYPABLE: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""In names that no prompt can hold: control characters, and bytes that are no UTF-8."""
_RULES: Final = (ignore.FILE, ".ignore")
"""Files of a folder with rules; of two in the same folder, the later one wins."""


@dataclass(frozen=True, slots=True)
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
        above = "" if where is None else _below(self.start, where.top)
        walk = _Walk(self.start, above, frozenset(known or ()), where is None, self.most, stopped)
        walk.run(self._rules(where, may_read))
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

    def _rules(self, where: Repository | None, may_read: bool) -> ignore.Scope:
        """What holds above the start: the person's own rules, the repository's, those of the
        folders above."""
        if where is None:
            return ignore.Scope()
        scope = ignore.Scope()
        excluded = (where.common / "info" / "exclude",) if may_read else ()
        for path in (_own_rules(self.environment), *excluded):
            scope = scope.with_rules(ignore.read(None, str(path)), 0)
        for folder in (
            folder for folder in reversed(self.start.parents) if folder.is_relative_to(where.top)
        ):
            for name in _RULES:
                rules = ignore.read(None, str(folder / name))
                scope = scope.with_rules(rules, len(_below(folder, where.top)))
        return scope

    def _listing(self, found: list[str], more: bool, unreadable: int) -> Listing:
        """The files with the folders that hold them, without names that cannot be typed."""
        found = [
            path for path in found[: self.most] if path.isprintable() or not _UNTYPABLE.search(path)
        ]
        return Listing(list(dict.fromkeys((*_folders(found), *found))), more, unreadable)


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
        self._holding = _folders(known)
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
            for name in _RULES:
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
                or (self._junk and name in JUNK)
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


def _folders(paths: Iterable[str]) -> set[str]:
    """The folders that hold them."""
    folders: set[str] = set()
    for path in paths:
        end = path.rfind("/", 0, -1)
        while end > 0 and (folder := path[: end + 1]) not in folders:
            folders.add(folder)
            end = path.rfind("/", 0, end)
    return folders


def _below(folder: Path, top: Path) -> str:
    """The path of a folder from `top`, with a slash behind; empty for `top` itself."""
    return "" if folder == top else f"{folder.relative_to(top).as_posix()}/"


def _own_rules(environment: Mapping[str, str]) -> Path:
    """The person's own ignore file, for all repositories."""
    home = Path(environment.get("HOME") or "~").expanduser()
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    for path in (home / ".gitconfig", config / "config"):
        said = re.findall(r"(?im)^\s*excludesfile\s*=\s*\"?([^\"\n]+)", read_text(path))
        if said:
            name = str(said[-1]).strip()
            return home / name[2:] if name.startswith("~/") else Path(name)
    return config / "ignore"
