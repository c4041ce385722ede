"""Folders that whoever owns them cannot list or enter, by their own modes: a command can close one
over what it did in there, and a person may have reasons to.

One that can be entered is opened up for the moment in which it is listed. One that cannot stays as
it is where it was so before a command; where a command closed it, it is opened up for good, for
nothing in it can be looked at, or put back, otherwise. All by descriptors: no link is followed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLACE: Final = getattr(os, "O_PATH", 0) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MODES: Final = threading.RLock()
"""Two at once would take each other's mode for the one to put back."""

Identity = tuple[int, int]
"""Which folder it is, and when it was changed, which nobody can set."""


def open_folder(name: str, above: int) -> int:
    """A descriptor by which the folder `name` in the open folder `above` can be listed. Raises
    OSError."""
    try:
        return os.open(name, FOLDER, dir_fd=above)
    except PermissionError:
        with _place(name, above) as place:
            return open_again(place)


def open_again(place: int) -> int:
    """The same for a folder that was opened as a place alone. Raises OSError."""
    try:
        return os.open(".", FOLDER, dir_fd=place)
    except PermissionError:
        with opened_up(place):
            return os.open(".", FOLDER, dir_fd=place)


@contextlib.contextmanager
def opened_up(place: int) -> Iterator[None]:
    """The folder that was opened as a place alone can be listed and changed meanwhile, if it is
    ours. Raises OSError."""
    with _MODES:
        about = os.fstat(place)
        before = stat.S_IMODE(about.st_mode)
        if before & stat.S_IRWXU == stat.S_IRWXU or about.st_uid != os.geteuid():
            yield
            return
        opened = _open_up(place)
        try:
            yield
        finally:
            if stat.S_IMODE(os.fstat(place).st_mode) == opened:  # else a command has set another
                _set_mode(place, before)


@contextlib.contextmanager
def movable(name: str, folder: int) -> Iterator[None]:
    """What is `name` in an open folder can be moved meanwhile, if both are ours. Raises OSError."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(opened_up(folder))
        with contextlib.suppress(NotADirectoryError, FileNotFoundError):
            place = stack.enter_context(_place(name, folder))
            stack.enter_context(opened_up(place))  # a folder that moves has another one above it
        yield


def open_all(name: str, above: int) -> None:
    """Open up for good the folder `name` in an open one, and those in it. Raises OSError."""
    with _place(name, above) as place:
        if stat.S_IMODE(os.fstat(place).st_mode) & stat.S_IRWXU != stat.S_IRWXU:
            _open_up(place)
        descriptor = os.open(".", FOLDER, dir_fd=place)
        try:
            with os.scandir(descriptor) as entries:
                below = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
        finally:
            os.close(descriptor)
        for one in below:
            open_all(one, place)


def open_way(base: str, path: str, known: Mapping[str, Identity]) -> tuple[str, ...]:
    """Open up for good what is ours and closed on the way from the folder `base` to the folder at a
    real path in it, both included; not one of `known` that nobody has changed. Returns what was
    opened."""
    found, at = list[str](), os.path.dirname(base)  # noqa: PTH120
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        above = stack.enter_context(_place(at, None))
        for name in (os.path.basename(base), *Path(path).relative_to(base).parts):  # noqa: PTH119
            at = f"{at.rstrip('/')}/{name}"
            above = stack.enter_context(_place(name, above))
            if not _is_closed(above):
                continue
            if known.get(at) == identity(above):
                break
            with _MODES:
                _open_up(above)
            found.append(at)
    return tuple(found)


def find_closed(base: str, path: str) -> str:
    """The outermost folder on that way that is closed: what is in it is out of reach."""
    at = base
    for name in Path(path).relative_to(base).parts:
        if not may_enter(at):
            return at
        at = f"{at}/{name}"
    return at


def may_enter(folder: str) -> bool:
    """Also true of one that is gone."""
    try:
        os.stat(f"{folder}/.")  # noqa: PTH116
    except OSError as error:
        return not isinstance(error, PermissionError)
    return True


def identity(place: int | str) -> Identity:
    """Of an open folder, or the one at a path. Raises OSError."""
    about = os.stat(place)  # noqa: PTH116
    return about.st_ino, about.st_ctime_ns


@contextlib.contextmanager
def _place(name: str, above: int | None) -> Iterator[int]:
    """A folder, opened for nothing but its name: that needs no right to it. Raises OSError."""
    place = os.open(name, _PLACE, dir_fd=above)
    try:
        yield place
    finally:
        os.close(place)


def _is_closed(place: int) -> bool:
    try:
        os.close(os.open(".", FOLDER, dir_fd=place))
    except PermissionError:
        return True
    return False


def _open_up(place: int) -> int:
    """Returns the mode that it has now. Raises OSError."""
    about = os.fstat(place)
    if about.st_uid != os.geteuid():
        raise PermissionError(f"it is not ours: {about.st_uid}")
    mode = stat.S_IMODE(about.st_mode) | stat.S_IRWXU
    _set_mode(place, mode)
    return mode


def _set_mode(place: int, mode: int) -> None:
    os.chmod(f"/proc/self/fd/{place}", mode)  # noqa: PTH101 - the descriptor itself takes none
