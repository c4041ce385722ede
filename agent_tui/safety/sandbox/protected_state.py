"""Whether a command changed what programs obey in the folders of the session: names that were
there, where the sandbox cannot hold them fast, and names that came to be, which no sandbox can.
What was changed can be put back."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType

from agent_tui.regular_file import open_regular
from agent_tui.safety.closed_folders import find_closed, identity, may_enter, open_way
from agent_tui.safety.folder_walk import folder_of, list_folder, open_listed, walk
from agent_tui.safety.git_config import foreign_parts
from agent_tui.safety.name_search import CLOCK, Child, Folder, Name, Visit, own_names, search
from agent_tui.safety.protected_names import fold_name, protection
from agent_tui.safety.sandbox import plain_paths
from agent_tui.safety.sandbox.plain_paths import PlainPaths
from agent_tui.safety.sandbox.workspace_sandbox import (
    GIT_LED_BY,
    Found,
    is_kept_by_git,
    led_by,
    look_through,
)
from agent_tui.structures.frozen import frozen

MOST_FILES = 500
MOST_BYTES = 2_000_000
"""Of protected files together that can be put back."""
MOST_REPOSITORIES = 20
"""Git folders in which links, and names of other folders with objects, are looked for."""
SHARED = "agent-tui-"
"""How the temporary folder that commands share begins."""
MOST_SECONDS = 1.0
"""For the look at all folders after a command; tens of thousands of files take a part of it."""


@frozen
class Was:
    """A file: its mode, which one it is and the time of its last change (which nobody can set), and
    its content (for a link: where it leads)."""

    mode: int
    identity: tuple[int, int]
    content: bytes


@frozen
class Changes:
    """What is another than before, in order; `all_seen`: there was time to look at everything;
    `opened`: folders that were closed meanwhile, and are open again; `closed`: those that cannot be
    looked into."""

    paths: tuple[str, ...]
    all_seen: bool
    opened: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()


class AllowedChanges:
    """Files that were changed as somebody allowed: as they were right after that."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, int] | None] = {}

    def add(self, path: str) -> None:
        """What is at `path` now, and below, may stay. Reads folders."""
        files, _ = _look_below(path)
        self._files |= {file: _identity(file) for file in (path, *files)}

    def without(self, paths: Iterable[str]) -> Iterator[str]:
        """Those of `paths` that nobody allowed; of a folder in which something was allowed, the
        files that were not. Reads folders."""
        for path in paths:
            files, unseen = _look_below(path)
            left = [file for file in files if not self._is_allowed(file)]
            yield from (*left, *unseen) if len(left) < len(files) else (path,)

    @property
    def files(self) -> dict[str, tuple[int, int] | None]:
        """As they were right after: for a later run."""
        return dict(self._files)

    def add_known(self, files: Mapping[str, tuple[int, int] | None]) -> None:
        """What an earlier run knew, where this one knows nothing newer."""
        self._files = {**files, **self._files}

    def _is_allowed(self, path: str) -> bool:
        if (now := _identity(path)) is not None:
            return self._files.get(path) == now
        ways = (path, *map(str, Path(path).parents))
        return any(
            one in self._files and _identity(one) is self._files[one] is None for one in ways
        )


