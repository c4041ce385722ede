"""What files of git hold: an object by itself, and the index of a pack (version 2). A command may
have written anything into them, so there are limits to what is read and inflated."""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from agent_tui.regular_file import open_regular
from agent_tui.safety.folder_walk import folder_of
from agent_tui.safety.sandbox import pack_check
from agent_tui.safety.sandbox.pack_check import PackCheck, hash_size

MOST_INDEXED: Final = 200_000_000
"""Bytes of the names in all indexes of a repository together."""
MOST_IN_OBJECT: Final = 1_000_000_000
"""Bytes that an object may hold to be checked."""
MOST_INFLATED: Final = 256_000_000
"""Bytes that may come out of all objects that are checked, beyond what is usual."""
_USUAL: Final = 10
"""Times as long as its file an object may well be."""
_LONGEST_HEADER: Final = 32
_PIECE: Final = 1_000_000
_SHA1: Final = 40
"""Digits."""
_MAGIC: Final = b"\xfftOc\0\0\0\2"
_FAN: Final = len(_MAGIC)
_NAMES: Final = _FAN + 256 * 4
"""Where the names of objects begin."""
_BESIDE_NAME: Final = 8
"""Bytes that an index has beside each name; for objects far behind in a pack as many again."""


class ObjectCheck:
    """Whether files of objects hold what their names say, as far as the limits allow."""

    def __init__(self) -> None:
        self._left = MOST_INFLATED
        self.unchecked = set[str]()
        """The names of those beyond the limits."""
        self.unchecked_packs = set[str]()
        """The paths of packs, without their endings, for which there was no time."""
        self._end = 0.0

    @property
    def end(self) -> float:
        """Until when new files are read, from the first time that this is asked."""
        self._end = self._end or time.monotonic() + pack_check.MOST_SECONDS
        return self._end

    def is_pack_whole(self, stem: str, packs: PackCheck) -> bool:
        """The pack at the path `stem` without its ending; so is one for which there is no time."""
        is_whole = packs.is_whole(stem, self.end)
        if is_whole is None:
            self.unchecked_packs.add(stem)
        return is_whole is not False

    def is_whole(self, path: str, name: str) -> bool:
        """By its name (hexadecimal); so is one that is not checked. Reads it in pieces."""
        digest = hashlib.sha1(usedforsecurity=False) if len(name) == _SHA1 else hashlib.sha256()
        size = seen = 0
        try:
            with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
                usual = _USUAL * os.fstat(file.fileno()).st_size
                for piece in _inflate(file):
                    size = size or _whole_size(piece)
                    seen += len(piece)
                    if seen > size:
                        return False
                    unusual = min(len(piece), max(0, seen - usual))
                    if size > MOST_IN_OBJECT or unusual > self._left:
                        self.unchecked.add(name)
                        return True
                    self._left -= unusual
                    digest.update(piece)
        except (OSError, zlib.error):
            return False
        return digest.hexdigest() == name


def _inflate(file: BinaryIO) -> Iterator[bytes]:
    """What comes out of it, in pieces. Raises OSError, zlib.error."""
    inflate = zlib.decompressobj()
    while (data := inflate.unconsumed_tail or file.read(_PIECE)) and not inflate.eof:
        if piece := inflate.decompress(data, _PIECE):
            yield piece


def _whole_size(begin: bytes) -> int:
    """Of an object with its header, in bytes, as the header says; 0: it has none."""
    header, end, _ = begin[:_LONGEST_HEADER].partition(b"\0")
    digits = header.partition(b" ")[2]
    return len(header) + len(end) + int(digits) if end and digits.isdigit() else 0


class PackIndex:
    """The names in the index of a pack, in order; none where it cannot be read, its length is not
    what it says itself, or they take more than `most` bytes."""

    def __init__(self, path: str, most: int = MOST_INDEXED) -> None:
        self._size = hash_size(path.removesuffix(".idx"))
        self._data = _read(path, self._size, most)
        self.count = _count(self._data)

    @property
    def length(self) -> int:
        """Bytes of it that are in memory."""
        return len(self._data)

    def _fan(self, first: int) -> int:
        """How many names begin with the byte `first`, or one before it."""
        at = _FAN + first * 4
        return int.from_bytes(self._data[at : at + 4], "big")

    def at(self, number: int) -> bytes:
        start = _NAMES + number * self._size
        return self._data[start : start + self._size]

    def __contains__(self, name: bytes) -> bool:
        if not self.count or not name:
            return False
        low = self._fan(name[0] - 1) if name[0] else 0
        high = self._fan(name[0])
        while low < high:
            middle = (low + high) // 2
            if (found := self.at(middle)) == name:
                return True
            low, high = (middle + 1, high) if found < name else (low, middle)
        return False


def _count(data: bytes) -> int:
    """Of the names in an index, by its begin; 0: it is none."""
    is_index = data[:_FAN] == _MAGIC and len(data) >= _NAMES
    return int.from_bytes(data[_NAMES - 4 : _NAMES], "big") if is_index else 0


def _read(path: str, size: int, most: int) -> bytes:
    """The begin of an index and its names of `size` bytes, where its length fits their number."""
    try:
        with folder_of(Path(path)) as folder:
            name = os.path.basename(path)  # noqa: PTH119
            fd = open_regular(name, os.O_RDONLY | os.O_NOFOLLOW, folder)
        with os.fdopen(fd, "rb") as file:
            begin = file.read(_NAMES)
            count = _count(begin)
            least = _NAMES + count * (size + _BESIDE_NAME) + 2 * size
            is_whole = least <= os.fstat(fd).st_size <= least + count * _BESIDE_NAME
            if not is_whole or _NAMES + count * size > most:
                return b""
            return begin + file.read(count * size)
    except OSError:
        return b""  # it is gone, or broken: it holds nothing
