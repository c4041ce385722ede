"""The index of git, read without git: which paths it tracks."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

from agent_tui.regular_file import open_regular
from agent_tui.safety.git_config import Repository, read_text

MAX_BYTES: Final = 200_000_000
"""Of an index; that of the largest known repositories is a third of it."""
_STOP_EVERY_ENTRIES: Final = 2_000
"""Entries between two looks at the stop flag: two milliseconds."""
_FIXED: Final = 40
"""Bytes of an entry before its hash."""
_EXTENDED: Final = 0x40
_FOLDER: Final = 0x40
_SUBMODULE: Final = 0xE0


_SETTLED_NS: Final = 3_000_000_000
"""Nanoseconds after which no further change can have the same time."""
_MOST_INDEXES: Final = 20


class BadIndex(ValueError):
    """The index cannot be used: one line that says why."""


class Stopped(Exception):
    """Nobody waits for the answer any more."""


def read_tracked(where: Repository, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """The paths from the top of the work tree; a submodule, and a folder that is not checked out,
    with a slash behind.

    Raises BadIndex, Stopped, OSError.
    """
    return list(read_entries(where, stopped))


def read_entries(
    where: Repository, stopped: Callable[[], bool] = lambda: False
) -> dict[str, bytes]:
    """The same, each with the name that git gives to its content; in a conflict, to that of the
    last side. Raises BadIndex, Stopped, OSError."""
    try:
        with os.fdopen(open_regular((where.folder / "index").resolve()), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return {}  # nothing was ever added
    except OSError as error:
        if error.errno == 0:
            raise BadIndex(f"{error.filename} {error.strerror}") from None
        raise
    if len(data) > MAX_BYTES:
        raise BadIndex(f"it is larger than {MAX_BYTES // 1_000_000} MB")
    config = read_text(where.common / "config")
    size = 32 if re.search(r"(?im)^\s*objectformat\s*=\s*sha256\s*$", config) else 20
    return parse_index(data, size, stopped)


def parse_index(
    data: bytes, hash_size: int = 20, stopped: Callable[[], bool] = lambda: False
) -> dict[str, bytes]:
    """The paths in the bytes of an index, each with the name of its content. Raises BadIndex,
    Stopped."""
    if len(data) < 12 + hash_size or data[:4] != b"DIRC":
        raise BadIndex("it is not an index of git")
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if version not in (2, 3, 4):
        raise BadIndex(f"version {version} is not known")
    end = len(data) - hash_size
    if count * (_FIXED + hash_size + 4) > end:
        raise BadIndex("it is cut off")
    said = data[end:]
    if (
        any(said)
        and (hashlib.sha1 if hash_size == 20 else hashlib.sha256)(data[:end]).digest() != said
    ):
        raise BadIndex("its checksum differs")
    names: list[bytes] = []
    contents: list[bytes] = []
    at = 12
    for at in _entries(data, version, count, end, hash_size, names, contents):  # noqa: B007 - where the last one ends
        if len(names) % _STOP_EVERY_ENTRIES == 0 and stopped():
            raise Stopped
    if any(kind == b"link" for kind in _extensions(data, at, end)):
        raise BadIndex("it is split")  # most of it is in another file
    texts = os.fsdecode(b"\n".join(names)).split("\n") if names else []
    return dict(zip(texts, contents, strict=True))  # a conflict has an entry for each side


def _entries(
    data: bytes,
    version: int,
    count: int,
    end: int,
    hash_size: int,
    names: list[bytes],
    contents: list[bytes],
) -> Iterator[int]:
    """Adds the name of each entry to `names`, that of its content to `contents`, and yields where
    it ends."""
    at, head, name = 12, _FIXED + hash_size + 2, b""
    find = data.find
    for _ in range(count):
        begin = at + head
        if begin > end:
            raise BadIndex("it is cut off")
        if version > 2 and data[begin - 2] & _EXTENDED:
            begin += 2
        if version == 4:
            lost, begin = _number(data, begin, end)
            stop = find(0, begin, end)
            if stop < 0 or lost > len(name):
                raise BadIndex("it is damaged")
            name = name[: len(name) - lost] + data[begin:stop]
            following = stop + 1
        else:
            stop = find(0, begin, end)
            if stop < 0:
                raise BadIndex("it is cut off")
            name = data[begin:stop]
            following = at + (stop - at + 8 & ~7)
        kind = data[at + 26] & 0xF0
        if name and b"\n" not in name:
            names.append(
                name + b"/" if kind in (_FOLDER, _SUBMODULE) and not name.endswith(b"/") else name
            )
            contents.append(data[at + _FIXED : at + _FIXED + hash_size])
        at = following
        yield at


def _number(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A number of variable length, and where it ends (git: `decode_varint`)."""
    value = -1
    while at < end:
        byte = data[at]
        at += 1
        value = (value + 1 << 7) + (byte & 0x7F)
        if not byte & 0x80:
            return value, at
    raise BadIndex("it is cut off")


def _extensions(data: bytes, at: int, end: int) -> Iterator[bytes]:
    while at + 8 <= end:
        yield data[at : at + 4]
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")


_indexes: dict[str, tuple[tuple[int, ...], dict[str, bytes]]] = {}
"""What an index said, by what tells that it changed."""


def is_settled(about: os.stat_result) -> bool:
    """Whether any further change would have another time, as clocks of disks are coarse. It is
    asked before something is read that is to be known for longer."""
    return about.st_ctime_ns < time.time_ns() - _SETTLED_NS


def read_index(where: Repository) -> dict[str, bytes]:
    """The same, which is read again only if the index has changed. Raises BadIndex and OSError."""
    index = f"{where.folder}/index"
    try:
        about = os.stat(index)  # noqa: PTH116
    except FileNotFoundError:
        return {}
    stamp = (about.st_ctime_ns, about.st_size, about.st_dev, about.st_ino)
    if index in _indexes and _indexes[index][0] == stamp:
        return _indexes[index][1]
    settled = is_settled(about)
    entries = read_entries(where)
    if settled:
        if len(_indexes) > _MOST_INDEXES:
            _indexes.clear()
        _indexes[index] = (stamp, entries)
    return entries


class Tracked:
    """Below which folders git has something: those are no work of a program that makes folders. Of
    an index that cannot be read nothing is known. It is read when somebody asks."""

    def __init__(self, where: Repository | None) -> None:
        self.where = where

    def has_below(self, folder: str) -> bool:
        if self.where is None:
            return False
        below = f"{os.path.relpath(folder, self.where.top)}/".removeprefix("./")
        return any(path.startswith(below) for path in self._paths)

    @cached_property
    def _paths(self) -> frozenset[str]:
        assert self.where is not None  # else nobody asks
        try:
            return frozenset(read_index(self.where))
        except (OSError, BadIndex):
            return frozenset()
