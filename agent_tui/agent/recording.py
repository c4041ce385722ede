"""Keeps what the screen was told beside the session's log, `<id>.msgs.jsonl`: small, optional, and never in the way."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from agent_tui.protocol.ops import KeepRecording
from agent_tui.sessions.private import write_all

CUT: Final = b'{"cut":true}\n'
HELD: Final = 4_000_000
"""Characters that wait for their session to have a file at all, or for room on the disk."""
PASSING: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What may be otherwise the next time."""


def recording_path(folder: Path, session: str) -> Path:
    return folder / f"{session}.msgs.jsonl"


class Recordings:
    """The recordings of the sessions that this program shows. `limit`: bytes of each; 0: nothing is kept."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._held: dict[str, str] = {}
        self._begun: set[str] = set()
        self._troubled: set[str] = set()
        self._full: set[str] = set()
        """Of these nothing more is kept."""

    def keep(self, op: KeepRecording) -> str:
        """Add the lines of `op`, once the session's log is there. Returns why that cannot be done, once: then the
        lines wait, because each counts on those before it."""
        if not self._limit or op.session in self._full:
            return ""
        lines = self._held.pop(op.session, "") + op.lines
        if not (self._folder / f"{op.session}.jsonl").exists():
            self._hold(op.session, lines)
            return ""
        try:
            self._append(op.session, lines.encode())
        except OSError as error:
            if error.errno not in PASSING:
                self._full.add(op.session)
                return f"The screen is no longer recorded: {error.strerror or error}"
            self._hold(op.session, lines)
            known = op.session in self._troubled
            self._troubled.add(op.session)
            return "" if known else f"The screen is not recorded for now: {error.strerror or error}"
        self._troubled.discard(op.session)
        return ""

    def _hold(self, session: str, lines: str) -> None:
        if len(lines) <= HELD:
            self._held[session] = lines
        else:
            self._full.add(session)

    def _append(self, session: str, lines: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(recording_path(self._folder, session), flags, 0o600)
        try:
            size = os.fstat(fd).st_size
            if size and session not in self._begun:
                lines = b"\n" + lines  # what a kill left half-written is a line of its own
            cut = size + len(lines) > self._limit
            try:
                write_all(fd, CUT if cut else lines)
            except OSError:
                os.ftruncate(fd, size)  # no half of a line stays
                raise
            self._begun.add(session)
            if cut:
                self._full.add(session)
        finally:
            os.close(fd)
