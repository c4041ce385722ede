"""The folders beside its own that a session may work in: which may be added, and whether one is
still the same.

Only a person names them. A folder is judged by its real path, links resolved once, and known again
by its device and inode: never by anything that lies in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from agent_tui.protocol.session_events import Directory
from agent_tui.safety import paths
from agent_tui.safety.git_config import explain_refusal, find_repository
from agent_tui.structures.frozen import frozen

_SYSTEM: Final = tuple(
    map(
        Path,
        (
            "/bin",
            "/boot",
            "/dev",
            "/etc",
            "/lib",
            "/lib64",
            "/proc",
            "/sbin",
            "/sys",
            "/usr/bin",
            "/usr/lib",
            "/usr/sbin",
            "/System",
            "/Library",
            "/private/etc",
        ),
    )
)
"""With all that is in them."""
_TOO_WIDE: Final = frozenset(
    map(
        Path,
        (
            "/",
            "/home",
            "/media",
            "/mnt",
            "/opt",
            "/run",
            "/srv",
            "/tmp",
            "/usr",
            "/var",
            "/var/tmp",
            "/Applications",
            "/Users",
            "/Volumes",
            "/private",
            "/private/tmp",
            "/private/var",
        ),
    )
)
"""They themselves: what belongs to everybody, or to nobody in particular, is in them."""
_HOMES: Final = (Path("/home"), Path("/Users"))


class Refused(ValueError):
    """A folder that cannot be added: one line that names it and says why."""


@frozen
class Bounds:
    """What is never opened by adding a folder: home folders (`~` is the first), and the program's
    own."""

    homes: tuple[Path, ...]
    own: tuple[Path, ...]

    @classmethod
    def of(cls, homes: Iterable[str], own: Iterable[Path]) -> Bounds:
        """With links resolved; what cannot be resolved counts as it is written."""
        named = (Path(home) for home in homes if home.startswith("/"))
        return cls(tuple(map(_real, named)), tuple(map(_real, own)))


def resolve_directory(text: str, base: Path, bounds: Bounds) -> Path:
    """The real path that a person named, whether or not it is there. Raises Refused."""
    written = text
    if bounds.homes and (text == "~" or text.startswith("~/")):
        written = str(bounds.homes[0]) + text[1:]
    try:
        return paths.resolve(written, base)
    except ValueError as error:
        raise Refused(str(error)) from None


def admit_directory(text: str, base: Path, bounds: Bounds) -> Directory:
    """The folder that a person named, relative to `base`; `~` is their home. Raises Refused."""
    real = resolve_directory(text, base, bounds)
    try:
        about = real.stat(follow_symlinks=False)
    except OSError as error:
        raise Refused(f"{text}: {error.strerror or error}") from None
    if not stat.S_ISDIR(about.st_mode):
        raise Refused(f"{text} is not a folder")
    if why := _closed(real, bounds):
        raise Refused(f"{text} {why}")
    if not os.access(real, os.R_OK | os.X_OK):
        raise Refused(f"{text}: the system denies access to it (permissions)")
    return Directory(str(real), about.st_dev, about.st_ino)


def loss_reason(known: Directory, base: Path, bounds: Bounds) -> str:
    """Why a folder that was added before cannot be used again; empty: it is there, and the same."""
    try:
        now = admit_directory(known.path, base, bounds)
    except Refused as error:
        return str(error)
    if now.path != known.path:
        return f"{known.path} leads to another folder now"
    return "" if now == known else f"{known.path}: another folder is there now"


def places_of(folders: Iterable[Path]) -> Iterator[Path]:
    """All that a session in these folders may change: them, and the repositories that they lie in,
    also where the git folder is elsewhere. Real paths."""
    for folder in map(_real, folders):
        yield folder
        where = find_repository(folder)
        if where is not None and not explain_refusal(where):
            yield from map(_real, (where.top, where.folder, where.common))


def _closed(real: Path, bounds: Bounds) -> str:
    """Why a real path may not be opened as a whole; empty: it may."""
    if real in _TOO_WIDE:
        return "is too large: add only the subfolder that you need"
    if any(real.is_relative_to(one) for one in _SYSTEM):
        return "belongs to the system"
    if real in bounds.homes:
        return "is the home folder: add only the subfolder that you need"
    if real.parent in _HOMES or real == Path("/root"):
        return "is a home folder"
    if any(home.is_relative_to(real) for home in bounds.homes):
        return "contains the home folder"
    if any(one.is_relative_to(real) or real.is_relative_to(one) for one in bounds.own):
        return "belongs to agent-tui or contains its files"
    if not str(real).isprintable():
        return "has characters in its path that cannot be shown"
    fact = paths.facts(str(real), (Path("/"),), deep=False)
    if fact.secret:
        return "has the name of a secret store"
    return f"{fact.protected} (a protected name)" if fact.protected else ""


def _real(path: Path) -> Path:
    try:
        return paths.resolve(str(path), Path("/"))
    except ValueError:
        return path