@frozen
class ProtectedState:
    """What is protected in some folders, as it was before a command. Of files too large to keep
    only the time is known; in each of `places` names that come to be are looked for. What a place
    is was decided before the command: nothing that it makes or deletes changes that."""

    roots: tuple[Path, ...]
    begun: int
    found: Found
    files: dict[str, Was]
    large: dict[str, tuple[int, int]]
    places: dict[str, frozenset[str]]
    whole: frozenset[str]
    """Those of the places in which each name counts."""
    known: frozenset[str]
    """Where new names and contents are found without a search."""
    own: tuple[str, ...]
    """Folders of this program, which it changes itself."""
    foreign: frozenset[str] | None = None
    """What in git folders was none of their own; None: nobody looked."""
    closed_since: Mapping[str, int] = field(default_factory=dict)
    """When each folder that could not be looked into so far was first found so: what came to be in
    it since then is not old."""
    ways: frozenset[str] = frozenset()
    """Folders that could be entered."""

    def open_ways(self) -> tuple[str, ...]:
        """Open up what is closed on the way to what was looked at before: it was open then. Returns
        these folders."""
        plain, opened = self._plain_paths(), list[str]()
        for place in sorted(self.ways):
            if not may_enter(place) and (base := plain.base(f"{place}/")) is not None:
                opened += open_way(base, place, self.found.closed)
        return tuple(opened)

    def changed(self) -> Changes:
        """Look what is another than before."""
        plain = self._plain_paths()
        other = {
            path
            for path, was in self.files.items()
            if read_file(path, len(was.content), was) != was
        }
        other |= {path for path, known in self.large.items() if _identity(path) != known}
        other |= {*self._new(plain), *self._newly_led(plain)}
        other |= {*filter(os.path.lexists, self.found.missing)}
        if self.foreign is not None:
            other |= _foreign_parts(self.found) - self.foreign
        search = _After(self)
        below, all_seen = self._new_below(search)
        found = tuple(sorted(other | {*below}))
        closed = search.closed.union(filter(_is_closed, self.closed_since))
        return Changes(found, all_seen, tuple(search.opened), frozenset(closed))

    def is_held(self, path: str) -> bool:
        """Whether it could not be changed where the sandbox has mounts of its own."""
        return path.startswith(tuple(f"{one}/" for one in self.found.fixed)) or (
            path in self.found.fixed
        )

    def content_before(self, path: str) -> bytes | None:
        """What a file held; None: there was none, it was a link, or nothing of it was kept."""
        was = self.files.get(path)
        return was.content if was is not None and stat.S_ISREG(was.mode) else None

    def put_back(self, paths: Sequence[str], aside: Path) -> tuple[str, ...]:
        """Make those of `changed` what they were. What is there now may be a person's own work: it
        moves below `aside`, by its whole path; so does a link in the place of a folder that it
        would lie in. Nothing outside of the session's folders is touched, whatever a command that
        still runs does meanwhile. Returns those where that fails."""
        left = []
        for path in paths:
            try:
                plain_paths.clear(path, self._bases, aside)
                if (was := self.files.get(path)) is not None:
                    plain_paths.write(path, was.mode, was.content)
                elif path in self.large or (path in self.found.names and not self._is_known(path)):
                    left.append(path)
            except (OSError, RecursionError):  # folders in folders without end
                left.append(path)
        return tuple(left)

    def _plain_paths(self) -> PlainPaths:
        return PlainPaths(self._bases)

    @property
    def _bases(self) -> tuple[str, ...]:
        return (*map(str, self.roots), *self.found.git_folders)

    def _new(self, plain: PlainPaths) -> Iterator[str]:
        for place, names in self.places.items():
            if link := plain.link_above(f"{place}/"):
                yield link  # what lies there is none of the session's
                continue
            for name in _names(place) - names:
                path = f"{place}/{name}"
                if path not in self.files and (place in self.whole or self._is_obeyed(place, name)):
                    yield path

    def _is_obeyed(self, place: str, name: str) -> bool:
        is_led = place in self.found.led
        if fold_name(name) in GIT_LED_BY and (is_led or os.path.lexists(f"{place}/HEAD")):
            return True
        return bool(protection((name,))) and (not is_led or Path(place) in self.roots)

    def _newly_led(self, plain: PlainPaths) -> Iterator[str]:
        """Folders of submodules and other work trees that came to be: each as a whole."""
        found = list[str]()
        for place in sorted(one for one in self.found.led if plain.is_plain(f"{one}/")):
            for folder in led_by(place):
                if folder not in self.found.led and not folder.startswith(
                    tuple(f"{outer}/" for outer in found)
                ):
                    found.append(folder)
        yield from found

    def _is_known(self, path: str) -> bool:
        """Whether what is there was read before, or is none of it."""
        return path in self.known or path in self.files or path in self.large

    def _new_below(self, after: _After) -> tuple[list[str], bool]:
        """Names that are obeyed in folders below: those that came to be since the command began, or
        lie in a folder that did, or in another one than before. Not in what builds fill as they
        like, nor in what is protected as a whole."""
        found, end = list[str](), time.monotonic() + MOST_SECONDS
        for root in self.roots:
            ways: tuple[str, ...] = ()
            for visit in search(
                root, self.roots, self._own_names, self._is_new, refused=after.refuse
            ):
                if time.monotonic() > end:
                    return found, False
                if f"{visit.folder.at}/".startswith(ways):
                    continue  # what lies there may be the person's: the link alone is new
                planted = [one for one in visit.names if self._is_planted(one, visit)]
                found += [one.path for one in planted]
                ways += tuple(f"{one.path}/" for one in planted if one.kind == "way")
        return found, True

    def _is_new(self, folder: Folder, child: Child) -> bool:
        """Whether it is another folder than the one that was reached so; of folders that there was
        no time for nobody knows."""
        is_known = folder.at in self.found.looked
        return is_known and self.found.folders.get(child.at) != child.inode

    def _own_names(self, folder: Folder, is_new: bool) -> frozenset[str]:
        """What counts for nothing in a folder: no folder becomes an environment that was
        another."""
        was_one = folder.at in self.found.kept_by_programs
        is_first = is_new and folder.at not in self.found.folders
        return own_names(folder) if was_one or is_first else frozenset()

    def _is_planted(self, name: Name, visit: Visit) -> bool:
        """Whether a name is obeyed and another than before. Renaming a folder changes the time of
        nothing in it, so which file it is counts."""
        path, was = name.path, self.found.names.get(name.path)
        if name.kind == "secret" or path.startswith(self._own_below):
            return False
        if name.kind == "passage" and not self._leads_away(path):
            return False
        if is_kept_by_git(path, self.found.led, self.roots):
            return False
        if self._is_known(path):  # of a folder only what is in it was
            return was is not None and was[1] != name.is_folder
        if visit.is_new:
            return True
        if closed := self.closed_since and self._closed_since(visit.folder.path):
            return self._is_fresh(path, closed)
        is_fresh = self._is_fresh(path)
        if visit.folder.at in self.found.looked:
            return was is None or was[0] != name.inode or (is_fresh and not name.is_folder)
        return is_fresh and self._is_fresh(visit.folder.path)

    def _closed_since(self, path: str) -> int:
        """When a folder that cannot be looked into was found at a path or above it; 0: never."""
        ways = (path, *map(str, Path(path).parents))
        return next((since for one in ways if (since := self.closed_since.get(one))), 0)

    def _leads_away(self, link: str) -> bool:
        """Whether what it leads to can be written by commands and is not looked into."""
        to = os.path.realpath(link)
        shared = f"{os.path.realpath(tempfile.gettempdir())}/{SHARED}"
        places = (shared, *(f"{folder}/" for folder in self.found.git_folders))
        is_inside = any(to.startswith(f"{root}/") for root in self.roots)
        return not is_inside and to.startswith(places)

    def _is_fresh(self, path: str, since: int = 0) -> bool:
        identity = _identity(path)
        return identity is not None and identity[1] >= (since or self.begun)

    @property
    def _own_below(self) -> tuple[str, ...]:
        return tuple(f"{path}/" for path in self.own)


