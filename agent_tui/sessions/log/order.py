"""In which order sessions were used, without a clock: a line with a session's id each time that
another one is used.

The time in a log cannot say it: a clock that is set back makes the session of a minute ago the
older one.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

from agent_tui.sessions.log.private import write_all

MOST: Final = 64_000
"""Bytes of the file, above which only the last line of each session is kept."""
_LAST: Final = 256
"""Bytes at the end that hold the last line."""


def order_path(folder: Path) -> Path:
    """Where the order of the sessions in `folder` stands: beside it, for all in it are logs."""
    return folder.with_name("session_order")


def note_use(folder: Path, session: str) -> None:
    """`session` is the one that was used last. Where that cannot be written the times in the logs
    say it."""
    with contextlib.suppress(OSError):
        _append(folder, session)


def _append(folder: Path, session: str) -> None:
    path, line = order_path(folder), f"{session}\n".encode()
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        size = os.fstat(fd).st_size
        last = os.pread(fd, _LAST, max(0, size - _LAST))
        if last.endswith(line) and last[-len(line) - 1 : -len(line)] in (b"", b"\n"):
            return
        write_all(fd, line if not last or last.endswith(b"\n") else b"\n" + line)
    finally:
        os.close(fd)
    if size > MOST:
        _shorten(folder)


def last_uses(folder: Path) -> dict[str, int]:
    """The place of each session in the order, higher for a later use; empty where nothing is
    known."""
    try:
        lines = order_path(folder).read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    return {line: place for place, line in enumerate(lines) if line}


def _shorten(folder: Path) -> None:
    """Keep one line a session. A use that another program notes in this moment is noted again with
    its next turn."""
    path = order_path(folder)
    kept = sorted((place, session) for session, place in last_uses(folder).items())
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    fd = os.open(
        beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    try:
        write_all(fd, "".join(f"{session}\n" for _, session in kept).encode())
    finally:
        os.close(fd)
    beside.replace(path)
