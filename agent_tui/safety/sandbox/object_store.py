"""What a repository holds that never changes, its objects and packs, kept where commands do not
reach: small files as copies, large ones by a second name. A listing says what is new and what is
gone."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.regular_file import open_regular
from agent_tui.safety.folder_walk import folder_of, list_folder
from agent_tui.safety.sandbox.git_objects import MOST_INDEXED, ObjectCheck, PackIndex
from agent_tui.safety.sandbox.pack_check import Identity, PackCheck, identify
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

MOST_SECONDS: Final = 1.0
"""For what is kept before one command; the rest follows before the next one."""
SMALL: Final = 8_000_000
"""Bytes of a file up to which it is copied: a second name does not help where a command empties the
file itself, but costs no room."""
MOST_COPIED: Final = 64_000_000
"""Bytes that are copied before one command; what is more has a second name, if the file system
allows it."""
MOST_STORED: Final = 1_000_000_000
"""Bytes of such copies of a repository."""
MOST_SAMPLED: Final = 20_000
"""Objects of a pack that is gone, by which it is decided whether others hold what it held."""
MOST_LOOKED_AT: Final = 500
"""Objects whose size is looked at after each command: who empties objects empties many."""
LASTS: Final = 86_400.0
"""Seconds for which what vanished from a repository is kept."""
_SETTLED: Final = 100_000_000
"""Nanoseconds after which a change of a folder has another time than the one before."""
_FOLDER: Final = late.pattern(r"[0-9a-f]{2}")
_OF_LOOSE: Final = (38, 62)
"""Characters of the name of an object in a folder, as SHA-1 and SHA-256 make them; that of one that
is just written has others."""
_HEX: Final = late.pattern(r"[0-9a-f]+")
_KEPT: Final = 0o600
"""The mode of a copy."""
_GONE: Final = 0o400
"""That of one that git has no file for any more."""
_ENDINGS: Final = (".pack", ".idx", ".rev", ".mtimes", ".bitmap")
_PACK: Final = late.pattern(r"pack-[0-9a-f]{40,64}\.\w+")

_PIECE: Final = 1_000_000
Listed = dict[str, tuple[tuple[int, int], frozenset[str]]]
"""What was in a folder by its path, with its number and the time of its last change."""


@frozen
class Objects:
    """The files below an `objects` folder that never change: `ab/cdef…`, and `pack/pack-….pack`
    with their sizes."""

    loose: frozenset[str]
    packs: Mapping[str, int]

    @property
    def names(self) -> frozenset[str]:
        return self.loose | self.packs.keys()

    def is_size(self, name: str, size: int) -> bool:
        """Whether a file of a pack may be that long; what git can make anew may have any size."""
        return not name.endswith((".pack", ".idx", ".rev")) or self.packs.get(name, size) == size

    def without(self, names: Collection[str]) -> Objects:
        packs = {name: size for name, size in self.packs.items() if name not in names}
        return Objects(self.loose.difference(names), packs)


def list_objects(folder: str, known: Listed) -> Objects:
    """What is in an `objects` folder now; nothing where it is gone. Follows no link. `known` is
    what the last look saw: only folders that have changed since are looked into again."""
    found, now = list[frozenset[str]](), time.time_ns()
    for name in list_folder(folder)[0]:
        at = f"{folder}/{name}"
        if not _FOLDER.fullmatch(name) or (stamp := _stamp(at)) is None:
            continue
        was = known.get(at)
        if was is None or was[0] != stamp:
            inside = (f"{name}/{one}" for one in list_folder(at)[1] if len(one) in _OF_LOOSE)
            was = (stamp, frozenset(inside))
            if now - stamp[1] > _SETTLED:
                known[at] = was
        found.append(was[1])
    at = f"{folder}/pack"
    packs = {
        f"pack/{one}": about.st_size
        for one in list_folder(at)[1]
        if _PACK.fullmatch(one) and (about := _about(f"{at}/{one}")) is not None
    }
    return Objects(frozenset().union(*found), packs)


class ObjectStore:
    """What is kept of one repository, in a folder of this program. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.folder = folder, str(folder)
        self._kept: set[str] | None = None
        self._copied = 0
        self._folders = set[str]()
        """Those that were made."""
        self._gone: dict[str, float] = {}
        """Those that are no files of git any more, and since when (seconds since the epoch)."""
        self._packs = PackCheck()
        self._seen: dict[str, Identity | None] = {}
        """The packs that were there before the last command."""

    def keep(self, objects: str, now: Objects) -> None:
        """Keep what is new in the folder `objects`, which holds `now`; what is no file of it any
        more is let go after a while. Raises OSError."""
        make_private(self._folder)
        kept = self._list_kept()
        self._let_go(objects, now)
        end, left = time.monotonic() + MOST_SECONDS, min(MOST_COPIED, MOST_STORED - self._copied)
        for name in (*(now.packs.keys() - kept), *(now.loose - kept)):
            if time.monotonic() > end:
                break
            copied = self._take(objects, name, left)
            left, self._copied = left - copied, self._copied + copied
        self._seen = {stem: identify(f"{objects}/{stem}") for stem in _stems(now)}

    def _let_go(self, objects: str, now: Objects) -> None:
        """What is gone for long; where there is no room, all that packs hold as well that are known
        to be whole."""
        gone = self._list_kept() - now.names
        for name in self._gone.keys() - gone:
            self._mark(name, _KEPT)  # it is there again
        self._gone = {name: self._gone.get(name) or self._since(name) for name in gone}
        old = {name for name in gone if time.time() - self._gone[name] > LASTS}
        if gone and self._copied >= MOST_STORED:
            check = ObjectCheck()
            spare = gone - self.lost(gone, self.find_held(objects, now, now, check))
            old |= frozenset() if check.unchecked_packs else spare
        for name in old:
            about = _about(self._path(name))
            if about is not None and about.st_nlink < 2:
                self._copied -= about.st_size
            Path(self._path(name)).unlink(missing_ok=True)
            self._list_kept().discard(name)
            self._gone.pop(name, None)

    def _since(self, name: str) -> float:
        """When it was first seen that it is gone: its mark has the time. A second name has it since
        it is the only one."""
        about = _about(self._path(name))
        if about is None or not about.st_mode & stat.S_IWUSR:
            return 0.0 if about is None else about.st_ctime
        self._mark(name, _GONE)
        return time.time()

    def _mark(self, name: str, mode: int) -> None:
        """Only copies: the mode of a second name is that of the first."""
        about = _about(self._path(name))
        if about is not None and stat.S_IMODE(about.st_mode) in (_KEPT, _GONE):
            with contextlib.suppress(OSError):
                os.chmod(self._path(name), mode)  # noqa: PTH101

    def find_held(self, objects: str, now: Objects, before: Objects, check: ObjectCheck) -> Held:
        """What the folder `objects` holds, which was `before`; what is new must be whole."""
        return Held(objects, now, now.loose - before.loose, check, self._packs)

    def _list_kept(self) -> set[str]:
        if self._kept is None:
            held = list_objects(str(self._folder), {})
            self._kept = {*held.names}
            found = (_about(self._path(name)) for name in self._kept)
            self._copied = sum(one.st_size for one in found if one is not None and one.st_nlink < 2)
        return self._kept

    def _take(self, objects: str, name: str, left: int) -> int:
        """Returns how many bytes were copied. Raises OSError."""
        source, to = Path(objects, name), self._path(name)
        if (place := name.partition("/")[0]) not in self._folders:
            os.makedirs(self._path(place), 0o700, exist_ok=True)  # noqa: PTH103
            self._folders.add(place)
        with contextlib.ExitStack() as opened:
            try:
                folder = opened.enter_context(folder_of(source))
                fd = open_regular(source.name, os.O_RDONLY | os.O_NOFOLLOW, folder)
            except OSError:
                return 0  # git has just packed it, or it is none of git's
            opened.callback(os.close, fd)
            size = os.fstat(fd).st_size
            is_linked = size > min(SMALL, left) and _link(fd, folder, source.name, to)
            if not is_linked:
                if size > left:
                    return 0
                _copy(fd, to)
        self._list_kept().add(name)
        return 0 if is_linked else size

    def find_damaged(
        self, objects: str, before: Objects, now: Objects, check: ObjectCheck
    ) -> frozenset[str]:
        """Those of `now` that were emptied or cut since `before`: all packs are looked at, and a
        part of the objects; where one of them is, all."""
        packs = before.packs.keys() & now.packs.keys()
        loose = before.loose & now.loose & self._list_kept()
        step = max(1, len(loose) // MOST_LOOKED_AT)
        found = {name for name in packs if not before.is_size(name, now.packs[name])}
        for stem in _stems(before) & _stems(now):
            is_same = self._seen.get(stem) == identify(f"{objects}/{stem}") is not None
            if not is_same and not check.is_pack_whole(f"{objects}/{stem}", self._packs):
                found |= {f"{stem}.pack", f"{stem}.idx"}
        for part in (islice(loose, 0, None, step), loose):
            damaged = {name for name in part if self._is_other(objects, name, check)}
            if not damaged:
                break
            found |= damaged
        return frozenset(found)

    def _is_other(self, objects: str, name: str, check: ObjectCheck) -> bool:
        """Whether it is another file than the whole one that is kept."""
        now, kept = _about(f"{objects}/{name}"), _about(self._path(name))
        if now is None or kept is None or now.st_size == kept.st_size:
            return False
        if not self._is_whole(name, check):  # the system ended while it was written
            Path(self._path(name)).unlink(missing_ok=True)
            self._list_kept().discard(name)
            return False
        return True

    def _is_whole(self, name: str, check: ObjectCheck) -> bool:
        return check.is_whole(self._path(name), name.replace("/", ""))

    def lost(self, gone: Iterable[str], held: Held) -> frozenset[str]:
        """Those of `gone` whose content is nowhere in `held`: all files of a pack stay together.
        Reads the indexes of packs."""
        loose = {name for name in gone if not name.startswith("pack/")}
        files = {*gone} - loose
        stems = {name.rpartition(".")[0] for name in files}
        spare = {stem for stem in stems if self._is_held(stem, held)}
        files = {name for name in files if name.rpartition(".")[0] not in spare}
        return frozenset({*files, *(name for name in loose if _hash(name) not in held)})

    def _is_held(self, stem: str, held: Held) -> bool:
        """Whether what a pack that is gone held is all somewhere else."""
        names = PackIndex(self._path(f"{stem}.idx"))
        step = max(1, names.count // MOST_SAMPLED)
        return names.count > 0 and all(
            names.at(number) in held for number in range(0, names.count, step)
        )

    def _is_kept_whole(self, name: str, check: ObjectCheck) -> bool:
        """A second name may have been overwritten with the first."""
        stem = self._path(name.rpartition(".")[0])
        is_kept = name.endswith((".pack", ".idx")) and identify(stem) is not None
        return not is_kept or check.is_pack_whole(stem, self._packs)

    def youngest(self, names: Iterable[str]) -> float:
        """When the last of these was made (seconds since the epoch)."""
        found = (_about(self._path(name)) for name in names)
        return max((about.st_mtime for about in found if about is not None), default=0.0)

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def put_back(
        self, names: Iterable[str], objects: str, before: Objects, check: ObjectCheck
    ) -> tuple[frozenset[str], bool]:
        """Give files back to the folder `objects`, which has no link above it, and does not hold
        them; returns those of `names` that are not whole here, either, or where that fails, and
        whether it did for one."""
        left, is_failed = set[str](), False
        for name in names:
            source, to = self._path(name), Path(objects, name)
            about = _about(source)
            is_loose = not name.startswith("pack/")
            if about is None or not (
                self._is_whole(name, check)
                if is_loose
                else before.is_size(name, about.st_size) and self._is_kept_whole(name, check)
            ):
                left.add(name)
                continue
            try:
                _give(source, to, about.st_size)
            except OSError:
                left.add(name)
                is_failed = True
        return frozenset(left), is_failed


class Held:
    """The names of all objects that a folder holds whole, in packs or not; what is too much to be
    checked counts as whole. Reads indexes, packs and the loose objects `new` as far as they are
    needed."""

    def __init__(
        self,
        objects: str,
        now: Objects,
        new: frozenset[str] = frozenset(),
        check: ObjectCheck | None = None,
        packs: PackCheck | None = None,
    ) -> None:
        self._objects, self._loose, self._new = objects, now.loose, new
        self._check, self._packs = check or ObjectCheck(), packs or PackCheck()
        self._stems = sorted(_stems(now))
        self._known: dict[str, bool] = {}

    @cached_property
    def _indexes(self) -> Mapping[str, PackIndex]:
        found, left = dict[str, PackIndex](), MOST_INDEXED
        for stem in self._stems:
            found[stem] = index = PackIndex(f"{self._objects}/{stem}.idx", left)
            left -= index.length
        return found

    def __contains__(self, name: bytes) -> bool:
        text = name.hex()
        loose = f"{text[:2]}/{text[2:]}"
        if loose in self._loose and (loose not in self._new or self._is_whole(loose)):
            return True
        return any(name in one and self._is_whole(stem) for stem, one in self._indexes.items())

    def _is_whole(self, name: str) -> bool:
        """A loose object, or a pack without its ending."""
        if name not in self._known:
            path = f"{self._objects}/{name}"
            if name.startswith("pack/"):
                self._known[name] = self._check.is_pack_whole(path, self._packs)
            elif time.monotonic() < self._check.end:
                self._known[name] = self._check.is_whole(path, name.replace("/", ""))
            else:
                self._known[name] = not is_empty(path)
        return self._known[name]

    def find_broken(self) -> frozenset[str]:
        """The files that hold nothing although their names say so, as far as they were looked
        at; new objects that are empty."""
        for stem, index in self._indexes.items():
            if not index.count:
                self._is_whole(stem)
        names = {name for name, is_whole in self._known.items() if not is_whole}
        packs = {name for name in names if name.startswith("pack/")}
        names |= {name for name in self._new if is_empty(f"{self._objects}/{name}")}
        return frozenset({*(names - packs), *(f"{one}{end}" for one in packs for end in _ENDINGS)})


def _stems(objects: Objects) -> frozenset[str]:
    """Packs that have an index, without their endings."""
    found = {name.removesuffix(".idx") for name in objects.packs if name.endswith(".idx")}
    return frozenset(stem for stem in found if f"{stem}.pack" in objects.packs)


def _hash(loose: str) -> bytes:
    """Of an object by its file; empty: that is none of git's."""
    digits = loose.replace("/", "")
    return bytes.fromhex(digits) if _HEX.fullmatch(digits) else b""


def _stamp(folder: str) -> tuple[int, int] | None:
    """Which folder it is, and the time of its last change, which nobody can set; None: none."""
    about = _about(folder)
    if about is None or not stat.S_ISDIR(about.st_mode):
        return None
    return about.st_ino, about.st_ctime_ns


def _about(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None  # it is gone


def is_empty(path: str) -> bool:
    """Whether a file is there that holds nothing."""
    about = _about(path)
    return about is not None and stat.S_ISREG(about.st_mode) and about.st_size == 0


def _link(fd: int, folder: int, name: str, to: str) -> bool:
    """Whether the open file `name` in `folder` has a second name now; not on another file system,
    or for another owner's file. Raises OSError."""
    try:
        os.link(name, to, src_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return True  # another session was first
    except OSError:
        return False
    if os.path.samestat(os.fstat(fd), os.lstat(to)):
        return True
    os.unlink(to)  # noqa: PTH108  # it took the place of the other meanwhile
    return False


def _copy(source: int, to: str) -> None:
    """Raises OSError."""
    part, about = f"{to}.{os.getpid()}", os.fstat(source)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    made = os.open(part, flags, _KEPT)
    try:
        _pour(source, made, about.st_size)
        os.utime(made, ns=(about.st_atime_ns, about.st_mtime_ns))
    finally:
        os.close(made)
    os.rename(part, to)  # noqa: PTH104


def _give(source: str, to: Path, size: int) -> None:
    """A name for a large file, else a copy: what is kept stays out of reach. Raises OSError."""
    with folder_of(to, make=True) as folder:
        if size > SMALL:
            with contextlib.suppress(OSError):  # another file system, or another owner's file
                os.link(source, to.name, dst_dir_fd=folder, follow_symlinks=False)
                return
        fd = open_regular(source, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with contextlib.suppress(FileExistsError):  # it is there again
                made = os.open(to.name, flags, 0o444, dir_fd=folder)
                try:
                    _pour(fd, made, size)
                finally:
                    os.close(made)
        finally:
            os.close(fd)


def _pour(source: int, to: int, most: int) -> None:
    """Copy the first `most` bytes: a file may grow meanwhile. Raises OSError."""
    while most > 0 and (data := os.read(source, min(most, _PIECE))):
        most -= len(data)
        while data:
            data = data[os.write(to, data) :]
