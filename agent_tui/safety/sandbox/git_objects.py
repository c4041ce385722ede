"""What files of git hold: an object by itself, and the index of a pack (version 2)."""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import Final

from agent_tui.regular_file import open_regular

_PIECE: Final = 1_000_000
_SHA1: Final = 40
"""Digits."""
_MAGIC: Final = b"\xfftOc\0\0\0\2"
_FAN: Final = len(_MAGIC)
_OF_SHA256: Final = len("pack-.idx") + 64
_NAMES: Final = _FAN + 256 * 4
"""Where the names of objects begin."""


def is_whole(path: str, name: str) -> bool:
    """Whether the file of an object holds what its name (hexadecimal) says. Reads it in pieces."""
    digest = hashlib.sha1(usedforsecurity=False) if len(name) == _SHA1 else hashlib.sha256()
    inflate = zlib.decompressobj()
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            while (data := inflate.unconsumed_tail or file.read(_PIECE)) and not inflate.eof:
                digest.update(inflate.decompress(data, _PIECE))
    except (OSError, zlib.error):
        return False
    return digest.hexdigest() == name


class PackIndex:
    """The names in the index of a pack, in order; none where it cannot be read."""

    def __init__(self, path: str) -> None:
        self._data = data = _read(path)
        whole = data[:_FAN] == _MAGIC and len(data) > _NAMES
        self.count = self._fan(255) if whole else 0
        self._size = 20 if len(os.path.basename(path)) < _OF_SHA256 else 32  # noqa: PTH119

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


def _read(path: str) -> bytes:
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read()
    except OSError:
        return b""  # it is gone, or broken: it holds nothing
