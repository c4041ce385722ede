"""Keeps what the screen was told beside the session's log, `<id>.msgs.jsonl`: small, optional, and
never in the way.

Its lines name records of the log by their number. Where a session is only looked at, the log never
gets those records: the lines wait until it has them, and are given up with them.
"""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.protocol.ops import KeepRecording
from agent_tui.sessions.log.private import write_all

CUT: Final = b'{"cut":true}\n'
HELD: Final = 4_000_000
"""Characters that wait for the log to have what they name, or for room on the disk."""
PASSING: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What may be otherwise the next time."""


def recording_path(folder: Path, session: str) -> Path:
    return folder / f"{session}.msgs.jsonl"


class Recordings:
    """The recordings of the sessions that this program shows. `limit`: bytes of each; 0: nothing is
    kept."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._held: dict[str, KeepRecording] = {}
        """By their runs."""
        self._begun: set[str] = set()
        self._troubled: set[str] = set()
        self._full: set[str] = set()
        """Sessions and runs of which nothing more is kept."""

    def keep(self, op: KeepRecording, is_behind: bool = False) -> str:
        """Add the lines of `op`, once the session's log is there and not `is_behind` what they
        name. Returns why that cannot be done, once: then the lines wait, because each counts on
        those before it."""
        if not self._limit or op.session in self._full or _run(op) in self._full:
            return ""
        if (held := self._held.pop(_run(op), None)) is not None:
            op = replace(op, lines=held.lines + op.lines)
        if is_behind or not (self._folder / f"{op.session}.jsonl").exists():
            self._hold(op)
            return ""
        try:
            self._append(op.session, op.lines.encode())
        except OSError as error:
            if error.errno not in PASSING:
                self._full.add(op.session)
                return f"The screen is no longer recorded: {error.strerror or error}"
            self._hold(op)
            known = op.session in self._troubled
            self._troubled.add(op.session)
            return "" if known else f"The screen is not recorded for now: {error.strerror or error}"
        self._troubled.discard(op.session)
        return ""

    def on_session_left(self, run: str, is_behind: bool) -> None:
        """The session was left. What waits is kept now, or never: another run gives the same
        numbers to other records. Lines that come later are taken in the same way."""
        held = self._held.pop(run, None)
        if is_behind:
            self._full.add(run)
        elif held is not None:
            self.keep(held)

    def _hold(self, op: KeepRecording) -> None:
        if len(op.lines) <= HELD:
            self._held[_run(op)] = op
        else:
            self._full.add(_run(op))

    def _append(self, session: str, lines: bytes) -> None:
        flags = (
            os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        )
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


def _run(op: KeepRecording) -> str:
    """Whose lines count on one another."""
    return op.run or op.session
