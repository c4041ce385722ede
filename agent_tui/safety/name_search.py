"""The names below a folder of the session that are not like others: what programs obey, secrets,
git folders, and the links that lead to such names."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from agent_tui.safety.folder_walk import entries_of
from agent_tui.safety.protected_names import (
    is_in_secret_folder,
    is_secret,
    leads_to_protected,
    may_count,
    protection,
)
from agent_tui.structures.frozen import frozen

NOT_ENTERED: Final = frozenset({
    "node_modules", "venv", ".venv", ".tox", ".nox", "target", "__pycache__", ".mypy_cache",
})  # fmt: skip
"""What builds and package managers fill as they like."""
CLOCK: Final = 20_000_000
"""Nanoseconds that a file system's clock may be behind ours."""
_MOST_SEEN: Final = 100_000
"""Folders of which it is remembered what they hold."""
_CLOSED: Final = {*NOT_ENTERED, ".git"}
_ENVIRONMENT: Final = "pyvenv.cfg"
_OF_ENVIRONMENT: Final = frozenset(
    {_ENVIRONMENT, "bin", "include", "lib", "lib64", "share", "Lib", "Scripts"}
)
"""Of a virtual environment: programs that nobody runs unless they enter it."""
_OF_BARE: Final = frozenset({"objects", "refs", "logs"})
_MAY_BE_CLOSED: Final = _CLOSED | _OF_ENVIRONMENT | _OF_BARE
_DEEPEST: Final = 2
"""Folders below a link that begins a pattern, which has three parts at most."""

Kind = Literal["obeyed", "secret", "repository", "link", "way", "passage"]
"""A `link` has an obeyed name; a `way` is a link with the name of a folder in which names are
obeyed (`.cargo`); a `passage` is any other link that may lead into what is not entered."""


@frozen
class Name:
    path: str
    kind: Kind
    inode: int
    is_folder: bool
    parts: tuple[str, ...]
    """How it is reached from the root: through a link, another way than `path`."""


@frozen
class Child:
    """A folder to look into: `at` is how it is reached, `path` where it is."""

    at: str
    path: str
    parts: tuple[str, ...]
    inode: int
    depth: int = 0
    """Below a link of which only the obeyed names count; 0: all names count."""


@frozen
class Folder:
    at: str
    path: str
    names: tuple[Name, ...]
    below: tuple[Child, ...]
    is_bare: bool
    """It may be a repository, with these names alone."""
    has_environment: bool
    count: int
    """Of all entries."""


Refused = Callable[[str], bool]
"""Takes a folder that cannot be looked into, by its real path; true: now it can be."""

_seen: dict[tuple[str, int], tuple[tuple[int | str, ...], Folder]] = {}
"""What was found in a folder, by the time of its change, which nobody can set: names do not change
without that."""


@frozen
class Visit:
    folder: Folder
    below: tuple[Child, ...]
    """The folders in it that are to be looked into, by links too."""
    own: frozenset[str]
    """What in it counts for nothing."""
    is_new: bool
    """Itself or a folder above it: see `search`."""

    @property
    def names(self) -> Iterator[Name]:
        return (one for one in self.folder.names if one.parts[-1] not in self.own)


def search(
    root: Path,
    roots: Sequence[Path],
    own: Callable[[Folder, bool], frozenset[str]],
    is_new: Callable[[Folder, Child], bool] = lambda _folder, _child: False,
    most: int = sys.maxsize,
    refused: Refused = lambda _: False,
) -> Iterator[Visit]:
    """The folders below `root`, nearest first. Links are followed where they lead into one of
    `roots` and to names that are not found there on their own. `own`: what counts for nothing in a
    folder, and in one that is new (mostly its `own_names`)."""
    if len(_seen) > _MOST_SEEN:
        _seen.clear()
    todo = deque([(Child(str(root), str(root), (), 0), False)])
    followed: set[tuple[str, int]] = set()
    while todo and most > 0:
        most -= 1
        child, was_new = todo.popleft()
        folder = _look_into(child, root, refused)
        if folder is None:
            continue
        is_marked = folder.is_bare or folder.has_environment
        left_out = own(folder, was_new) if is_marked else frozenset[str]()
        below = [*folder.below]
        for name in folder.names:
            if name.parts[-1] in left_out:
                continue
            to = _follow(name, child, roots) if name.kind in ("way", "passage") else None
            if to is not None and (to.depth or (to.path, 0) not in followed):
                followed.add((to.path, to.depth))
                below.append(to)
        yield Visit(folder, tuple(below), left_out, was_new)
        todo += [
            (one, was_new or is_new(folder, one)) for one in below if one.parts[-1] not in left_out
        ]


