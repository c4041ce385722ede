"""Goes through the files under a folder in a stable order, as `.gitignore` allows.

Every folder is opened by its name in the open folder above it, and no link is followed: what is
found lies below the start, whatever another program changes meanwhile.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from agent_tui.safety import hard_links, ignore, secret_names, work_tree
from agent_tui.safety.file_access import NotRegular
from agent_tui.safety.work_tree import GENERATED, WorkTree, below
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import ToolContext, ToolFailure
from agent_tui.tools.support import files

_STOP_EVERY: Final = 1_000
MAX_DEPTH: Final = 100
"""Folders below each other: each holds a descriptor open."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


@dataclass(slots=True)
class Batch:
    """Files that are searched together: those of each folder (with a slash behind), in the order of
    the walk. `secrets` are files beside them that must not be read."""

    files: list[tuple[str, list[str]]] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    count: int = 0


class SecretLink(Exception):
    """A file has the name of a secret besides."""


class Links:
    """Which files of a walk from `start` are hard links of secrets; what is in a folder is looked
    up once."""

    def __init__(self, start: Path, roots: Iterable[Path]) -> None:
        self._start, self._roots = start, tuple(roots)
        self._known: dict[Path, frozenset[int]] = {}
        self._elsewhere: frozenset[int] | None = None

    def is_secret(self, path: str, inode: int) -> bool:
        """Whether the file at `path` below the start, with this number, is one."""
        if self._elsewhere is None:
            self._elsewhere = secret_names.linked_inodes(self._roots)
        return inode in self._elsewhere or any(
            inode in self._secrets(folder)
            for folder in hard_links.folders_above(self._start / path, self._roots)
        )

    def _secrets(self, folder: Path) -> frozenset[int]:
        if folder not in self._known:
            self._known[folder] = hard_links.secret_inodes(folder)
        return self._known[folder]


@frozen
class Run:
    """Files of one folder between two of its subfolders, by name. `path` is the folder's, from the
    start of the walk, with a slash behind, or empty; `special` are links, pipes and the like."""

    path: str
    names: list[str]
    special: frozenset[str]


@dataclass(slots=True)
class _Level:
    descriptor: int
    path: str
    scope: ignore.Scope
    tree: WorkTree
    base: int
    """Characters of `path`, with what is above the start, that lead to the top of `tree`."""
    ignored: bool
    """Only what is tracked counts in it."""
    names: list[str] = field(default_factory=list)
    """Those that count, in order, subfolders with a slash behind."""
    special: frozenset[str] = frozenset()
    only_tracked: set[str] = field(default_factory=set)
    """Subfolders that are ignored."""
    at: int = 0


