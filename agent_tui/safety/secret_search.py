"""Which files in the folders of a session have the names of secrets: what no command reads unasked,
whatever its words seem to say.

What git tracks is open where its content is what the index holds: who can read the git folder can
read that. The other names of a file count, too. What is too large to look through is left out.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety import paths
from agent_tui.safety.git_config import Repository, explain_refusal, find_repository
from agent_tui.safety.git_index import BadIndex, read_entries
from agent_tui.safety.protected_names import is_secret
from agent_tui.structures.frozen import frozen

NOT_ENTERED: Final = frozenset({
    "node_modules", "venv", ".venv", ".tox", ".nox", "target", "__pycache__", ".mypy_cache",
})  # fmt: skip
"""What builds and package managers fill as they like."""
ENVIRONMENT: Final = "pyvenv.cfg"
"""It makes a folder a virtual environment."""
_MOST_FOLDERS: Final = 1_000
_MOST_BESIDE: Final = 5_000
"""Entries of folders with secrets: a sandbox has to open each of the others by itself."""
_LONGEST: Final = 1_000_000
"""Bytes of a tracked secret that are compared with what git holds."""
_SETTLED_NS: Final = 3_000_000_000
"""Nanoseconds after which no further change can have the same time."""


@frozen
class SecretFiles:
    """`closed`: real paths of the files that no command reads unasked, but those that lie where too
    much is beside them. `linked`: the numbers of files with several names, one of them a secret's.
    """

    closed: tuple[str, ...] = ()
    linked: frozenset[int] = frozenset()


def find_secret_files(roots: Sequence[Path]) -> SecretFiles:
    """Look through `roots` (real paths), as far as there is time, the nearest folders first."""
    entries: dict[str, int] = {}
    found: dict[str, os.stat_result] = {}
    for root in roots:
        for folder, names in _walk(root):
            entries[folder] = names.count
            for path in names.secrets:
                try:
                    found.setdefault(path, os.lstat(path))
                except OSError:
                    continue  # it is gone
    several = [path for path, about in found.items() if about.st_nlink > 1]
    inodes = {(found[path].st_dev, found[path].st_ino): path for path in several}
    repositories: dict[str, Repository | None] = {}
    closed = [path for path in found if not _is_committed(path, repositories)]
    open_ones = {inode for inode, path in inodes.items() if path not in closed}
    if inodes:
        for path, inode in _others(entries, frozenset(inodes)):
            closed += [path] if path not in found and inode not in open_ones else []
    return SecretFiles(
        tuple(_affordable(closed, entries)), frozenset(number for _, number in inodes)
    )


def changed_secrets(where: Repository) -> list[str]:
    """The secrets that git tracks, from the top of the work tree, whose content is no longer what
    the index holds. Raises BadIndex and OSError."""
    return [
        path
        for path, name in read_index(where).items()
        if is_secret(path.split("/"))
        and _is_file(f"{where.top}/{path}")
        and not _holds(f"{where.top}/{path}", name)
    ]


def _affordable(closed: Iterable[str], entries: dict[str, int]) -> Iterator[str]:
    """What can be closed: the folders on the way to it are opened entry by entry."""
    on_the_way, left = set[str](), _MOST_BESIDE
    for path in closed:
        folder, more = os.path.dirname(path), set[str]()  # noqa: PTH120
        while folder in entries and folder not in on_the_way:
            more.add(folder)
            folder = os.path.dirname(folder)  # noqa: PTH120
        cost = sum(entries[folder] for folder in more)
        if cost <= left:
            left -= cost
            on_the_way |= more
            yield path


def _others(
    folders: Iterable[str], inodes: frozenset[tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """All names in `folders` of these files."""
    numbers = {number for _, number in inodes}
    for folder in folders:
        try:
            with os.scandir(folder) as found:
                alike = [entry.path for entry in found if entry.inode() in numbers]
            for path in alike:
                about = os.lstat(path)
                if (about.st_dev, about.st_ino) in inodes:
                    yield path, (about.st_dev, about.st_ino)
        except OSError:
            continue  # it is gone


def is_settled(about: os.stat_result) -> bool:
    """Whether any further change would have another time, as clocks of disks are coarse. It is
    asked before something is read that is to be known for longer."""
    return about.st_ctime_ns < time.time_ns() - _SETTLED_NS


# ------------------------------------------------------------------ the folders


@frozen
class _Names:
    """What a folder holds: paths of secrets, folders to be looked through, and the number of all."""

    secrets: tuple[str, ...]
    below: tuple[str, ...]
    count: int


_seen: dict[str, tuple[tuple[int, ...], _Names]] = {}
"""What was found in a folder, by what changes with its names."""


def _walk(root: Path) -> Iterator[tuple[str, _Names]]:
    todo = [str(root)]
    for at in range(_MOST_FOLDERS):
        if at == len(todo):
            break
        names = _look_into(todo[at], root)
        if names is not None:
            yield todo[at], names
            todo += names.below
    if len(_seen) > 20 * _MOST_FOLDERS:
        _seen.clear()


def _look_into(folder: str, root: Path) -> _Names | None:
    try:
        about = os.stat(folder)  # noqa: PTH116
        stamp = (about.st_ctime_ns, about.st_dev, about.st_ino)
        known = _seen.get(folder)
        if known is not None and known[0] == stamp:
            return known[1]
        settled = is_settled(about)
        names = _names_in(folder, root)
    except OSError:
        return None  # it is gone, or closed
    if settled:
        _seen[folder] = (stamp, names)
    return names


def _names_in(folder: str, root: Path) -> _Names:
    parts = (root.name, *Path(folder).relative_to(root).parts)
    secrets, below = list[str](), list[str]()
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_symlink():
            continue  # what it leads to counts by itself
        if not entry.is_dir(follow_symlinks=False):
            secrets += [entry.path] if is_secret((*parts, entry.name)) else []
        elif entry.name not in NOT_ENTERED and entry.name != ".git":
            is_environment = os.path.lexists(f"{entry.path}/{ENVIRONMENT}")
            below += [] if is_environment else [entry.path]
    return _Names(tuple(secrets), tuple(below), len(entries))


# ------------------------------------------------------------------ what git holds

_indexes: dict[str, tuple[tuple[int, ...], dict[str, bytes]]] = {}
"""What an index said, by what tells that it changed."""


def _is_committed(path: str, repositories: dict[str, Repository | None]) -> bool:
    folder = os.path.dirname(path)  # noqa: PTH120
    if folder not in repositories:
        where = find_repository(Path(folder))
        repositories[folder] = None if where is None or explain_refusal(where) else where
    where = repositories[folder]
    if where is None:
        return False
    try:
        name = read_index(where).get(os.path.relpath(path, where.top))
    except (OSError, BadIndex):
        return False  # nothing is known of it
    return name is not None and _holds(path, name)


def read_index(where: Repository) -> dict[str, bytes]:
    """The paths of an index, each with the name of its content. Raises BadIndex and OSError."""
    index = f"{where.folder}/index"
    try:
        about = os.stat(index)  # noqa: PTH116
    except FileNotFoundError:
        return {}
    stamp = (about.st_ctime_ns, about.st_size, about.st_dev, about.st_ino)
    if index in _indexes and _indexes[index][0] == stamp:
        return _indexes[index][1]
    settled = is_settled(about)
    entries = read_entries(where)
    if settled:
        if len(_indexes) > 20:
            _indexes.clear()
        _indexes[index] = (stamp, entries)
    return entries


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


_digests: dict[str, tuple[tuple[int, ...], bytes]] = {}
"""How git would name the content of a file, by what tells that it changed."""


def _holds(path: str, name: bytes) -> bool:
    """Whether the content of a file is what git calls by this name. What git converts on the way
    (ends of lines) is another one."""
    try:
        about = os.lstat(path)
        stamp = (about.st_ctime_ns, about.st_size, about.st_dev, about.st_ino, len(name))
        if path in _digests and _digests[path][0] == stamp:
            return _digests[path][1] == name
        settled = is_settled(about)
        data = paths.read_regular(Path(path), _LONGEST)
    except (OSError, paths.NotRegular):
        return False
    if len(data) > _LONGEST:
        return False
    made = hashlib.sha1 if len(name) == 20 else hashlib.sha256  # as git names it; no secret
    digest = made(b"blob %d\0%b" % (len(data), data)).digest()
    if settled:
        if len(_digests) > 20 * _MOST_FOLDERS:
            _digests.clear()
        _digests[path] = (stamp, digest)
    return digest == name
