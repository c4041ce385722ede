"""The repositories of a session while commands run: what is kept of them is on disk, so that a
start after the program was killed can still put back what was lost."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import shutil
import threading
import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from agent_tui.safety.file_access import read_regular
from agent_tui.safety.git_config import explain_foreign_parts
from agent_tui.safety.process import tree
from agent_tui.safety.sandbox.git_files import MOST_BYTES
from agent_tui.safety.sandbox.git_history import History, PutBack, State, take_state
from agent_tui.safety.sandbox.git_objects import ObjectCheck
from agent_tui.safety.sandbox.object_store import (
    LASTS,
    Listed,
    Objects,
    ObjectStore,
    list_objects,
)
from agent_tui.safety.sandbox.protected_state import Was

MOST: Final = 20
"""Repositories that are looked at, those around the folders of the session first."""
UNUSED: Final = 7 * 86_400.0
"""Seconds after which what is kept of a repository goes, if no session works in it."""
_WHERE: Final = "repository"
_LONGEST_PATH: Final = 4_097
_RUNNING: Final = ".running"
_IDLE: Final = ".idle"
_DAMAGED: Final = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, TypeError,
    RecursionError, ValueError, pickle.UnpicklingError,
)  # fmt: skip
"""What reading a state raises where somebody changed a byte of it."""
UNREADABLE: Final = (MemoryError, OSError, OverflowError, RecursionError, ValueError)
"""What a look at a history may raise: a command can write anything into it."""


class Histories:
    """Of all repositories of a session, kept below `folder`. Methods read and write files, and may
    be called by several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = f"{tree.identity(os.getpid()).encode().hex()}-{uuid.uuid4().hex[:8]}"
        self._kept: dict[str, _Kept] = {}
        self._guarded: dict[str, bool] = {}
        self._limits: dict[str, str] = {}
        self._told = set[str]()
        self._lock = threading.Lock()

    def take(
        self, roots: Sequence[Path], own: Sequence[str], led: Iterable[str] = ()
    ) -> tuple[History, ...]:
        """As they are now: those around `roots` with the git folders `own`, and those with the git
        folders `led` in and below them; all are real paths. Raises UNREADABLE."""
        with self._lock:
            if not self._guarded:
                self._prune()
            every = (*own, *sorted({*led}.difference(own)))
            found = [path for path in every if self._guards(path)]
            for path in found[MOST:]:
                self._limits[path] = f"only {MOST} repositories are looked at together"
            return tuple(self._take(common, common in own, roots) for common in found[:MOST])

    def _take(self, common: str, is_own: bool, roots: Sequence[Path]) -> History:
        history = self._of(common).take(is_own, roots)
        if not history.is_all:
            self._limits[common] = "it has too many files, or they are too large"
        return history

    def new_limits(self) -> dict[str, str]:
        """The git folders of which not all can be put back, each with the reason, that were not
        asked for before."""
        with self._lock:
            new = {path: self._limits[path] for path in self._limits.keys() - self._told}
            self._told |= new.keys()
            return dict(sorted(new.items()))

    def put_back(
        self, taken: Sequence[History], bases: Sequence[str], aside: Path, ended: bool = True
    ) -> tuple[PutBack, ...]:
        """What was lost of them, and is there again; what is in the way moves below `aside`.
        `ended`: nothing of the command runs any more. One that cannot be looked at is tried again
        at the next start. Raises UNREADABLE."""
        with self._lock:
            own = {one.common for one in taken if self._of(one.common).is_own}
            found = _put_back(taken, own, bases, aside)
            troubled = _troubled(found)
            for one in taken if ended else ():
                if one.common not in troubled:
                    self._of(one.common).end(one)
        return found

    def recover(self, roots: Sequence[Path], aside: Path) -> tuple[PutBack, ...]:
        """The same for commands of programs that were killed meanwhile, in one of `roots`. Raises
        UNREADABLE."""
        files, taken = dict[Path, str](), list[History]()
        own, bases = set[str](), {*map(str, roots)}
        for file in self._folder.glob(f"*/*{_RUNNING}"):
            if _lives(file) or (known := _load(file)) is None:
                continue
            state, is_own, before = known
            if bases.isdisjoint(before):
                continue
            files[file] = state.common
            taken.append(History(state, ObjectStore(file.parent), {}))
            if is_own:
                own.add(state.common)
        with self._lock:
            found = _put_back(taken, own, (*bases, *own), aside)
        troubled = _troubled(found)
        for file, common in files.items():
            if common not in troubled:
                file.unlink(missing_ok=True)
        return found

    def _guards(self, folder: str) -> bool:
        """Whether it is that of a whole repository, and no link."""
        if folder not in self._guarded:
            is_link = os.path.realpath(folder) != folder
            is_shared = os.path.exists(f"{folder}/commondir")  # noqa: PTH110
            is_whole = _is_real_folder(f"{folder}/objects") and not is_shared
            self._guarded[folder] = is_whole and not is_link
            if self._guarded[folder] and (limit := explain_limit(folder)):
                self._limits[folder] = limit
        return self._guarded[folder]

    def find_gone(self, roots: Sequence[Path]) -> tuple[tuple[str, str], ...]:
        """The git folders around `roots` that are gone from folders that are there, each with the
        folder where objects of it are still kept."""
        found = list[tuple[str, str]]()
        for where in self._folder.glob(f"*/{_WHERE}"):
            with contextlib.suppress(OSError):
                common = os.fsdecode(read_regular(where, _LONGEST_PATH))
                around = Path(common).parent
                is_near = any(r.is_relative_to(around) or around.is_relative_to(r) for r in roots)
                if not is_near or _is_there(common) or not around.is_dir():
                    continue
                if "/modules/" not in common and list_objects(str(where.parent), {}).names:
                    found.append((common, str(where.parent)))
        return tuple(sorted(found))

    def _of(self, common: str) -> _Kept:
        if common not in self._kept:
            name = hashlib.sha256(os.fsencode(common)).hexdigest()[:16]
            self._kept[common] = _Kept(common, self._folder / name, self._name)
        return self._kept[common]

    def _prune(self) -> None:
        """Drop what is kept of repositories that are gone, or that nobody has worked in for
        long."""
        for where in self._folder.glob(f"*/{_WHERE}"):
            with contextlib.suppress(FileNotFoundError):  # another program was first
                is_there = os.path.isdir(os.fsdecode(where.read_bytes()))  # noqa: PTH112
                if time.time() - where.stat().st_mtime > (UNUSED if is_there else LASTS):
                    shutil.rmtree(where.parent, ignore_errors=True)
            for file in where.parent.glob(f"*{_IDLE}"):
                if not _lives(file):
                    file.unlink(missing_ok=True)


