"""Logs that are made from another one: a fork of its beginning, or a small one of its newest turns.
The other stays."""

from __future__ import annotations

import bisect
import contextlib
import os
import secrets as random_names
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from agent_tui.protocol.codec import WHOLE
from agent_tui.sessions.log import order
from agent_tui.sessions.log.fork import fork as copy_beginning
from agent_tui.sessions.log.private import drop_unfinished, make_folder, sync_folder
from agent_tui.sessions.log.raw import (
    LOG,
    NoLog,
    RawRecord,
    begins_turn,
    encode_record,
    is_main,
    number,
    open_log,
    text,
)
from agent_tui.sessions.log.repair import Refused, segments
from agent_tui.sessions.log.text_handles import Texts, whole_records
from agent_tui.structures.frozen import frozen

_STANDING: Final = (
    "mode_changed",
    "model_changed",
    "context_built",
    "queue_changed",
    "draft_saved",
    "todo_changed",
    "directories_changed",
)
"""Of these the newest before a cut still holds after it."""


@frozen
class Copied:
    """The new session, how many records and turns it has, and what part of the other one it is, in
    words."""

    id: str
    records: int
    turns: int
    left_out: int = 0


def fork(folder: Path, id: str, at: int = 0) -> Copied:
    """A new session of what was in `id` before its record `at`, the beginning of a turn; 0: of all
    of it.

    Raises Refused.
    """
    everything = _records(folder, id)
    if at and not any(number(record, "n") == at and begins_turn(record) for record in everything):
        known = [str(number(record, "n")) for record in everything if begins_turn(record)]
        raise Refused(
            f"{id}: no turn starts at record {at}; turns start at {', '.join(known[-8:]) or 'none'}"
        )
    try:
        own = copy_beginning(folder, id, at)
    except OSError as error:
        raise Refused(f"{id}: the new log cannot be written: {error.strerror or error}") from None
    made = _records(folder, own)
    turns = sum(begins_turn(record) for record in made)
    return Copied(
        own, len(made), turns, sum(number(record, "n") >= at > 0 for record in everything)
    )


def trim(folder: Path, id: str, keep: int) -> Copied:
    """A new session of the newest `keep` turns of `id`, with its header, title, mode, model and
    context.

    Raises Refused.
    """
    if keep < 1:
        raise Refused(f"{keep} turns: keep at least one")
    everything = whole_records(_records(folder, id))
    begins = [place for place, record in enumerate(everything) if begins_turn(record)]
    if len(begins) <= keep:
        turns = f"{len(begins)} turn{'' if len(begins) == 1 else 's'}"
        raise Refused(f"{id}: has {turns}, not more than you want to keep: nothing was written")
    cut = begins[-keep]
    said: RawRecord = {
        "v": WHOLE,
        "n": 0,
        "at": time.time(),
        "type": "notice",
        "text": f"The {len(begins) - keep:,} earlier turns are in session {id}.",
    }
    answered = {
        _step(record) for record in everything[cut:] if record["type"] == "assistant_message"
    }
    newest = [
        one for one in everything[cut:] if one["type"] != "partial" or _step(one) not in answered
    ]
    kept = [*_before(everything[:cut]), said, *newest]
    own = str(uuid.uuid4())
    made = write_log(
        folder, own, _child(kept, id, number(everything[cut], "n")), len(everything) - len(kept)
    )
    order.note_use(folder, own)
    return made


def _step(record: RawRecord) -> tuple[int, int, str]:
    return number(record, "turn"), number(record, "step"), text(record, "agent")


def _before(records: list[RawRecord]) -> list[RawRecord]:
    """What of the older records still holds: the header, the titles, and the newest of each
    standing kind."""
    standing: dict[str, RawRecord] = {}
    todos: dict[int, RawRecord | None] = {}  # as they were when the turns began
    for record in records:
        kind = record["type"] if is_main(record) else ""
        if kind == "session_started":
            standing.setdefault(kind, record)
        elif kind == "titled":
            standing[f"titled by {record.get('by', 'person')}"] = record
        elif kind in _STANDING:
            standing[kind] = record
        elif kind == "turn_started":
            todos[number(record, "n")] = standing.get("todo_changed")
        elif kind == "cleared":
            standing.pop("todo_changed", None)
        elif kind == "rewound" and (to := number(record, "to")) in todos:
            standing.pop("todo_changed", None)
            if (earlier := todos[to]) is not None:
                standing["todo_changed"] = earlier
            todos = {n: before for n, before in todos.items() if n < to}
    return sorted(standing.values(), key=lambda record: number(record, "n"))


def _records(folder: Path, id: str) -> list[RawRecord]:
    """Raises Refused."""
    try:
        with open_log(folder / f"{id}{LOG}") as file:
            found = [
                record for _, _, record, _ in segments(file) if record is not None
            ]  # none that is damaged
    except (NoLog, OSError) as error:
        raise Refused(f"{id}: {error}") from None
    if not found:
        raise Refused(f"{id}: has no records")
    return found


def _child(records: list[RawRecord], parent: str, at: int) -> list[RawRecord]:
    """Copies whose header says where they are from."""
    place = next(
        (place for place, record in enumerate(records) if record["type"] == "session_started"), None
    )
    header: RawRecord = {"v": WHOLE, "n": 0, "at": time.time(), "type": "session_started"}
    if place is not None:
        header = records.pop(place)
    return [{**header, "parent": parent, "parent_at": at}, *records]


def write_log(folder: Path, id: str, records: Iterable[RawRecord], left_out: int = 0) -> Copied:
    """A new log, whole or not at all, with its records numbered from 1; what names another record
    by its number names the same one. Raises Refused."""
    numbers: dict[int, int] = {}
    turns, n, texts = 0, 0, Texts()
    path = folder / f"{id}{LOG}"
    part = (
        folder / f".{id}.{random_names.randbits(64)}.new"
    )  # not the process: in a container that is always the same
    try:
        make_folder(folder)
        drop_unfinished(folder)
        fd = os.open(
            part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        with os.fdopen(fd, "wb") as file:
            for record in records:
                n += 1
                numbers[number(record, "n")] = n
                turns += begins_turn(record)
                own = _renumbered({**record, "n": n, "session": id}, numbers)
                file.write(encode_record(texts.pack(own)))
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path, follow_symlinks=False)  # never over another log
        sync_folder(folder)
    except OSError as error:
        raise Refused(f"the new log cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):  # there is none, or the disk is read-only by now
            part.unlink()
    return Copied(id, n, turns, left_out)


def _renumbered(record: RawRecord, numbers: dict[int, int]) -> RawRecord:
    match record["type"]:
        case "rewound":
            return {**record, "to": _first(numbers, number(record, "to"))}
        case "labelled":
            return {**record, "of": numbers.get(number(record, "of"), 0)}
        case "restore_started" | "files_restored" if isinstance(old := record.get("turns"), list):
            turns = [numbers[turn] for turn in old if type(turn) is int and turn in numbers]
            return {**record, "turns": turns}
        case _:
            return record


def _first(numbers: dict[int, int], wanted: int) -> int:
    """The new number of record `wanted`, or of the first one behind it that was kept."""
    there = sorted(numbers)
    place = bisect.bisect_left(there, wanted)
    return numbers[there[place]] if place < len(there) else 0
