"""Whether a command changed what programs obey in the folders of the session: names that were
there, where the sandbox cannot hold them fast, and names that came to be, which no sandbox can.
What was changed can be put back."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agent_tui.regular_file import open_regular
from agent_tui.safety.protected_names import fold_name, protection
from agent_tui.safety.sandbox.workspace_sandbox import GIT_LED_BY, Found, look_through
from agent_tui.safety.secret_search import ENVIRONMENT, NOT_ENTERED
from agent_tui.structures.frozen import frozen

MOST_FILES = 500
MOST_BYTES = 2_000_000
"""Of protected files together that can be put back."""
MOST_SECONDS = 1.0
"""For the look at all folders after a command; tens of thousands of files take a part of it."""
OF_ENVIRONMENT = frozenset(
    {ENVIRONMENT, "bin", "include", "lib", "lib64", "share", "Lib", "Scripts"}
)
"""Of a new virtual environment: programs that nobody runs unless they enter it."""
CLOCK = 20_000_000
"""Nanoseconds that a file system's clock may be behind ours."""


@frozen
class _Was:
    """A file: its mode, the time of its last change (which nobody can set), and its content (for a
    link: where it leads)."""

    mode: int
    time: int
    content: bytes


@frozen
class Changes:
    """What is another than before, in order; `all_seen`: there was time to look at everything."""

    paths: tuple[str, ...]
    all_seen: bool


@frozen
class ProtectedState:
    """What is protected in some folders, as it was before a command. Of files too large to keep only
    the time is known; in each of `places` names that come to be are looked for. What a place is was
    decided before the command: nothing that it makes or deletes changes that."""

    roots: tuple[Path, ...]
    begun: int
    found: Found
    files: dict[str, _Was]
    large: dict[str, int]
    places: dict[str, frozenset[str]]
    whole: frozenset[str]
    """Those of the places in which each name counts."""
    own: tuple[str, ...]
    """Folders of this program, which it changes itself."""

    def changed(self) -> Changes:
        """Look what is another than before."""
        other = {path for path, was in self.files.items() if _read(path, was) != was}
        other |= {path for path, time in self.large.items() if _changed_at(path) != time}
        other |= {*self._new(), *filter(_is_there, self.found.missing)}
        below, all_seen = self._new_below()
        return Changes(tuple(sorted(other | {*below})), all_seen)

    def put_back(self, paths: Sequence[str], aside: Path) -> tuple[str, ...]:
        """Make those of `changed` what they were. What is there now may be a person's own work: it
        moves below `aside`, by its whole path. Returns those where that fails."""
        left = []
        for path in paths:
            try:
                _move(path, f"{aside}{path}")
                if (was := self.files.get(path)) is not None:
                    _write(path, was)
                elif path in self.large:
                    left.append(path)
            except OSError:
                left.append(path)
        return tuple(left)

    def _new(self) -> Iterator[str]:
        for place, names in self.places.items():
            for name in _names(place) - names:
                path = f"{place}/{name}"
                if path not in self.files and (place in self.whole or self._is_obeyed(place, name)):
                    yield path

    def _is_obeyed(self, place: str, name: str) -> bool:
        is_led = place in self.found.led
        if fold_name(name) in GIT_LED_BY and (is_led or os.path.lexists(f"{place}/HEAD")):
            return True
        return bool(protection((name,))) and (not is_led or Path(place) in self.roots)

    def _new_below(self) -> tuple[list[str], bool]:
        """Names that are obeyed in folders below: those that came to be since the command began, or
        lie in a folder that did. Not in what builds fill as they like, nor in what is protected
        as a whole."""
        found, end = list[str](), time.monotonic() + MOST_SECONDS
        known = {*self.places, *self.found.fixed, *self.found.links, *self.found.environments}
        known |= {*self.own, *(path for path in self.files), *self.large}
        for root in self.roots:
            todo = deque([(str(root), False)])
            while todo:
                if time.monotonic() > end:
                    return found, False
                folder, is_new = todo.popleft()
                for entry, is_obeyed in self._look_into(folder, is_new, root):
                    if entry.name in NOT_ENTERED or entry.path in known:
                        continue
                    if is_obeyed:
                        found.append(entry.path)
                    elif entry.is_dir(follow_symlinks=False):
                        before = self.found.below.get(folder)
                        came = before is not None and entry.path not in before
                        todo.append((entry.path, is_new or came))
        return found, True

    def _look_into(
        self, folder: str, is_new: bool, root: Path
    ) -> Iterator[tuple[os.DirEntry[str], bool]]:
        """What is in a folder, and whether it is obeyed and new."""
        try:
            fresh = is_new or os.lstat(folder).st_ctime_ns >= self.begun
            entries = list(os.scandir(folder))
        except OSError:
            return  # it is gone
        if is_new and any(entry.name == ENVIRONMENT for entry in entries):
            entries = [entry for entry in entries if entry.name not in OF_ENVIRONMENT]
        parts = Path(folder).relative_to(root).parts
        for entry in entries:
            is_obeyed = fresh and bool(protection((*parts, entry.name), root.parts))
            yield entry, is_obeyed and (is_new or (_changed_at(entry.path) or 0) >= self.begun)