class _After:
    """What a search after a command finds closed: it opens up what was not so before."""

    def __init__(self, state: ProtectedState) -> None:
        self._state = state
        self.opened: list[str] = []
        self.closed: set[str] = set()

    def refuse(self, path: str) -> bool:
        base = next(str(one) for one in self._state.roots if Path(path).is_relative_to(one))
        opened = open_way(base, path, self._state.found.closed)
        self.opened += opened
        if not opened:
            self.closed.add(find_closed(base, path))
        return bool(opened)


def take_state(
    roots: Sequence[Path],
    own: Iterable[Path] = (),
    closed_since: Mapping[str, int] = MappingProxyType({}),
) -> ProtectedState:
    """The state of what is protected in `roots` (real paths), without the program's `own` folders.
    Reads files."""
    begun, found = time.time_ns() - CLOCK, look_through(roots)
    closed = tuple(os.path.realpath(path) for path in own)
    plain = PlainPaths((*map(str, roots), *found.git_folders))
    read = _Reading()
    whole, unseen = set[str](), set[str]()
    for path in (*found.fixed, *found.links):
        is_own = path.startswith(tuple(f"{folder}/" for folder in closed)) or path in closed
        if is_own or not plain.is_plain(path):
            continue
        for visit in walk(path):
            whole.add(visit.path)
            unseen.update(f"{visit.path}/{name}" for name in visit.unseen)
            for name in visit.names:
                read.add(visit.descriptor, name, f"{visit.path}/{name}")
        if path not in whole:
            with contextlib.suppress(OSError), folder_of(Path(path)) as folder:
                read.add(folder, os.path.basename(path), path)  # noqa: PTH119
    led = {place for place in found.led if plain.is_plain(f"{place}/")}
    places = {str(root) for root in roots} | led | whole
    # what is too deep to be looked at counts as new afterwards
    deep = {os.path.split(path) for path in unseen}
    names = {
        place: frozenset(name for name in _names(place) if (place, name) not in deep)
        for place in places
    }
    known = frozenset({*places, *found.fixed, *found.links, *closed})
    ways = {*places, *(os.path.dirname(path) for path in (*read.files, *read.large))}  # noqa: PTH120
    shut = {path for path in ways if not may_enter(path)}
    closed_ones = {**found.closed}
    for path in shut:
        with contextlib.suppress(OSError):  # it is gone
            closed_ones[path] = identity(path)
    found = replace(found, closed=closed_ones)
    since = {**dict.fromkeys(found.closed, begun), **closed_since}
    kept = (read.files, read.large, names, frozenset(whole), known, closed, _foreign_parts(found))
    return ProtectedState(tuple(roots), begun, found, *kept, since, frozenset(ways - shut))


