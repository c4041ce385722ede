"""Which program a name means: never one that a project brings, whatever PATH says."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from agent_tui.paths import repository_folders

_closed: Final[list[Path]] = []
"""Real paths of the folders that sessions of this process work in, or did: a command in the sandbox
may write there, so no program in them is ever started by the program itself."""


def close_folders(folders: Iterable[Path], environment: Mapping[str, str]) -> None:
    """No program of our own is found in these folders (real paths) from now on. A home folder, and
    what holds one, is no project: see `search_path`."""
    _closed.extend(
        one for one in folders if one not in _closed and not _is_personal(environment, one)
    )


def own_path(environment: Mapping[str, str], folder: Path | None = None) -> str:
    """The PATH by which the program finds programs of its own for who works in `folder` (None: in
    the current one)."""
    try:
        top = repository_folders(folder or Path.cwd())[0].resolve()
    except (
        OSError,
        RuntimeError,
    ):  # the folder is gone, or behind links in a circle: nothing lies in it
        top = Path("/")
    return search_path(environment, top)


def search_path(environment: Mapping[str, str], top: Path) -> str:
    """What of PATH is absolute and does not lie in `top` (a real path) or in a folder of a session,
    where anybody could have put a program. Where nothing is left it names no folder: an empty one
    means another to some. A home folder is no project: `~/.local/bin` is the person's own, also for
    a session that works in `~`."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    closed = _closed if _is_personal(environment, top) else (top, *_closed)
    kept = [
        one for one in entries if Path(one).is_absolute() and not _lies_in_any(Path(one), closed)
    ]
    return os.pathsep.join(kept) or os.devnull


def find_program(name: str, path: str, *closed: Path) -> str | None:
    """The whole path of the first program of this name in the absolute folders of `path`; None:
    there is none. One that lies in a folder of a session, or in one that is `closed`, is none, also
    where a link leads there. A name that is a path says itself which program is meant, if it is a
    whole one."""
    if "/" in name:
        return name if Path(name).is_absolute() else None
    found = (Path(folder, name) for folder in path.split(os.pathsep) if Path(folder).is_absolute())
    there = (one for one in found if os.access(one, os.X_OK) and one.is_file())
    return next((str(one) for one in there if not _lies_in_any(one, (*closed, *_closed))), None)


def lies_outside(name: str, path: str, *closed: Path) -> bool:
    """Whether a shell finds no program of this name in `path`, or one that does not lie in a folder
    that is `closed`."""
    for folder in path.split(os.pathsep):
        one = Path(folder, name)
        if not one.is_absolute():
            return False  # nobody knows where that is
        if os.access(one, os.X_OK) and one.is_file():
            return not _lies_in_any(one, closed)
    return True


def _is_personal(environment: Mapping[str, str], folder: Path) -> bool:
    home = environment.get("HOME", "")
    return bool(home) and Path(home).is_relative_to(folder)


def _lies_in_any(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a path lies in one of these folders, by its name or where it really is; also where
    that cannot be known. What lies in the root of all folders is nobody's project."""
    projects = {one for one in folders if one != one.parent}
    try:
        return any(not projects.isdisjoint((one, *one.parents)) for one in (path, path.resolve()))
    except (OSError, RuntimeError):
        return bool(projects)
