"""Moving and writing files in the folders of a session while its commands may still change them: by
descriptors of real folders, so that no link, however late it comes, leads anywhere else."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.safety.closed_folders import movable, open_all, opened_up
from agent_tui.safety.folder_walk import folder_of

_MOST_TRIES: Final = 100
_MOST_LINKS: Final = 10
"""In the place of folders above a path, that are set aside for it."""
_LINKS_SEEN: Final = (errno.ELOOP, errno.ENOTDIR)
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_NOFOLLOW | os.O_CLOEXEC


class PlainPaths:
    """Which paths below `bases` (real folders, in which commands write) have no link above them.
    Each folder is looked at once: a new look needs a new one of these."""

    def __init__(self, bases: Iterable[str]) -> None:
        self._bases = tuple(base.rstrip("/") for base in bases)
        self._links: dict[str, bool] = {}

    def base(self, path: str) -> str | None:
        """The outermost of the folders that `path` is in."""
        return min(
            (one for one in self._bases if path.startswith(f"{one}/")), default=None, key=len
        )

    def link_above(self, path: str) -> str:
        """The outermost link above a path, below its base; empty: there is none."""
        base = self.base(path)
        at = path if base is None else base
        for part in path[len(at) + 1 :].split("/")[:-1]:
            at = f"{at}/{part}"
            if at not in self._links:
                self._links[at] = os.path.islink(at)  # noqa: PTH114
            if self._links[at]:
                return at
        return ""

    def is_plain(self, path: str) -> bool:
        return self.base(path) is not None and not self.link_above(path)


def move_aside(path: str, aside: Path) -> None:
    """Move what lies at a path without links, if anything does, below the folder `aside`, by its
    whole path; where something was moved there before, below a number in it. Raises OSError."""
    name = os.path.basename(path)  # noqa: PTH119
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(folder_of(Path(path)))
        except FileNotFoundError:
            return
        if not _is_there(name, folder):
            return
        to = stack.enter_context(_place_aside(path, aside))
        try:
            _rename(name, folder, to)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with contextlib.suppress(NotADirectoryError):
                open_all(name, folder)
            with movable(name, folder):
                _copy(name, folder, to)
                _remove(name, folder)


def _rename(name: str, folder: int, to: int) -> None:
    try:
        os.rename(name, name, src_dir_fd=folder, dst_dir_fd=to)
    except PermissionError:  # a command can take our own rights to either away
        with movable(name, folder):
            os.rename(name, name, src_dir_fd=folder, dst_dir_fd=to)


def clear(path: str, bases: Sequence[str], aside: Path) -> None:
    """Nothing is at a path below one of `bases` any more, nor a link above it: what there was is
    moved below `aside`. Raises OSError."""
    if PlainPaths(bases).base(path) is None:
        raise PermissionError(errno.EPERM, "is in no folder of the session", path)
    for _ in range(_MOST_LINKS):
        if not (link := PlainPaths(bases).link_above(path)):
            break
        move_aside(link, aside)
    move_aside(path, aside)


def write(path: str, mode: int, content: bytes) -> None:
    """Make a file, or by its mode a link, at a path without links, and the folders that are
    missing; never over what is there. Raises OSError."""
    name = os.path.basename(path)  # noqa: PTH119
    with folder_of(Path(path), make=True) as folder:
        try:
            _make(name, folder, mode, content)
        except PermissionError:
            with opened_up(folder):
                _make(name, folder, mode, content)


def _make(name: str, folder: int, mode: int, content: bytes) -> None:
    if stat.S_ISLNK(mode):
        os.symlink(content, name, dir_fd=folder)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), stat.S_IMODE(mode))


def open_up(path: str, rights: int) -> bool:
    """The folder at a path without links gives its owner all rights, where it does not give these;
    whether that was so. False, too, where none is there. Raises OSError."""
    name = os.path.basename(path)  # noqa: PTH119
    try:
        mode = os.lstat(path).st_mode
        if mode & rights == rights or not stat.S_ISDIR(mode):
            return False
        mode = stat.S_IMODE(mode) | stat.S_IRWXU
        with folder_of(Path(path)) as above:
            if not hasattr(os, "O_PATH"):
                os.chmod(name, mode, dir_fd=above, follow_symlinks=False)
                return True
            # a closed folder cannot be opened to be read, and a link must not be followed
            folder = os.open(name, os.O_PATH | _FOLDER, dir_fd=above)
            try:
                os.chmod(f"/proc/self/fd/{folder}", mode)  # noqa: PTH101
            finally:
                os.close(folder)
    except OSError as error:
        if error.errno in (errno.ENOENT, *_LINKS_SEEN):
            return False
        raise
    return True


@contextlib.contextmanager
def _place_aside(path: str, aside: Path) -> Iterator[int]:
    """A folder below `aside` in which nothing has the name of `path`: what was moved there may be a
    link, too."""
    os.makedirs(aside, mode=0o700, exist_ok=True)  # noqa: PTH103
    real, name = os.path.realpath(aside), os.path.basename(path)  # noqa: PTH119
    for number in range(_MOST_TRIES):
        place = Path(f"{real}/{number}{path}" if number else f"{real}{path}")
        with contextlib.ExitStack() as stack:
            try:
                folder = stack.enter_context(folder_of(place, make=True))
            except OSError as error:
                if error.errno in _LINKS_SEEN:
                    continue
                raise
            if not _is_there(name, folder):
                yield folder
                return
    raise FileExistsError(errno.EEXIST, "too much was moved there", str(aside))


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _copy(name: str, folder: int, to: int) -> None:
    """What has a content; a pipe or a socket, which would block or fail, has none."""
    about = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(about.st_mode):
        os.symlink(os.readlink(name, dir_fd=folder), name, dir_fd=to)
    elif stat.S_ISREG(about.st_mode):
        source = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | _FILE, dir_fd=folder)
        with os.fdopen(source, "rb") as file:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
            with os.fdopen(os.open(name, flags, 0o600, dir_fd=to), "wb") as made:
                shutil.copyfileobj(file, made)
                os.fchmod(made.fileno(), stat.S_IMODE(about.st_mode))
                os.utime(made.fileno(), ns=(about.st_atime_ns, about.st_mtime_ns))
    elif stat.S_ISDIR(about.st_mode):
        os.mkdir(name, 0o700, dir_fd=to)
        inner, made_folder = os.open(name, _FOLDER, dir_fd=folder), -1
        try:
            made_folder = os.open(name, _FOLDER, dir_fd=to)
            for one in os.listdir(inner):  # noqa: PTH208
                _copy(one, inner, made_folder)
        finally:
            for descriptor in (inner, made_folder):
                if descriptor >= 0:
                    os.close(descriptor)


def _remove(name: str, folder: int) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)  # follows no links
    else:
        os.unlink(name, dir_fd=folder)
