"""Goes through the files under a folder in a stable order, as `.gitignore` allows.

Every folder is opened by its name in the open folder above it, and no link is followed: what is
found lies below the start, whatever another program changes meanwhile.
"""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from agent_tui.safety import hard_links, ignore
from agent_tui.safety.paths import NotRegular
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import ToolContext, ToolFailure
from agent_tui.tools.support import files

MAX_DEPTH: Final = 100
"""Folders below each other: each holds a descriptor open."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class SecretLink(Exception):
    """A file has the name of a secret besides."""


class Links:
    """Which files of a walk from `start` are hard links of secrets; what is in a folder is looked up
    once."""

    def __init__(self, start: Path, roots: Iterable[Path]) -> None:
        self._start, self._roots = start, tuple(roots)
        self._known: dict[Path, frozenset[int]] = {}

    def is_secret(self, path: str, inode: int) -> bool:
        """Whether the file at `path` below the start, with this number, is one."""
        return any(
            inode in self._secrets(folder)
            for folder in hard_links.folders_above(self._start / path, self._roots)
        )

    def _secrets(self, folder: Path) -> frozenset[int]:
        if folder not in self._known:
            self._known[folder] = hard_links.secret_inodes(folder)
        return self._known[folder]


@dataclass(frozen=True, slots=True)
class Found:
    """A file (or a link, or something special): `path` is relative to the start of the walk."""

    path: str
    name: str
    regular: bool
    folder: int
    """Descriptor of its folder, open until the next one is asked for."""

    def read(
        self, limit: int, is_secret: Callable[[str, int], bool] = lambda *_: False
    ) -> bytes | None:
        """At most `limit` + 1 bytes of it; None if it is no regular file (any more). `is_secret`
        decides about a file with several names. Raises OSError, SecretLink."""
        with os.fdopen(os.open(self.name, _READ, dir_fd=self.folder), "rb", buffering=0) as file:
            there = os.fstat(file.fileno())
            if not stat.S_ISREG(there.st_mode):
                return None
            if there.st_nlink > 1 and is_secret(self.path, there.st_ino):
                raise SecretLink
            data = bytearray()
            while part := file.read(
                max(0, min(limit + 1 - len(data), there.st_size - len(data) + 1))
            ):
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
    """A walk from `start` (a real path). `stopped` ends it early; `unreadable` counts folders that
    were left out."""

    def __init__(self, start: Path, roots: Iterable[Path], stopped: Callable[[], bool]) -> None:
        self.unreadable = 0
        self.unread_rules = 0
        self._start, self._stopped = start, stopped
        top = ignore.top_of(start, roots)
        above = start.relative_to(top).as_posix()
        self._above = "" if above == "." else f"{above}/"
        self._scope = ignore.rules_above(start, top)

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
                if entry.name == ".git" or level.scope.ignores(
                    f"{self._above}{path}", entry.name, folder
                ):
                    continue
                if not folder:
                    yield Found(
                        path, entry.name, entry.is_file(follow_symlinks=False), level.descriptor
                    )
                    continue
                inner = (
                    self._opened(entry.name, level.descriptor) if len(levels) < MAX_DEPTH else None
                )
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


_MOST_BRACES: Final = 64


class Glob:
    """A pattern for paths relative to a folder. Without a slash it is a pattern for names, in every
    subfolder.

    Raises ToolFailure for one that leads out of the folder.
    """

    def __init__(self, pattern: str) -> None:
        text = pattern.strip().removeprefix("./")
        if not text:
            raise ToolFailure(
                "invalid_arguments", "the pattern is empty; write for example **/*.py"
            )
        if text.startswith(("/", "~")) or ".." in text.split("/"):
            raise ToolFailure(
                "invalid_arguments", f"{pattern!r}: a pattern is relative; give the folder as path"
            )
        self._choices = [_parts(choice) for choice in _expanded(text)]

    def matches(self, path: str) -> bool:
        names = path.split("/")
        return any(_matches(parts, names) for parts in self._choices)


_Part = re.Pattern[str] | None
"""None stands for `**`."""


def _parts(pattern: str) -> list[_Part]:
    texts = pattern.split("/") if "/" in pattern else ["**", pattern]
    if texts[-1] == "":
        texts[-1] = "**"  # a folder: all that is in it
    parts: list[_Part] = []
    for text in texts:
        if text != "**":
            parts.append(re.compile(fnmatch.translate(text)))
        elif not parts or parts[-1] is not None:
            parts.append(None)
    return parts


def _matches(parts: Sequence[_Part], names: Sequence[str]) -> bool:
    """Part by part; only the last `**` ever needs to be tried again, so the time is bounded by the
    product."""
    part = name = 0
    again: tuple[int, int] | None = None
    while name < len(names):
        here = parts[part] if part < len(parts) else None
        if part < len(parts) and here is None:
            again = (part, name)
            part += 1
        elif here is not None and here.match(names[name]):
            part, name = part + 1, name + 1
        elif again is not None:
            again = (again[0], again[1] + 1)
            part, name = again[0] + 1, again[1]
        else:
            return False
    return part == len(parts)


def _expanded(pattern: str) -> list[str]:
    """`{a,b}` written out, innermost first. Braces without a comma stand for themselves."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        text = todo.pop(0)
        inner = re.search(r"\{([^{}]*,[^{}]*)\}", text)
        if inner is None:
            done.append(text)
            continue
        todo += [
            text[: inner.start()] + choice + text[inner.end() :] for choice in inner[1].split(",")
        ]
        if len(todo) + len(done) > _MOST_BRACES:
            raise ToolFailure("invalid_arguments", f"{pattern!r}: too many alternatives in braces")
    return done


