"""Whether a pack of git is whole: its content has the checksum at its end, and that is the one that
its index names. Whoever writes in a git folder can put a file of any content there, and git deletes
what a pack seems to hold as well."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import Final

from agent_tui.regular_file import open_regular
from agent_tui.safety.folder_walk import folder_of

MOST_SECONDS: Final = 5.0
"""For the packs that are read after one command."""
OF_SHA256: Final = len("pack-") + 64
"""Characters of the name of a pack without its ending, where git makes longer hashes."""
_SHA1: Final = 20
_SHA256: Final = 32
_COUNT: Final = slice(8, 12)
"""Where a pack says how many objects it has."""
_OF_INDEX: Final = slice(8 + 255 * 4, 8 + 256 * 4)
"""Where its index does."""
_PIECE: Final = 1_000_000
Identity = tuple[tuple[int, int, int], ...]
"""Which files a pack and its index are: number, time of the last change (which nobody can set) and
length."""


class PackCheck:
    """That of one repository. Remembers which packs were whole. Reads files."""

    def __init__(self) -> None:
        self._whole: dict[str, Identity] = {}

    def is_whole(self, stem: str, end: float) -> bool | None:
        """The pack at the path `stem` without its ending; None: that could not be known until the
        time `end` of the clock that only goes forward."""
        if (identity := identify(stem)) is None:
            return False
        if self._whole.get(stem) == identity:
            return True
        try:
            pack = _Ends(f"{stem}.pack", hash_size(stem), end)
            index = _Ends(f"{stem}.idx", hash_size(stem), end)
        except TimeoutError:
            return None
        except OSError:
            return False
        is_whole = (
            (pack.is_whole and index.is_whole)
            and pack.begin[_COUNT] == index.begin[_OF_INDEX]
            and pack.trailer == index.before_trailer
        )
        if is_whole:
            self._whole[stem] = identity
        return is_whole


class _Ends:
    """The begin and the end of a file that ends with the checksum of what is before. Raises OSError,
    TimeoutError."""

    def __init__(self, path: str, size: int, end: float) -> None:
        digest = hashlib.sha1(usedforsecurity=False) if size == _SHA1 else hashlib.sha256()
        self.begin, last = b"", b""
        with folder_of(Path(path)) as folder:
            fd = open_regular(os.path.basename(path), os.O_RDONLY | os.O_NOFOLLOW, folder)  # noqa: PTH119
        with os.fdopen(fd, "rb") as file:
            while data := file.read(_PIECE):
                if time.monotonic() > end:
                    raise TimeoutError
                self.begin = self.begin or data[: _OF_INDEX.stop]
                data = last + data
                digest.update(data[: -2 * size])
                last = data[-2 * size :]
        digest.update(last[:-size])
        self.before_trailer, self.trailer = last[:-size], last[-size:]
        self.is_whole = digest.digest() == self.trailer


def hash_size(stem: str) -> int:
    """Bytes of the hashes of git in a pack, by its name."""
    return _SHA1 if len(os.path.basename(stem)) < OF_SHA256 else _SHA256  # noqa: PTH119


def identify(stem: str) -> Identity | None:
    """Which files a pack and its index are now; None: one of them is not there."""
    found = list[tuple[int, int, int]]()
    for ending in (".pack", ".idx"):
        try:
            about = os.lstat(f"{stem}{ending}")
        except OSError:
            return None
        if not stat.S_ISREG(about.st_mode):
            return None
        found.append((about.st_ino, about.st_ctime_ns, about.st_size))
    return tuple(found)