def take_state(roots: Sequence[Path], own: Iterable[Path] = ()) -> ProtectedState:
    """The state of what is protected in `roots` (real paths), without the program's `own` folders.
    Reads files."""
    begun, found = time.time_ns() - CLOCK, look_through(roots)
    closed = tuple(os.path.realpath(path) for path in own)
    files: dict[str, _Was] = {}
    large: dict[str, int] = {}
    budget = MOST_BYTES
    whole: set[str] = set()
    for path in (*found.fixed, *found.links):
        if not path.startswith(tuple(f"{folder}/" for folder in closed)) and path not in closed:
            for file in _below(path, whole):
                size = _size(file)
                if size is None:
                    continue
                was = _read(file) if size <= budget and len(files) < MOST_FILES else None
                if was is not None:
                    files[file] = was
                    budget -= len(was.content)
                elif (changed := _changed_at(file)) is not None:
                    large[file] = changed
    places = {str(root) for root in roots} | found.led | whole
    names = {place: frozenset(_names(place)) for place in places}
    return ProtectedState(tuple(roots), begun, found, files, large, names, frozenset(whole), closed)


def _below(path: str, folders: set[str]) -> Iterator[str]:
    """The files below; the folders are added to `folders`."""
    if not os.path.isdir(path) or os.path.islink(path):  # noqa: PTH112, PTH114
        yield path
        return
    for at, _, names in os.walk(path):
        folders.add(at)
        yield from (f"{at}/{name}" for name in sorted(names))


def _is_there(path: str) -> bool:
    return os.path.lexists(path)


def _changed_at(path: str) -> int | None:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return None  # it is gone


def _size(path: str) -> int | None:
    """Of a file or a link; else None."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    is_file = stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode)
    return about.st_size if is_file else None


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return set()  # it is gone


def _read(path: str, before: _Was | None = None) -> _Was | None:
    """What is there now; None: no file. Whoever has the same time and mode as `before` is that."""
    try:
        about = os.lstat(path)
        mode = about.st_mode
        if before is not None and (before.mode, before.time) == (mode, about.st_ctime_ns):
            return before
        if stat.S_ISLNK(mode):
            return _Was(mode, about.st_ctime_ns, os.fsencode(os.readlink(path)))  # noqa: PTH115
        if not stat.S_ISREG(mode):
            return None
        with os.fdopen(open_regular(path), "rb") as file:  # by now it may be a pipe
            content = file.read()
    except OSError:
        return None
    same = before is not None and (before.mode, before.content) == (mode, content)
    return before if same else _Was(mode, about.st_ctime_ns, content)


def _move(path: str, to: str) -> None:
    if os.path.lexists(path):
        os.makedirs(os.path.dirname(to), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
        shutil.move(path, to, _copy)


def _copy(path: str, to: str, follow_symlinks: bool = True) -> None:
    """What has a content; a pipe or a socket, which would block or fail, has none."""
    if stat.S_ISREG(os.lstat(path).st_mode):
        shutil.copy2(path, to, follow_symlinks=follow_symlinks)


def _write(path: str, was: _Was) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    if stat.S_ISLNK(was.mode):
        os.symlink(was.content, path)  # noqa: PTH211
        return
    with open(path, "xb") as file:  # noqa: PTH123
        file.write(was.content)
        os.fchmod(file.fileno(), stat.S_IMODE(was.mode))