PER_PAGE: Final = 100
BUDGET: Final = 20.0
"""Seconds that a search may take; then it shows what it has and says so."""

Page = Annotated[
    int, Field(default=1, ge=1, le=1_000_000, description=f"Page of {PER_PAGE} results")
]


@dataclass(slots=True)
class Halt:
    """Whether a search must end: it was cancelled, or its time is up (`late`)."""

    stopped: Callable[[], bool]
    deadline: float
    late: bool = False

    @classmethod
    def after(cls, stopped: Callable[[], bool], seconds: float) -> Halt:
        return cls(stopped, time.monotonic() + seconds)

    def __call__(self) -> bool:
        self.late = self.late or time.monotonic() > self.deadline
        return self.late or self.stopped()


def page_notes(page: int, shown: int, total: int, more_than: bool = False) -> list[str]:
    """Where the page stands among the results, and how to get the next one. Raises ToolFailure
    behind the last."""
    first = (page - 1) * PER_PAGE + 1
    if first > max(1, total):
        pages = max(1, -(-total // PER_PAGE))
        raise ToolFailure("invalid_arguments", f"page {page} is after the last one ({pages})")
    last = first + shown - 1
    if last >= total:
        return [f"[{first}-{last} of {total}.]"] if page > 1 else []
    return [
        f"[{first}-{last} of {'over ' if more_than else ''}{total}. The next: page={page + 1}.]"
    ]


def walk_notes(walk: Walk | None, halt: Halt) -> list[str]:
    """What a walk left out against its will."""
    notes = (
        [f"[Stopped after {BUDGET:.0f} s: not all was searched. Give a smaller folder.]"]
        if halt.late
        else []
    )
    if walk is not None and walk.unreadable:
        notes.append(f"[{count_noun(walk.unreadable, 'folder')} could not be read.]")
    if walk is not None and walk.unread_rules:
        notes.append(
            f"[{count_noun(walk.unread_rules, 'line')} of .gitignore files could not be used.]"
        )
    return notes


def folder_failure(real: Path, ctx: ToolContext, error: OSError | NotRegular) -> ToolFailure:
    """The failure for a start of a search that is no folder that can be opened."""
    if isinstance(error, NotADirectoryError) and real.exists():
        return ToolFailure("invalid_arguments", f"{ctx.display_path(real)} is not a folder")
    return files.failure(error, real, ctx)
