"""Looking through folders that a command may have made, and may change meanwhile: as deep as it
likes, and never through a link, however late it comes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent_tui.safety.closed_folders import FOLDER, open_folder
from agent_tui.structures.frozen import frozen

MOST_DEEP: Final = 100
"""Folders in each other that are looked into. Each is open meanwhile."""
MOST_ENTRIES: Final = 200_000


@frozen
class Visit:
    """A folder: its path, a descriptor of it that is open until the next one comes, the folders in
    it, and its other names (a link to a folder is one of these), in order. `unseen`: those of its
    folders that are not looked into, for they are too deep, or too many."""

    path: str
    descriptor: int
    folders: tuple[str, ...]
    names: tuple[str, ...]
    unseen: tuple[str, ...]


@contextlib.contextmanager
def folder_of(real: Path, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder of a real path, opened step by step so that no link is followed on
    the way. `make` makes what is missing."""
    flags = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open("/", flags & ~os.O_NOFOLLOW)
    try:
        for part in real.parts[1:-1]:
            try:
                inner = os.open(part, flags, dir_fd=descriptor)
            except FileNotFoundError:
                if not make:
                    raise
                with contextlib.suppress(FileExistsError):  # another program is doing so, too
                    os.mkdir(part, dir_fd=descriptor)
                inner = os.open(part, flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def walk(top: str) -> Iterator[Visit]:
    """The folder at a path without links, and those below, the outer first; none where it is no
    folder. One that cannot be opened up either is empty."""
    with contextlib.suppress(OSError), folder_of(Path(top)) as above:
        yield from walk_in(above, os.path.basename(top), top)  # noqa: PTH119


def walk_in(above: int, name: str, path: str) -> Iterator[Visit]:
    """The same for the folder `name` in the open folder `above`; `path`: what it is called."""
    descriptors = [above]
    todo = [(path, [name])]  # of each open folder those in it that are left
    seen = 0
    try:
        while todo:
            at, names = todo[-1]
            if not names:
                todo.pop()
                if len(descriptors) > 1:
                    os.close(descriptors.pop())
                continue
            name = names.pop()
            place = f"{at}/{name}" if len(todo) > 1 else path
            try:
                inner = open_folder(name, descriptors[-1])
            except OSError:
                continue  # it is gone, closed, or a link by now
            descriptors.append(inner)
            folders, others = _list(inner)
            seen += len(folders) + len(others)
            is_cut = len(todo) > MOST_DEEP or seen > MOST_ENTRIES
            todo.append((place, [] if is_cut else [*reversed(folders)]))
            yield Visit(place, inner, folders, others, folders if is_cut else ())
    finally:
        for descriptor in descriptors[1:]:
            os.close(descriptor)


def files_below(path: str) -> Iterator[tuple[int, str, str]]:
    """What is at a path without links and below it, but for folders: of each the open folder that
    it is in, its name, and its path."""
    is_folder = False
    for visit in walk(path):
        is_folder = True
        yield from ((visit.descriptor, name, f"{visit.path}/{name}") for name in visit.names)
    if not is_folder:
        with contextlib.suppress(OSError), folder_of(Path(path)) as folder:
            yield folder, os.path.basename(path), path  # noqa: PTH119


def list_folder(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders in the folder at a path without links, and its other names; none where it is no
    folder, or cannot be opened up either."""
    with contextlib.suppress(OSError), folder_of(Path(path)) as above:
        inner = open_folder(os.path.basename(path), above)  # noqa: PTH119
        try:
            return _list(inner)
        finally:
            os.close(inner)
    return (), ()


@contextlib.contextmanager
def entries_of(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """What is in the folder at a real path, also where it has to be opened up to be listed. Their
    `path` is none. Raises OSError."""
    os.stat(f"{path}/.")  # noqa: PTH116 - without the right to enter there are names alone
    with contextlib.ExitStack() as stack:
        try:
            entries = os.scandir(path)  # cheaper than by a descriptor
        except PermissionError:
            descriptor = open_listed(path)
            stack.callback(os.close, descriptor)
            entries = os.scandir(descriptor)
        yield stack.enter_context(entries)


def open_listed(path: str) -> int:
    """A descriptor by which the folder at a real path can be listed. Raises OSError, also where no
    name in it can be reached."""
    try:
        descriptor = os.open(path, FOLDER)
    except PermissionError:
        os.stat(f"{path}/.")  # noqa: PTH116 - one that cannot be entered stays as it is
        with folder_of(Path(path)) as above:
            return open_folder(os.path.basename(path), above)  # noqa: PTH119
    try:
        os.stat(".", dir_fd=descriptor)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _list(folder: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders in a folder, and its other names."""
    try:
        with os.scandir(folder) as entries:
            kinds = {one.name: one.is_dir(follow_symlinks=False) for one in entries}
    except OSError:
        return (), ()
    names = sorted(kinds)
    return tuple(filter(kinds.get, names)), tuple(one for one in names if not kinds[one])
