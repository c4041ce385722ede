"""What files held before a tool changed them, by the SHA-256 of their content."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from agent_tui.regular_file import open_regular
from agent_tui.sessions.log.private import make_folder, sync_folder, write_all

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
DAY: Final = 86_400.0
ASIDE: Final = "before-"
"""How a folder of contents begins that are kept only until it is known whether they are wanted."""
LARGEST: Final = 256_000_000
"""Bytes of a content that is read: none that is put here is so large."""


def _part(name: str) -> bool:
    """Whether it is a content that was not written whole."""
    return name.startswith(".") and name.count(".") == 3


def _content(path: Path) -> bytes:
    """What the file holds; a link or a pipe in its place is none of ours. Raises OSError."""
    with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return file.read()


class Blobs:
    """A folder of contents, each in a file named by its hash. Equal contents are kept once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, content: bytes, synced: bool = True, sha: str = "") -> str:
        """Keep `content`; returns its SHA-256. It is on disk, whole, when this returns; unless
        `synced`, a power cut can still take it. `sha`: the SHA-256, where it is known. Raises
        OSError."""
        sha = sha or hashlib.sha256(content).hexdigest()
        path = self.folder / sha
        if self._holds(path, content):
            os.utime(path)  # it counts as new
            return sha
        make_folder(self.folder)
        part = self.folder / f".{sha}.{os.getpid()}.{os.urandom(4).hex()}"
        fd = os.open(
            part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            try:
                write_all(fd, content)
                if synced:
                    os.fsync(fd)
            finally:
                os.close(fd)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        if synced:
            sync_folder(self.folder)
        return sha

    def aside(self, name: str) -> Blobs:
        """Contents of files that may be about to change: of those that do not, nothing stays."""
        return Blobs(self.folder / f"{ASIDE}{name}")

    def keep_from(self, aside: Blobs, wanted: Iterable[str]) -> None:
        """Keep the contents `wanted` that `aside` has. Raises nothing, as `sync`."""
        for sha in dict.fromkeys(wanted):
            with contextlib.suppress(OSError, ValueError):
                self.put(aside.get(sha), synced=False)

    def clear(self) -> None:
        """Drop all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def sync(self, wanted: Iterable[str]) -> None:
        """Make these contents survive a power cut. Raises nothing: what is not kept any more is
        said where it is missed."""
        known = [sha for sha in dict.fromkeys(wanted) if _SHA256.fullmatch(sha)]
        for sha in known:
            with (
                contextlib.suppress(OSError),
                os.fdopen(open_regular(self.folder / sha), "rb") as file,
            ):
                os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            if known:
                sync_folder(self.folder)

    def get(self, sha: str) -> bytes:
        """The content with this hash. Raises FileNotFoundError (there is none), ValueError
        (damaged, or no hash)."""
        if not _SHA256.fullmatch(sha):
            raise ValueError(f"{sha!r} is no SHA-256")
        content = _content(self.folder / sha)
        if hashlib.sha256(content).hexdigest() != sha:
            raise ValueError(f"the kept content {sha[:12]} is damaged")
        return content

    def touch(self, wanted: Iterable[str]) -> None:
        """Let these contents count as new: they belong to a session that is worked at."""
        for sha in wanted:
            with contextlib.suppress(
                OSError
            ):  # it is not kept any more, which is said where it is missed
                os.utime(self.folder / sha)

    def prune(self, most_bytes: int, most_days: float, now: float) -> tuple[int, int]:
        """Drop what is older than `most_days`, and the oldest beyond `most_bytes` (0: no limit),
        but nothing that was put or touched within a day, nor files of another name. Returns how
        many went, and how many bytes.
        """
        held: list[tuple[float, int, Path]] = []
        try:
            entries = list(os.scandir(self.folder))
        except OSError:
            return 0, 0  # there is none yet
        for entry in entries:
            with contextlib.suppress(OSError):  # another program drops it at the same time
                about = entry.stat(follow_symlinks=False)
                name = entry.name.split(".")[1] if _part(entry.name) else entry.name
                if entry.name.startswith(ASIDE) and now - about.st_mtime > DAY:
                    Blobs(Path(entry.path)).clear()  # a kill left it
                if stat.S_ISREG(about.st_mode) and _SHA256.fullmatch(name):
                    held.append((about.st_mtime, about.st_size, Path(entry.path)))
        held.sort(reverse=True)
        total = count = gone = 0
        for at, size, path in held:
            total += size
            old = bool(most_days) and now - at > most_days * DAY
            unfinished = _part(path.name)
            if now - at > DAY and (old or unfinished or (most_bytes and total > most_bytes)):
                with contextlib.suppress(OSError):
                    path.unlink()
                    count, gone, total = count + 1, gone + size, total - size
        return count, gone

    @staticmethod
    def _holds(path: Path, content: bytes) -> bool:
        """Whether the file is there and whole; a damaged one is written again."""
        try:
            return path.lstat().st_size == len(content) and _content(path) == content
        except OSError:
            return False