class Walk:
    """A walk from `start` (a real path). `stopped` ends it early; `unreadable` counts folders that
    were left out, `skipped` names those that are hidden or generated, outside of a repository."""

    def __init__(
        self,
        start: Path,
        roots: Iterable[Path],
        stopped: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.unreadable = 0
        self.unread_rules = 0
        self.skipped: set[str] = set()
        self._start, self._stopped = start, stopped
        self._tree, self._environment = WorkTree.around(start), environment or {}
        where = self._tree.where
        top = where.top if where is not None else ignore.top_of(start, roots)
        self._above = below(start, top)
        self._scope = (
            ignore.rules_above(start, top) if where is None else self._rules(start, self._tree)
        )

    def _rules(self, folder: Path, tree: WorkTree) -> ignore.Scope:
        assert tree.where is not None
        return work_tree.rules_above(folder, tree.where, tree.may_read, self._environment)

    def files(self) -> Iterator[str]:
        """The paths of all that is no folder, from the start. Raises OSError if that cannot be
        opened."""
        for run in self.runs():
            yield from (run.path + name for name in run.names)

    def runs(self) -> Iterator[Run]:
        """The same by folder."""
        top = _Level(os.open(self._start, _FOLDER), "", self._scope, self._tree, 0, False)
        levels = [self._list(top)]
        try:
            while levels and not self._stopped():
                level = levels[-1]
                first = level.at
                while level.at < len(level.names) and level.names[level.at][-1] != "/":
                    level.at += 1
                if level.at > first:
                    yield Run(level.path, level.names[first : level.at], level.special)
                elif level.at == len(level.names):
                    os.close(levels.pop().descriptor)
                else:
                    level.at += 1
                    inner = self._enter(level, level.names[first], len(levels))
                    levels += [inner] if inner is not None else []
        finally:
            for level in levels:
                os.close(level.descriptor)

    def _enter(self, level: _Level, name: str, depth: int) -> _Level | None:
        descriptor = open_folder(name[:-1], level.descriptor) if depth < MAX_DEPTH else None
        if descriptor is None:
            self.unreadable += 1
            return None
        path, ignored = f"{level.path}{name}", name in level.only_tracked
        return self._list(_Level(descriptor, path, level.scope, level.tree, level.base, ignored))

    def _list(self, level: _Level) -> _Level:
        files, folders, special = self._entries(level.descriptor)
        if ".git" in folders or ".git" in files:
            folders, files = ([n for n in names if n != ".git"] for names in (folders, files))
            if level.path:
                self._enter_repository(level)
        if level.tree.where is None:
            left_out = {n for n in folders if n.startswith(".") or n in GENERATED}
            self.skipped |= left_out
            folders = [n for n in folders if n not in left_out]
        if not level.ignored:
            for name in ignore.FILES:
                if name in files:
                    rules = ignore.read(level.descriptor, name)
                    self.unread_rules += rules.skipped if rules else 0
                    length = len(self._above) + len(level.path)
                    level.scope = level.scope.with_rules(rules, length)
        names = [*files, *(f"{name}/" for name in folders)]
        level.names = self._kept(level, names)
        level.names.sort(key=_bare if folders else None)
        level.special = frozenset(special)
        return level

    def _enter_repository(self, level: _Level) -> None:
        """A repository within has its own rules, and knows itself what it tracks."""
        folder = self._start / level.path
        tree = WorkTree.around(folder)
        if tree.where is None or tree.where.top != folder:
            return
        level.tree, level.base, level.ignored = tree, len(self._above) + len(level.path), False
        found = self._rules(folder, tree).rules
        level.scope = ignore.Scope(tuple((level.base, rules) for _, rules in found))

    def _kept(self, level: _Level, names: list[str]) -> list[str]:
        """What is not ignored, or tracked, or holds something tracked."""
        folder = f"{self._above}{level.path}"
        ignored = set(names) if level.ignored else level.scope.ignored(folder, names)
        if not ignored:
            return names
        level.only_tracked = ignored
        tracked, inner = level.tree.tracked(), folder[level.base :]
        return [
            name
            for name in names
            if name not in ignored
            or f"{inner}{name}" in tracked.files
            or f"{inner}{name}" in tracked.folders
        ]

    def _entries(self, descriptor: int) -> tuple[list[str], list[str], list[str]]:
        """The names in a folder: all that are none themselves, the folders, and those of the first
        that are no regular files."""
        files: list[str] = []
        folders: list[str] = []
        special: list[str] = []
        try:
            with os.scandir(descriptor) as found:
                for number, entry in enumerate(found, 1):
                    if entry.is_file(follow_symlinks=False):
                        files.append(entry.name)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    else:
                        files.append(entry.name)
                        special.append(entry.name)
                    if not number % _STOP_EVERY and self._stopped():
                        break
        except OSError:
            self.unreadable += 1  # it may be opened, not listed
        return files, folders, special


def _bare(name: str) -> str:
    return name.removesuffix("/")


def open_folder(name: str, folder: int) -> int | None:
    """A descriptor of a subfolder, not through a link; None: no permission, or gone meanwhile."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return None


class Reader:
    """Reads files below `start` (a real path), whose folders are opened step by step, so that no
    link is followed on the way. `is_secret` decides about a file with several names."""

    def __init__(self, start: Path, is_secret: Callable[[str, int], bool]) -> None:
        self._is_secret = is_secret
        self._start = os.open(start, _FOLDER)
        self._folder, self._path = self._start, ""

    def close(self) -> None:
        self._leave()
        os.close(self._start)

    def _leave(self) -> None:
        if self._folder != self._start:
            os.close(self._folder)
        self._folder, self._path = self._start, ""

    def _go_to(self, path: str) -> None:
        """Raises OSError."""
        if path == self._path:
            return
        self._leave()
        folder = self._start
        for name in path.split("/")[:-1]:
            try:
                inner = os.open(name, _FOLDER, dir_fd=folder)
            finally:
                if folder != self._start:
                    os.close(folder)
            folder = inner
        self._folder, self._path = folder, path

    def open(self, folder: str, name: str) -> tuple[FileIO, int] | None:
        """A file to read, and its size; None if it is no regular file (any more). Raises OSError,
        SecretLink."""
        self._go_to(folder)
        file = os.fdopen(os.open(name, _READ, dir_fd=self._folder), "rb", buffering=0)
        there = os.fstat(file.fileno())
        if stat.S_ISREG(there.st_mode):
            if there.st_nlink < 2 or not self._is_secret(folder + name, there.st_ino):
                return file, there.st_size
            file.close()
            raise SecretLink
        file.close()
        return None


_MOST_BRACES: Final = 64
_LONGEST: Final = 4_096
"""Characters of a pattern: no path has more."""


class Glob:
    """Patterns for paths relative to a folder, of which one must fit. One without a slash is for
    names, in every subfolder.

    Raises ToolFailure for one that leads out of the folder.
    """

    def __init__(self, *patterns: str) -> None:
        import re2

        choices = [choice for pattern in patterns for choice in _expanded(_checked(pattern))]
        self.plain: tuple[str, ...] = tuple(choices) if all(map(_PLAIN.fullmatch, choices)) else ()
        """The same as patterns for names that every program reads alike; empty: it is none."""
        options = re2.Options()
        options.never_nl, options.never_capture, options.log_errors = True, True, False
        try:
            self._regex = re2.compile(f"(?m)^(?:{'|'.join(map(_regex, choices))})$", options)
        except (re2.error, UnicodeEncodeError):
            said = f"{', '.join(patterns)!r}: cannot be used as a pattern"
            raise ToolFailure("invalid_arguments", said) from None

        self._names = re.compile("|".join(map(_name_regex, choices))) if self.plain else None
        self._ends = tuple(one[1:] for one in choices) if all(map(_END.fullmatch, choices)) else ()

    def matches(self, path: str) -> bool:
        return self._regex.search(_one_line(path)) is not None

    def among(self, folder: str, names: list[str]) -> list[str]:
        """Those of the files in `folder` (with a slash behind) that it fits."""
        if self._ends:  # so are most, and it is the fastest
            return [name for name in names if name.endswith(self._ends)]
        if self._names is not None:
            fits = self._names.fullmatch
            return [name for name in names if fits(name)]
        return [name for name in names if self.matches(folder + name)]


def _checked(pattern: str) -> str:
    text = pattern.strip().removeprefix("./")
    if not text:
        raise ToolFailure("invalid_arguments", "the pattern is empty; write for example **/*.py")
    if len(text) > _LONGEST:
        said = f"the pattern is longer than {_LONGEST:,} characters: no path is"
        raise ToolFailure("invalid_arguments", said)
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        raise ToolFailure(
            "invalid_arguments", f"{pattern!r}: a pattern is relative; give the folder as path"
        )
    return text


_END: Final = re.compile(r"\*[\w.+-]+", re.ASCII)
_PLAIN: Final = re.compile(r"[\w.?+-]*(\*[\w.?+-]*){,2}", re.ASCII)
"""With few stars: the time grows with this power of a name's length."""


def _one_line(name: str) -> str:
    """A name as text on one line: what is none there stands for itself as any character would."""
    if name.isprintable():
        return name
    return name.encode("utf-8", "replace").decode().replace("\n", "\x00")


def _regex(pattern: str) -> str:
    """What matches the whole path."""
    parts = pattern.split("/") if "/" in pattern else ["**", pattern]
    if parts[-1] == "":
        parts[-1] = "**"  # a folder: all that is in it
    written = ["(?:[^/]+/)*" if part == "**" else f"{_name_regex(part)}/" for part in parts[:-1]]
    last = ".+" if parts[-1] == "**" else _name_regex(parts[-1])
    return "".join((*written, last))


def _name_regex(part: str) -> str:
    """What matches one name."""
    written, at = "", 0
    for found in _WILD.finditer(part):
        written += re.escape(part[at : found.start()])
        at = found.end()
        if found["set"]:
            inner = found["set"][1:-1].replace("\\", "\\\\").replace("[", "\\[")
            written += f"[^/{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]"
        else:
            written += "[^/]" if found[0] == "?" else "[^/]*"
    return written + re.escape(part[at:])


_WILD: Final = re.compile(r"\*+|\?|(?P<set>\[[!^]?\]?[^\]/]*\])")


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


_NAMED: Final = 5
"""Folders left out that are named."""
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
    if walk is not None and walk.skipped:
        names = sorted(walk.skipped)
        named = ", ".join(map(files.name_text, names[:_NAMED])) + (
            " …" if len(names) > _NAMED else ""
        )
        notes.append(
            f"[Not in git, so left out: {named}. Give such a folder as path to search it.]"
        )
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
