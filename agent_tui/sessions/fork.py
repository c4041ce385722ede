"""Copies the beginning of a session to a new one: the same records, under an id of its own."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from agent_tui.protocol.codec import encode
from agent_tui.protocol.events import DraftSaved, Event, Forked, QueueChanged, SessionStarted, TurnStarted
from agent_tui.sessions.private import drop_unfinished, make_folder, sync_folder, write_all
from agent_tui.sessions.store import log_path, read


def fork(folder: Path, session: str, at: int = 0, check: Callable[[], None] = lambda: None) -> str:
    """Copy what was before record `at` (0: everything) of `session`; returns the id of the copy, whole on the disk.

    The prompt of the turn that began with `at` becomes the draft; the queue stays with the parent. Takes no lock: the
    session may be open, also in another program. Raises OSError, and what `check` raises (called now and again).
    """
    events, _ = read(log_path(folder, session))
    own = str(uuid.uuid4())
    make_folder(folder)
    drop_unfinished(folder)
    part = folder / f".{own}.part"
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            lines: list[bytes] = []
            for number, event in enumerate(copied(events, session, at, own)):
                lines.append(encode(event))
                if number % 500 == 499:
                    check()
                    write_all(fd, b"".join(lines))
                    lines.clear()
            write_all(fd, b"".join(lines))
            os.fsync(fd)
        finally:
            os.close(fd)
        part.rename(log_path(folder, own))
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(folder)
    return own


def copied(events: Iterable[Event], session: str, at: int, own: str) -> Iterable[Event]:
    """The records of the copy, with their numbers."""
    last, queued, draft, now = 0, False, "", time.time()
    for event in events:
        if at and event.n >= at:
            if event.n == at and isinstance(event, TurnStarted):
                draft = event.prompt
            break
        if isinstance(event, SessionStarted):
            event = replace(event, parent=session, parent_at=at)
        queued = queued or isinstance(event, QueueChanged)
        last = max(last, event.n)
        yield replace(event, session=own)
    told: list[Event] = [Forked(parent=session, parent_at=at)]
    if queued:
        told.append(QueueChanged())
    if draft:
        told.append(DraftSaved(draft))
    for number, event in enumerate(told, last + 1):
        yield replace(event, n=number, at=now, session=own)
