"""Copies the beginning of a session to a new one: the same records, under an id of its own."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from agent_tui.protocol.codec import BadRecord, dump, load
from agent_tui.protocol.events import DraftSaved, Event, Forked, QueueChanged, TurnStarted
from agent_tui.regular_file import open_regular
from agent_tui.sessions.log import order
from agent_tui.sessions.log.private import drop_unfinished, make_folder, sync_folder, write_all
from agent_tui.sessions.log.raw import (
    RawRecord,
    begins_turn,
    encode_record,
    in_line,
    intact,
    lines,
    number,
    pieces,
    text,
)
from agent_tui.sessions.log.store import log_path
from agent_tui.structures import chips


def fork(folder: Path, session: str, at: int = 0, check: Callable[[], None] = lambda: None) -> str:
    """Copy what was before record `at` (0: everything) of `session`; returns the id of the copy,
    whole on the disk.

    The prompt of the turn that began with `at` becomes the draft; the queue stays with the parent,
    and the folders that it works in are those of now. Takes no lock: the session may be open, also
    in another program. Raises OSError, and what `check` raises (called now and again).
    """
    found = list(_records(log_path(folder, session)))
    own = str(uuid.uuid4())
    make_folder(folder)
    drop_unfinished(folder)
    part = folder / f".{own}.part"
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            waiting: list[bytes] = []
            for place, record in enumerate(copy_records(found, session, at, own)):
                waiting.append(encode_record(record))
                if place % 500 == 499:
                    check()
                    write_all(fd, b"".join(waiting))
                    waiting.clear()
            write_all(fd, b"".join(waiting))
            os.fsync(fd)
        finally:
            os.close(fd)
        part.rename(log_path(folder, own))
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(folder)
    order.note_use(folder, own)
    return own


def copy_records(
    records: Iterable[RawRecord], session: str, at: int, own: str
) -> Iterable[RawRecord]:
    """The records of the copy, with their numbers. As plain data: what only a newer version knows
    comes along."""
    last, queued, draft, now, seen = 0, False, DraftSaved(""), time.time(), set[int]()
    rights: RawRecord | None = None
    for record in records:
        n, kind = number(record, "n"), record["type"]
        if at and n >= at:
            if n == at and begins_turn(record):
                draft = _draft(record)
            if kind == "directories_changed":
                rights = (
                    record  # the person's last word holds: none comes back with what was before
                )
            continue
        if n in seen:
            continue  # a record that is there twice
        seen.add(n)
        if kind == "session_started":
            record = {**record, "parent": session, "parent_at": at}
        queued = queued or kind == "queue_changed"
        last = max(last, n)
        yield {**record, "session": own}
    told: list[Event] = [Forked(parent=session, parent_at=at)]
    if queued:
        told.append(QueueChanged())
    if draft.text:
        told.append(draft)
    for place, event in enumerate(told, last + 1):
        yield dump(replace(event, n=place, at=now, session=own))
    if rights is not None:
        yield {**rights, "n": last + len(told) + 1, "at": now, "session": own}


def _draft(record: RawRecord) -> DraftSaved:
    """The prompt of a turn, as a draft; without chips if the record cannot be read as an event."""
    try:
        begun = load(record)
    except BadRecord:
        begun = None
    if isinstance(begun, TurnStarted):
        return DraftSaved(*chips.draft(begun.prompt, begun.pastes))
    return DraftSaved(text(record, "prompt"))


def _records(path: Path) -> Iterator[RawRecord]:
    """Every whole record of a log. Raises OSError."""
    with os.fdopen(open_regular(path), "rb", buffering=1 << 18) as file:
        for _, line in lines(file):
            if intact(line):
                yield from in_line(line)
            else:
                for start, stop in pieces(line):
                    yield from in_line(line[start:stop])
