"""Which files in the folders of a session have the names of secrets: what no command reads unasked,
whatever its words seem to say.

What git tracks is open where its content is what the index holds: who can read the git folder can
read that. The other names of a file count, too. What is too large to look through is left out.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent_tui.safety import file_access
from agent_tui.safety.closed_folders import find_closed
from agent_tui.safety.folder_walk import entries_of
from agent_tui.safety.git_config import Repository, explain_refusal, find_repository
from agent_tui.safety.git_index import BadIndex, is_settled, read_index
from agent_tui.safety.protected_names import is_secret
from agent_tui.safety.secret_names import MOST_FOLDERS, walk_secrets
from agent_tui.structures.frozen import frozen

_MOST_BESIDE: Final = 5_000
"""Entries of folders with secrets: a sandbox has to open each of the others by itself."""
_LONGEST: Final = 1_000_000
"""Bytes of a tracked secret that are compared with what git holds."""


@frozen
class SecretFiles:
    """`closed`: real paths of the files that no command reads unasked, but those that lie where too
    much is beside them, and of the folders that nobody can look into. `linked`: the numbers of
    files with several names, one of them a secret's."""

    closed: tuple[str, ...] = ()
    linked: frozenset[int] = frozenset()


def find_secret_files(roots: Sequence[Path]) -> SecretFiles:
    """Look through `roots` (real paths), as far as there is time, the nearest folders first."""
    entries: dict[str, int] = {}
    found: dict[str, os.stat_result] = {}
    refused: set[str] = set()
    for root in roots:

        def refuse(path: str, root: Path = root) -> bool:
            home = next((one for one in roots if Path(path).is_relative_to(one)), root)
            refused.add(find_closed(str(home), path))
            return False

        for folder, count, secrets in walk_secrets(root, roots, refuse):
            entries[folder] = count
            for path in secrets:
                try:
                    found.setdefault(path, os.lstat(path))
                except OSError:
                    continue  # it is gone
    several = [path for path, about in found.items() if about.st_nlink > 1]
    inodes = {(found[path].st_dev, found[path].st_ino): path for path in several}
    closed = hidden_secrets(found, roots)
    for path in closed:  # where the search did not come
        _count_above(path, roots, entries)
    open_ones = {inode for inode, path in inodes.items() if path not in closed}
    if inodes:
        for path, inode in _others(entries, frozenset(inodes)):
            closed += [path] if path not in found and inode not in open_ones else []
    closed += sorted(refused)
    return SecretFiles(
        tuple(_affordable(closed, entries)), frozenset(number for _, number in inodes)
    )


def hidden_secrets(
    found: Iterable[str],
    roots: Sequence[Path],
    known: Mapping[str, Repository | None] = MappingProxyType({}),
) -> list[str]:
    """Of `found` in `roots`, those that git does not hold as they are; and what was one of them
    before in this run of the program, wherever the search does not come by now: a command can
    rename the folders above it, and make more than are looked through. `known`: in which
    repositories folders lie."""
    repositories = {**known}
    inside = tuple(f"{str(root).rstrip('/')}/" for root in roots)
    before = (path for path in _hidden if path.startswith(inside) and os.path.lexists(path))
    hidden = [
        path
        for path in {**dict.fromkeys(found), **dict.fromkeys(before)}
        if not _is_committed(path, repositories)
    ]
    _hidden.update(dict.fromkeys(hidden))
    return hidden


_hidden: dict[str, None] = {}
"""All that was hidden since the program started."""


def changed_secrets(where: Repository) -> list[str]:
    """The secrets that git tracks, from the top of the work tree, whose content is no longer what
    the index holds. Raises BadIndex and OSError."""
    return [
        path
        for path, name in read_index(where).items()
        if is_secret((*where.top.parts, *path.split("/")))
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


def _count_above(path: str, roots: Sequence[Path], entries: dict[str, int]) -> None:
    """Add the folders above a path, below its root, that are missing in `entries`."""
    tops = frozenset(map(str, roots))
    folder = os.path.dirname(path)  # noqa: PTH120
    while folder not in entries and folder not in tops and folder != "/":
        try:
            with entries_of(folder) as found:
                entries[folder] = sum(1 for _ in found)
        except OSError:
            entries[folder] = 0  # it is gone, or closed
        folder = os.path.dirname(folder)  # noqa: PTH120


def _others(
    folders: Iterable[str], inodes: frozenset[tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """All names in `folders` of these files."""
    numbers = {number for _, number in inodes}
    for folder in folders:
        try:
            with entries_of(folder) as found:
                alike = [f"{folder}/{one.name}" for one in found if one.inode() in numbers]
            for path in alike:
                about = os.lstat(path)
                if (about.st_dev, about.st_ino) in inodes:
                    yield path, (about.st_dev, about.st_ino)
        except OSError:
            continue  # it is gone


# ------------------------------------------------------------------ what git holds


def _is_committed(path: str, repositories: dict[str, Repository | None]) -> bool:
    where = _repository_of(os.path.dirname(path), repositories)  # noqa: PTH120
    if where is None:
        return False
    try:
        name = read_index(where).get(os.path.relpath(path, where.top))
    except (OSError, BadIndex):
        return False  # nothing is known of it
    return name is not None and _holds(path, name)


def _repository_of(folder: str, known: dict[str, Repository | None]) -> Repository | None:
    """The repository that a folder lies in, if it may be read. `known`: those of other folders, for
    most lie in the same one."""
    at, passed = folder, list[str]()
    while at not in known and at != "/" and not os.path.lexists(f"{at}/.git"):
        passed.append(at)
        at = os.path.dirname(at)  # noqa: PTH120
    if at not in known:
        where = find_repository(Path(at))
        known[at] = None if where is None or explain_refusal(where) else where
    known |= dict.fromkeys(passed, known[at])
    return known[at]


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
        data = file_access.read_regular(Path(path), _LONGEST)
    except (OSError, file_access.NotRegular):
        return False
    if len(data) > _LONGEST:
        return False
    made = hashlib.sha1 if len(name) == 20 else hashlib.sha256  # as git names it; no secret
    digest = made(b"blob %d\0%b" % (len(data), data)).digest()
    if settled:
        if len(_digests) > 20 * MOST_FOLDERS:
            _digests.clear()
        _digests[path] = (stamp, digest)
    return digest == name