def _is_closed(folder: str) -> bool:
    try:
        os.close(open_listed(folder))
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


def _foreign_parts(found: Found) -> frozenset[str]:
    """In the git folders of the session, and some of those below."""
    folders = (*found.git_folders, *sorted(found.led.difference(found.git_folders)))
    parts = set[str]()
    for folder in folders[:MOST_REPOSITORIES]:
        if os.path.realpath(folder) == folder:
            with contextlib.suppress(OSError):  # it cannot be looked through
                parts.update(foreign_parts(Path(folder)))
    return frozenset(parts)


class _Reading:
    """Files that are read, as far as there is room, and of the others which ones they are."""

    def __init__(self) -> None:
        self.files: dict[str, Was] = {}
        self.large: dict[str, tuple[int, int]] = {}
        self._left = MOST_BYTES

    def add(self, folder: int, name: str, path: str) -> None:
        """The file `name` in an open folder."""
        most = self._left if len(self.files) < MOST_FILES else -1
        if (was := read_at(folder, name, most)) is not None:
            self.files[path] = was
            self._left -= len(was.content)
        elif (about := _about(folder, name)) is not None and _is_file(about):
            self.large[path] = _which(about)


def _look_below(path: str) -> tuple[list[str], list[str]]:
    """The files at and below a path, and the folders that are not looked into."""
    visits = [(visit.path, visit.names, visit.unseen) for visit in walk(path)]
    files = [f"{at}/{name}" for at, names, _ in visits for name in names]
    closed = [f"{at}/{name}" for at, _, unseen in visits for name in unseen]
    return (files if visits else [path]), closed


def _identity(path: str) -> tuple[int, int] | None:
    """Which file is at a path without links, and when it was changed; None: none."""
    with contextlib.suppress(OSError), folder_of(Path(path)) as folder:
        about = _about(folder, os.path.basename(path) or ".")  # noqa: PTH119
        return None if about is None else _which(about)
    return None


def _which(about: os.stat_result) -> tuple[int, int]:
    """Two files can have the same time."""
    return about.st_ino, about.st_ctime_ns


def _about(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None  # it is gone


def _is_file(about: os.stat_result) -> bool:
    return stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode)


def _names(folder: str) -> set[str]:
    folders, others = list_folder(folder)
    return {*folders, *others}


def read_file(path: str, most: int, before: Was | None = None) -> Was | None:
    """`read_at` for the file at a path: None, too, where a link is above it."""
    with contextlib.suppress(OSError), folder_of(Path(path)) as folder:
        return read_at(folder, os.path.basename(path), most, before)  # noqa: PTH119
    return None


def read_at(folder: int, name: str, most: int, before: Was | None = None) -> Was | None:
    """What the file `name` in an open folder is now; None: no file, or one of more than `most`
    bytes. What has the same mode and time and is the same file as `before` is that."""
    about = _about(folder, name)
    if about is None or not _is_file(about):
        return None
    if before is not None and (before.mode, before.identity) == (about.st_mode, _which(about)):
        return before
    try:
        if stat.S_ISLNK(about.st_mode):
            content = os.fsencode(os.readlink(name, dir_fd=folder))
        else:
            fd = open_regular(name, os.O_RDONLY | os.O_NOFOLLOW, folder)
            with os.fdopen(fd, "rb") as file:
                about = os.fstat(fd)  # it may be another one by now
                content = file.read(about.st_size) if about.st_size <= most else b""
    except OSError:
        return None
    if about.st_size > most:
        return None
    same = before is not None and (before.mode, before.content) == (about.st_mode, content)
    return before if same else Was(about.st_mode, _which(about), content)
