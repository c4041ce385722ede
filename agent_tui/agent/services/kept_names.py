"""What stood at the names that programs obey before a job began that may outlive the program: a
file for each, so that a later start finds what the job planted meanwhile."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path, PosixPath
from typing import Any, Final

from agent_tui.paths import make_private
from agent_tui.safety import file_access
from agent_tui.safety.process import tree
from agent_tui.safety.sandbox.protected_state import ProtectedState, Was
from agent_tui.safety.sandbox.workspace_sandbox import Found
from agent_tui.sessions.log.lock import Lock, SessionLocked
from agent_tui.structures.frozen import frozen

LONGEST: Final = 8_000_000
"""Bytes of such a file: contents have 2 MB of it, the rest are names."""
SUFFIX: Final = ".names"


@frozen
class KeptNames:
    """The names around the job `number` of `session`, which began in the folder `cwd`, by `place`
    that very one (device and inode). `way`: how its sandbox was made; `allowed`: what somebody let
    change, as `AllowedChanges.files`."""

    session: str
    cwd: str
    place: tuple[int, int]
    command: str
    process: str
    number: int
    way: str
    state: ProtectedState
    allowed: Mapping[str, tuple[int, int] | None]


_CLASSES: Final = {
    (one.__module__, one.__qualname__): one
    for one in (KeptNames, ProtectedState, Was, Found, Path, PosixPath)
}


class NamesFolder:
    """Those files, for a session in the folder `cwd`. Who judges one has its lock, which the system
    drops with the program. Methods read and write files: not for the loop."""

    def __init__(self, folder: Path, cwd: Path) -> None:
        self._folder, self._cwd = folder, cwd
        self._locks: dict[str, Lock] = {}

    def keep(self, id: str, names: KeptNames) -> None:
        """From now on this program judges it; ended, the next one does. Raises OSError."""
        data = pickle.dumps(names)
        if len(data) > LONGEST:
            raise OSError("there are too many files to remember")
        make_private(self._folder)
        if not self._lock(id):
            raise OSError("another program looks after it")
        file_access.atomic_write(self._file(id), data, 0o600)

    @property
    def are_there(self) -> bool:
        return any(self._folder.glob(f"*{SUFFIX}"))

    def forget(self, id: str) -> None:
        """It is judged, or need not be. Raises OSError."""
        self._file(id).unlink(missing_ok=True)
        self.release(id)

    def release(self, id: str) -> None:
        """Another program may judge it."""
        if (lock := self._locks.pop(id, None)) is not None:
            lock.release()

    def close(self) -> None:
        """Other programs may judge what this one has not."""
        for id in tuple(self._locks):
            self.release(id)

    def take(self, id: str) -> KeptNames | None:
        """What is to be judged here, by this program from now on; None: nothing, or another program
        does so. That of a folder that is there no more, or another one by now, is forgotten."""
        names = _read(self._file(id))
        if names is None or names.cwd != str(self._cwd) or id in self._locks or not self._lock(id):
            return None
        if _read(self._file(id)) is None:  # another program was first
            self.release(id)
        elif place_of(self._cwd) != names.place:
            self.forget(id)
        else:
            return names
        return None

    def ended(self) -> Iterator[str]:
        """The ids of those whose job has ended."""
        for file in sorted(self._folder.glob(f"*{SUFFIX}")):
            names = _read(file)
            if names is not None and names.cwd == str(self._cwd) and not tree.find(names.process):
                yield file.stem

    def _lock(self, id: str) -> bool:
        if id in self._locks:
            return True
        lock = Lock(self._folder / f"{id}.lock")
        try:
            lock.take()
        except (SessionLocked, OSError):
            return False
        self._locks[id] = lock
        return True

    def _file(self, id: str) -> Path:
        return self._folder / f"{id}{SUFFIX}"


def place_of(folder: Path) -> tuple[int, int]:
    """Which folder it is. Raises OSError."""
    about = folder.stat()
    return about.st_dev, about.st_ino


DAMAGED: Final = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RecursionError,
    TypeError, ValueError, pickle.UnpicklingError,
)  # fmt: skip
"""What reading such a file raises where somebody changed a byte of it."""


class _Reader(pickle.Unpickler):
    """Makes nothing but what is kept here."""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _CLASSES[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name}") from None


def _read(file: Path) -> KeptNames | None:
    """None: it is no such file, or one of another version, or has just gone."""
    try:
        found = _Reader(io.BytesIO(file_access.read_regular(file, LONGEST))).load()
    except DAMAGED:
        return None
    return found if isinstance(found, KeptNames) else None
