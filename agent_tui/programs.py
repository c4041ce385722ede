"""Which program a name means: never one that a project brings, whatever PATH says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from agent_tui.paths import repository_folders


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
    """What of PATH is absolute and does not lie in `top` (a real path), where anybody could have
    put a program. Where nothing is left it names no folder: an empty one means another to some. A
    home folder is no project: `~/.local/bin` is the person's own, also for a session that works in
    `~`."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    home = environment.get("HOME", "")
    personal = bool(home) and Path(home).is_relative_to(top)
    kept = [
        one
        for one in entries
        if Path(one).is_absolute() and (personal or not lies_in(Path(one), top))
    ]
    return os.pathsep.join(kept) or os.devnull


def find_program(name: str, path: str) -> str | None:
    """The whole path of the first program of this name in the absolute folders of `path`; None:
    there is none. A name that is a path says itself which program is meant, if it is a whole one.
    """
    if "/" in name:
        return name if Path(name).is_absolute() else None
    found = (Path(folder, name) for folder in path.split(os.pathsep) if Path(folder).is_absolute())
    return next((str(one) for one in found if os.access(one, os.X_OK) and one.is_file()), None)


def lies_in(path: Path, top: Path) -> bool:
    """Whether a path lies in a folder, by its name or where it really is; also where that cannot be
    known. What lies in the root of all folders is nobody's project."""
    try:
        return top != top.parent and (
            path.is_relative_to(top) or path.resolve().is_relative_to(top)
        )
    except (OSError, RuntimeError):
        return True