class _Kept:
    """What a session keeps of one repository."""

    def __init__(self, common: str, folder: Path, name: str) -> None:
        self._common, self._folder, self._name = common, folder, name
        self._store, self._listed = ObjectStore(folder), Listed()
        self._last: State | None = None
        self._written: State | None = None
        self._open = set[History]()
        self.is_own = False

    def take(self, is_own: bool, roots: Iterable[Path]) -> History:
        known = {} if self._last is None else self._last.files
        self._last = state = take_state(self._common, known, self._listed)
        self._store.keep(f"{self._common}/objects", state.objects)
        self.is_own = is_own
        (self._folder / _WHERE).write_bytes(os.fsencode(self._common))
        self._write(state, [*map(str, roots)])
        history = History(state, self._store, self._listed)
        self._open.add(history)
        return history

    def _write(self, state: State, roots: Sequence[str]) -> None:
        """A later start finds it, should the program be killed. While a command runs, what was
        there before it stays."""
        if self._open:
            return
        running, idle = self._file(_RUNNING), self._file(_IDLE)
        if self._written != state or not idle.exists():
            idle.write_bytes(_pack(state, self.is_own, roots))
            self._written = state
        idle.replace(running)

    def end(self, history: History) -> None:
        self._open.discard(history)
        if not self._open and (running := self._file(_RUNNING)).exists():
            running.replace(self._file(_IDLE))

    def _file(self, kind: str) -> Path:
        return self._folder / f"{self._name}{kind}"


def _put_back(
    taken: Sequence[History], own: Collection[str], bases: Sequence[str], aside: Path
) -> tuple[PutBack, ...]:
    """The outer ones first. A repository below that went with the folder around it may be one that
    nobody needs, such as a build makes: what was its history is then below `aside`."""
    found, check = list[PutBack](), ObjectCheck()
    for one in sorted(taken, key=lambda one: len(one.common)):
        outer = {back.folder for back in found if "HEAD" in back.parts}
        stays = one.common in own or _is_wanted(one.common, outer)
        to = one.common if stays else f"{aside}{one.common}"
        try:
            back = one.put_back(bases, aside, to, check)
        except UNREADABLE as error:
            back = PutBack(one.common, to, trouble=explain_unreadable(error))
        if back is not None:
            found.append(back)
    return tuple(found)


def explain_limit(folder: str) -> str:
    """Why not all of the history in a git folder can be put back, in one line; empty: it can."""
    if not _is_real_folder(f"{folder}/objects"):
        return f"{folder}/objects is a link, or missing"
    return explain_foreign_parts(Path(folder))


def _is_there(common: str) -> bool:
    """Whether a history is; a file says where it has moved."""
    if os.path.isfile(common):  # noqa: PTH113
        return True
    return os.path.isdir(f"{common}/objects") and os.path.lexists(f"{common}/HEAD")  # noqa: PTH112


def _is_real_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)  # noqa: PTH112, PTH114


def explain_unreadable(error: BaseException) -> str:
    """One of UNREADABLE in one line."""
    said = error.strerror if isinstance(error, OSError) else ""
    return " ".join((said or str(error)).split()) or type(error).__name__


def _troubled(found: Iterable[PutBack]) -> set[str]:
    return {back.folder for back in found if back.trouble or back.is_failed}


def _is_wanted(common: str, outer: Collection[str]) -> bool:
    if os.path.isdir(common):  # noqa: PTH112
        return True
    if any(common.startswith(f"{folder}/") for folder in outer):
        return True
    above = os.path.dirname(common)  # noqa: PTH120
    return "/modules/" not in common and os.path.isdir(above)  # noqa: PTH112


def _lives(file: Path) -> bool:
    """Whether the program that made a state still runs."""
    try:
        known = bytes.fromhex(file.name.partition("-")[0]).decode()
    except ValueError:
        return False  # none of ours
    return bool(tree.find(known))


def _pack(state: State, is_own: bool, roots: Sequence[str]) -> bytes:
    files = {path: (was.mode, was.identity, was.content) for path, was in state.files.items()}
    objects = (state.objects.loose, dict(state.objects.packs))
    return pickle.dumps((state.common, files, objects, state.trees, is_own, tuple(roots)))


class _Reader(pickle.Unpickler):
    """Makes nothing but plain values."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")


def _load(file: Path) -> tuple[State, bool, set[str]] | None:
    """A state, whether its repository is around a folder of its session, and these folders; None:
    it is none, or has just gone."""
    try:
        data = read_regular(file, 2 * MOST_BYTES)
        common, files, objects, trees, is_own, roots = _Reader(io.BytesIO(data)).load()
        kept = {path: Was(*was) for path, was in files.items()}
        return State(common, kept, Objects(*objects), trees), is_own, set(roots)
    except _DAMAGED:
        return None
