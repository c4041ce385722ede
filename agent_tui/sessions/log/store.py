"""A session's log: one append-only file of records, written before the act, that outlives a kill
and a full disk.

While the log cannot be written the records wait in memory, `trouble` says why, and every append
tries again; the file is valid at each moment, because what was written half is cut off before
anything else is done. A log that is deleted, moved or replaced meanwhile is written anew in its
place: its descriptor still has all of it. So is one that another program shortened or wrote to: up
to a certain size its bytes are in memory, too.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.protocol.codec import VERSION, as_line, dump
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ChangesStarted,
    Cleared,
    DirectoriesChanged,
    DraftSaved,
    EffortChanged,
    ErrorRaised,
    Event,
    FilesRestored,
    ModeChanged,
    ModelChanged,
    Notice,
    PlaceKept,
    RestoreStarted,
    Rewound,
    SessionStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.tool_events import FILE_TOOLS
from agent_tui.regular_file import open_regular
from agent_tui.sessions.log import order
from agent_tui.sessions.log.lock import Lock, SessionLocked, is_file_of
from agent_tui.sessions.log.private import copy_stretch, make_folder, sync_folder, write_all
from agent_tui.sessions.log.raw import LOG, Scan, scan, unreadable_reason
from agent_tui.sessions.log.text_handles import Texts
from agent_tui.structures.frozen import frozen

__all__ = ["Opened", "SessionLocked", "Store", "Unreadable", "check_readable", "log_path", "read"]

DURABLE: Final = (
    TurnStarted,
    ToolStarted,
    ChangesStarted,
    ToolEnded,
    TurnEnded,
    ApprovalAnswered,
    Rewound,
    RestoreStarted,
    FilesRestored,
    DirectoriesChanged,
)
"""Events that must survive a power cut before anything follows from them, but for calls that
read."""

MOST_COPIED: Final = 16_000_000
"""Bytes of a log up to which they are in memory, too."""
_PASSING: Final = (
    SessionStarted,
    Notice,
    ErrorRaised,
    ModeChanged,
    ModelChanged,
    EffortChanged,
    Cleared,
    PlaceKept,
)
_sync = getattr(os, "fdatasync", os.fsync)


class Unreadable(OSError):
    """Nothing of a log can be read: to go on with it would be to begin anew and call it the same.
    The message says what it is, what to do, and where."""


@frozen
class Opened:
    """A log that goes on: what it holds, and in words what of it could not be read."""

    store: Store
    events: list[Event]
    problems: tuple[str, ...]


def log_path(folder: Path, session: str) -> Path:
    return folder / f"{session}.jsonl"


def read(path: Path) -> tuple[list[Event], tuple[str, ...]]:
    """The events of a log, and what is wrong with it. Changes nothing, takes no lock. Raises
    OSError."""
    fd = open_regular(path)
    try:
        found = _scan(fd)
    finally:
        os.close(fd)
    return found.events, tuple(found.problems)


def check_readable(path: Path, fd: int = -1) -> None:
    """See that something of a log can be read; `fd`: where it is open already. Reads to its first
    record. Raises Unreadable, OSError."""
    own = fd if fd >= 0 else open_regular(path)
    try:
        os.lseek(own, 0, os.SEEK_SET)
        with os.fdopen(own, "rb", closefd=False) as file:
            reason = unreadable_reason(file)
    finally:
        if fd < 0:
            os.close(own)
    if reason:
        id = path.name.removesuffix(LOG)
        raise Unreadable(f"session {id} cannot be read: {reason} (unchanged: {path})")


def _scan(fd: int) -> Scan:
    with os.fdopen(fd, "rb", buffering=1 << 18, closefd=False) as file:
        return scan(file)


def _begins(event: Event) -> bool:
    """Whether `event` is worth a file: not the header, nor what is said or set before anything was
    asked."""
    if isinstance(event, DraftSaved):
        return bool(event.text.strip())
    if isinstance(event, DirectoriesChanged):
        return not event.given
    return not isinstance(event, _PASSING)


class Store:
    """The writing end of one log. Not for use from two threads."""

    def __init__(
        self, folder: Path, session: str, found: Scan | None = None, lock: Lock | None = None
    ) -> None:
        self.path = log_path(folder, session)
        self.trouble = ""
        """Why records are kept in memory only, in one line; empty when all is on disk."""
        self.renewed = 0
        """How often the log was written anew, because it was not there any more, or not as it was
        written."""
        self.aside: Path | None = None
        """Where the bytes went that are no records of ours, the last time that there were some."""
        self.moved = False
        """It is kept at another place than where sessions are (see `move`)."""
        self._found = found
        self._lock = lock or Lock(folder / f"{session}.lock")
        self._n = self._through = found.last if found else 0
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._texts = Texts()
        self._begun = False
        self._kept = True
        self._fd = self._read_fd = -1
        """The log as it is written, and before that as it was read."""
        self._good = 0
        """Bytes of the log that are our records."""
        self._copy: bytearray | None = None
        """These bytes; None where they are too many."""
        self._cut_first = False
        self._lost = False
        self._syncs_later = self._unsynced = False
        self._reads: set[str] = set()
        """Calls that run, and only read."""

    @classmethod
    def create(cls, folder: Path, session: str, kept: bool = True) -> Store:
        """A new log. No file is made until something happens that is worth coming back to; where it
        is not `kept`, none is ever made."""
        store = cls(folder, session)
        store._kept = kept
        if not kept:
            return store
        try:
            make_folder(folder)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        except OSError as error:
            store.trouble = _reason(error, folder)
        return store

    @classmethod
    def open(cls, folder: Path, session: str) -> Opened:
        """Go on with a log. Where it cannot be written it is read all the same (see `trouble`).

        Raises SessionLocked (another program has it, or a newer format is in it),
        FileNotFoundError, Unreadable and other OSErrors (it cannot be read).
        """
        path = log_path(folder, session)
        if Path(session).name != session or not path.is_file():
            raise FileNotFoundError(errno.ENOENT, "no such session", str(path))
        lock, trouble = Lock(folder / f"{session}.lock"), ""
        try:
            lock.take()
        except OSError as error:
            trouble = _reason(error, path)
        fd = -1
        try:
            fd = open_regular(path)
            found = _scan(fd)
            if not found.events:
                check_readable(path, fd)
        except OSError:
            if fd >= 0:
                os.close(fd)
            lock.release()
            raise
        if found.version > VERSION:
            os.close(fd)
            lock.release()
            raise SessionLocked(
                f"session {session} was written by a newer agent-tui: update yours, or only read it"
            )
        store = cls(folder, session, found, lock)
        store.trouble, store._read_fd = trouble, fd
        return Opened(store, found.events, tuple(found.problems))

    @property
    def is_behind(self) -> bool:
        """Whether records were numbered that are not in the file: they wait, or were given up when
        it was closed."""
        return self._lost or bool(self._waiting)

    @property
    def last_number(self) -> int:
        """The number of the last record that is in the file."""
        return self._through

    def append(self, event: Event) -> Event:
        """Give `event` its number and put it on record; returns it as recorded. Deltas are not
        stored.

        On return it is in the file (durable events: on the disk), or `trouble` says why not. What
        opening a session says waits for what comes after it, so that looking in leaves no empty
        session. Never raises for the disk's sake.
        """
        if not event.settled:
            return event
        self._n += 1
        event = replace(event, n=self._n)
        if not self._kept:
            return event
        line = as_line(self._texts.pack(dump(event)))
        self._waiting.append((line, self._is_durable(event)))
        first = not self._begun and _begins(event)
        self._begun = self._begun or first
        if self._begun:
            self._flush()
        if first or (isinstance(event, TurnStarted) and event.is_main):
            self._note_use()
        return event

    def _is_durable(self, event: Event) -> bool:
        """Of a call that only reads neither the beginning nor the result must survive a power cut:
        nothing is different for it, and to wait for the disk takes longer than the read. The
        beginning of one that changes files is synced with its `ChangesStarted`."""
        if isinstance(event, ToolStarted) and event.effect == "read":
            self._reads.add(event.call_id)
            return False
        if isinstance(event, ToolStarted) and event.effect == "write" and event.name in FILE_TOOLS:
            return False
        if isinstance(event, ToolEnded) and event.call_id in self._reads:
            self._reads.discard(event.call_id)
            return False
        return isinstance(event, DURABLE)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is appended meanwhile is on the disk in the end, at once: to wait for the disk at
        each of many records takes seconds."""
        self._syncs_later = True
        try:
            yield
        finally:
            self._syncs_later = False
            if self._unsynced and self._fd >= 0:
                self._unsynced = False
                try:
                    _sync(self._fd)
                except OSError as error:
                    self.trouble = _reason(error, self.path)

    def _note_use(self) -> None:
        """This session is the one that `--continue` means."""
        if not self.moved:
            order.note_use(self.path.parent, self.path.name.removesuffix(LOG))

    def save(self) -> None:
        """Try again to write what waits, and see that the log is where it belongs."""
        if self._begun:
            self._flush()

    def move(self, path: Path) -> None:
        """Keep the log in the new file `path` from now on, with all that waits. The old one stays
        as it is.

        Raises OSError; then nothing has changed.
        """
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            self._copy_written(fd)
            for line, _ in self._waiting:
                write_all(fd, line)
            os.fsync(fd)
        except OSError:
            os.close(fd)
            path.unlink(missing_ok=True)
            raise
        self._waiting.clear()
        self._through = self._n
        self.path, self.trouble, self.moved, self._begun = path, "", True, True
        self._use(fd)

    def close(self) -> None:
        """Write what still waits, and let go of the log."""
        self.save()
        self._lost = self.is_behind
        self._waiting.clear()
        self._let_go()
        self._lock.release()

    def _flush(self) -> None:
        try:
            if self._fd < 0:
                self._begin()
            elif self._is_gone(self._fd) or self._is_changed():
                self._renew()
            while self._waiting:
                self._write(*self._waiting[0])
                self._take_written()
            self.trouble = ""
        except SessionLocked as error:
            self.trouble = str(error)
        except OSError as error:
            self.trouble = _reason(error, self.path)

    def _take_written(self) -> None:
        """The oldest record that waited is in the file."""
        self._waiting.popleft()
        self._through = self._n - len(self._waiting)

    def _is_gone(self, fd: int) -> bool:
        """Whether the log that is open was deleted, moved or replaced."""
        try:
            return not is_file_of(fd, self.path)
        except PermissionError:  # its folder is closed to us by now; the file is not
            return False

    def _is_changed(self) -> bool:
        """Whether somebody else shortened the log, or wrote to it."""
        return not self._cut_first and os.fstat(self._fd).st_size != self._good

    def _renew(self) -> None:
        """Write the log anew where it belongs: what is on record is not there any more, or not
        alone.

        What lies there now is set aside; a session that another program has taken since then is
        left to it.
        """
        folder = self.path.parent
        make_folder(folder)
        if not self.moved:
            self._lock.renew()
        part = folder / f".{self.path.stem}.part"
        part.unlink(missing_ok=True)
        fd = os.open(
            part,
            os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o600,
        )
        try:
            self._copy_written(fd)
            os.fsync(fd)
            if not self._is_empty():
                self.path.rename(self._aside())
            part.rename(self.path)
            sync_folder(folder)
        except OSError:
            os.close(fd)
            part.unlink(missing_ok=True)
            raise
        self._use(fd)
        self.renewed += 1

    def _is_empty(self) -> bool:
        """Whether nothing lies at the log's place, or an empty file."""
        try:
            about = self.path.lstat()
        except FileNotFoundError:
            return True
        return stat.S_ISREG(about.st_mode) and not about.st_size

    def _copy_written(self, target: int) -> None:
        """Copy what is on record to the new file `target`. Raises OSError."""
        if self._fd >= 0 and self._copy is not None:
            write_all(target, bytes(self._copy))
            return
        source, end = self._fd, self._good
        if source < 0:
            source, end = self._read_fd, self._found.end if self._found is not None else 0
        if end and os.fstat(source).st_size < end:
            raise OSError(errno.ESTALE, "another program has shortened the log", str(self.path))
        if end:
            copy_stretch(source, 0, end, target)
        if end and self._fd < 0 and self._found is not None and not self._found.newline:
            os.write(target, b"\n")

    def _use(self, fd: int) -> None:
        """The log is the open file `fd`, from now on."""
        self._let_go()
        self._fd, self._good, self._cut_first = fd, os.fstat(fd).st_size, False
        self._copy = bytearray(os.pread(fd, self._good, 0)) if self._good <= MOST_COPIED else None

    def _let_go(self) -> None:
        for fd in (self._fd, self._read_fd):
            if fd >= 0:
                os.close(fd)
        self._fd = self._read_fd = -1

    def _aside(self) -> Path:
        """A new name for what is no part of the log."""
        stamp = f"{time.strftime('%Y%m%dT%H%M%S')}-{time.time_ns() % 1_000_000_000:09}"
        return self.path.with_suffix(f".torn-{stamp}")

    def _begin(self) -> None:
        """Open the file; what a kill left half-written is set aside before the first append."""
        if self._read_fd >= 0 and not self.path.is_symlink() and self._is_gone(self._read_fd):
            self._renew()
            return
        make_folder(self.path.parent)
        self._lock.take()
        new = self._found is None
        flags = (
            os.O_RDWR
            | os.O_APPEND
            | os.O_NOFOLLOW
            | os.O_CLOEXEC
            | (os.O_CREAT | os.O_EXCL if new else 0)
        )
        fd = os.open(self.path, flags, 0o600)
        try:
            if self._found is None:
                sync_folder(self.path.parent)
            else:
                self._repair(fd, self._found)
        except OSError:
            os.close(fd)
            if new:
                self.path.unlink()
            raise
        self._use(fd)

    def _repair(self, fd: int, found: Scan) -> None:
        about = os.fstat(fd)
        if about.st_uid != os.geteuid():
            raise OSError(errno.EPERM, "the log belongs to another user, so it is read-only")
        if about.st_size != found.size:
            raise OSError(errno.ESTALE, "the log was changed by another program")
        if about.st_mode & 0o077:
            os.fchmod(fd, 0o600)
        if found.end < found.size:
            self._set_aside(fd, found.end, found.size)
            os.ftruncate(fd, found.end)
            found.size = found.end
        if not found.newline:
            os.write(fd, b"\n")
            found.end = found.size = found.end + 1
            found.newline = True

    def _set_aside(self, log: int, start: int, stop: int) -> None:
        """Copy what is no record to a file of its own, whole or not at all: a full disk is tried
        again and again."""
        aside = self._aside()
        fd = os.open(
            aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            copy_stretch(log, start, stop, fd)
            os.fsync(fd)
        except OSError:
            aside.unlink()
            raise
        finally:
            os.close(fd)
        self.aside = aside

    def _write(self, line: bytes, durable: bool) -> None:
        """One record; on failure the file is as it was before."""
        if self._cut_first:
            self._cut()
        try:
            write_all(self._fd, line)  # only a write of the rest says why one ended early
            if durable and self._syncs_later:
                self._unsynced = True
            elif durable:
                _sync(self._fd)
        except OSError:
            self._cut_first = True
            self._cut()
            raise
        self._good += len(line)
        if self._copy is not None:
            self._copy += line
            self._copy = self._copy if self._good <= MOST_COPIED else None

    def _cut(self) -> None:
        """Cut off what a failed write left; if even that fails, it is done before the next
        write."""
        os.ftruncate(self._fd, self._good)
        self._cut_first = False


def _reason(error: OSError, path: Path) -> str:
    where = error.filename or path
    if error.errno == errno.ELOOP:
        what = "lock of the log" if str(where).endswith(".lock") else "log"
        return f"the {what} is a link, and agent-tui writes through no link ({where})"
    return f"{error.strerror or error} ({where})"
