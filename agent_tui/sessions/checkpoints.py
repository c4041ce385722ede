"""What files held before a tool changed them, by the SHA-256 of their content."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Final

from agent_tui.sessions.private import make_folder, sync_folder, write_all

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """A folder of contents, each in a file named by its hash. Equal contents are kept once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, content: bytes) -> str:
        """Keep `content`; returns its SHA-256. It is on disk, whole, when this returns. Raises OSError."""
        sha = hashlib.sha256(content).hexdigest()
        path = self.folder / sha
        if self._holds(path, content):
            return sha
        make_folder(self.folder)
        part = self.folder / f".{sha}.{os.getpid()}.{os.urandom(4).hex()}"
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            try:
                write_all(fd, content)
                os.fsync(fd)
            finally:
                os.close(fd)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        sync_folder(self.folder)
        return sha

    def get(self, sha: str) -> bytes:
        """The content with this hash. Raises FileNotFoundError (there is none), ValueError (damaged, or no hash)."""
        if not _SHA256.fullmatch(sha):
            raise ValueError(f"{sha!r} is no SHA-256")
        content = (self.folder / sha).read_bytes()
        if hashlib.sha256(content).hexdigest() != sha:
            raise ValueError(f"the kept content {sha[:12]} is damaged")
        return content

    @staticmethod
    def _holds(path: Path, content: bytes) -> bool:
        """Whether the file is there and whole; a damaged one is written again."""
        try:
            return path.read_bytes() == content
        except OSError:
            return False