def _follow(name: Name, folder: Child, roots: Sequence[Path]) -> Child | None:
    target = os.path.realpath(name.path)
    home = next((root for root in roots if target.startswith(f"{root}/")), None)
    if home is None:
        return None
    is_closed = _is_closed(target, home)
    depth = 0 if is_closed else folder.depth + 1
    if (name.kind == "passage" and not is_closed) or depth > _DEEPEST:
        return None
    try:
        about = os.stat(target)  # noqa: PTH116
    except OSError:
        return None
    at = f"{folder.at}/{name.parts[-1]}"
    return Child(at, target, name.parts, about.st_ino, depth)


def _is_closed(target: str, home: Path) -> bool:
    """Whether a folder below `home` is, or may be, none that is looked into."""
    at = str(home)
    for part in Path(target).relative_to(home).parts:
        if part in _CLOSED:
            return True
        if part in _MAY_BE_CLOSED and any(
            os.path.lexists(f"{at}/{marker}") for marker in (_ENVIRONMENT, "HEAD")
        ):
            return True
        at = f"{at}/{part}"
    return False


def _look_into(child: Child, root: Path, refused: Refused) -> Folder | None:
    try:
        return _seen_or_scanned(child, root)
    except PermissionError:
        if not refused(child.path):
            return None
    except OSError:
        return None  # it is gone, or no folder
    return _look_into(child, root, lambda _: False)


def _seen_or_scanned(child: Child, root: Path) -> Folder:
    """Raises OSError."""
    about = os.stat(child.path)  # noqa: PTH116
    stamp = (about.st_dev, about.st_ino, about.st_ctime_ns, child.path, child.depth)
    key = (child.at, len(child.parts))
    if key in _seen and _seen[key][0] == stamp:
        return _seen[key][1]
    folder, is_settled = _scan(child, root), time.time_ns() - about.st_ctime_ns > CLOCK
    if is_settled:  # else it may change again without a new time
        _seen[key] = (stamp, folder)
    return folder


def _scan(child: Child, root: Path) -> Folder:
    names: list[Name] = []
    below: list[Child] = []
    there: set[str] = set()
    with entries_of(child.path) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            there.add(entry.name)
            if entry.name in NOT_ENTERED:
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            inner = (*child.parts, entry.name)
            path = f"{child.path.rstrip('/')}/{entry.name}"
            kinds = _kinds(entry, path, is_folder, inner, root.parts)
            names += [Name(path, kind, entry.inode(), is_folder, inner) for kind in kinds]
            if is_folder and not kinds and _is_entered(child, inner, root):
                depth = child.depth + 1 if child.depth else 0
                at = f"{child.at}/{entry.name}"
                below.append(Child(at, path, inner, entry.inode(), depth))
    is_bare = {"HEAD", "objects"} <= there
    has_environment = _ENVIRONMENT in there
    each = (tuple(names), tuple(below))
    return Folder(child.at, child.path, *each, is_bare, has_environment, len(there))


def _is_entered(child: Child, inner: tuple[str, ...], root: Path) -> bool:
    if not child.depth:
        return True
    return child.depth < _DEEPEST and leads_to_protected(inner, root.parts)


def _kinds(
    entry: os.DirEntry[str],
    path: str,
    is_folder: bool,
    inner: tuple[str, ...],
    above: tuple[str, ...],
) -> list[Kind]:
    if is_folder and entry.name == ".git":
        return ["repository"]
    whole = (*above, *inner)
    counts = may_count(whole)
    if entry.is_symlink():
        if counts and protection(inner, above):
            return ["link"]
        if counts and leads_to_protected(inner, above):
            return ["way"]
        text = os.readlink(path)  # noqa: PTH115
        parts = text.split("/")
        return ["passage"] if not {"", "..", *_MAY_BE_CLOSED}.isdisjoint(parts) else []
    obeyed: list[Kind] = ["obeyed"] if counts and protection(inner, above) else []
    is_hidden = is_secret(whole) if counts else _makes_all_secret(above)
    return [*obeyed, "secret"] if is_hidden else obeyed


@lru_cache(maxsize=8)
def _makes_all_secret(root: tuple[str, ...]) -> bool:
    """It is asked for each entry of each folder."""
    return is_in_secret_folder(root)


def own_names(folder: Folder) -> frozenset[str]:
    """What counts for nothing in a folder because a program keeps it there: an environment of
    Python or a bare repository. The names of a marker alone make no such folder."""
    own = frozenset[str]()
    if folder.has_environment and _is_environment(folder.path):
        own |= _OF_ENVIRONMENT
    if folder.is_bare and is_repository(folder.path):
        own |= _OF_BARE
    return own


def _is_environment(folder: str) -> bool:
    has_python = os.path.lexists(f"{folder}/bin/python")
    return has_python and any(Path(folder).glob("lib/python*/site-packages"))


def is_repository(folder: str) -> bool:
    """Whether git would take it for a bare one, by its folders."""
    return all(os.path.isdir(f"{folder}/{name}") for name in ("objects", "refs"))  # noqa: PTH112
