"""A log's records, straight from its bytes: as plain JSON data for lists, search and figures, where
no event is needed, and as events, with what is not whole in words.

Never trusts what lies in the folder: a log is opened only where it is a file of one's own, and a
line that is no record gives what whole records are in it.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from agent_tui.protocol.codec import LATEST, VERSION, BadRecord, as_line, load, record_in
from agent_tui.protocol.event import MAIN
from agent_tui.protocol.events import Event
from agent_tui.sessions.log.text_handles import Texts

RawRecord = dict[str, object]

LOG: Final = ".jsonl"
BESIDE: Final = (".msgs.jsonl",)
"""Ends of files that are beside a log, and are none."""
LONGEST: Final = 64 << 20
"""Bytes of a line beyond which it is passed over: no record is that long."""
_WORD: Final = 1 << 63
_RECORD: Final = re.compile(rb'\{"v":')
"""How a record begins. Inside a JSON text the quotes would be escaped, so this finds records that
were run together."""
_FIRST: Final = b'{"v":'
_OBJECT: Final = json.JSONDecoder()
_KIND: Final = re.compile(rb'"type":"([a-z_]+)"')


class NoLog(Exception):
    """What has the name of a log and is none. The message says what it is, in a few words."""


def is_main(record: RawRecord) -> bool:
    """Whether it is of the session's main agent, and of no sub-agent."""
    return record.get("agent", MAIN) in (MAIN, "")


def begins_turn(record: RawRecord) -> bool:
    """Whether a turn of the session begins with it."""
    return record["type"] == "turn_started" and is_main(record)


def is_log(name: str) -> bool:
    """Whether `name` is that of a session's log."""
    return name.endswith(LOG) and not name.startswith(".") and not name.endswith(BESIDE)


def open_log(path: Path) -> BinaryIO:
    """The log, to read. Waits for nothing and follows no link. Raises NoLog."""
    return os.fdopen(descriptor(path), "rb", buffering=1 << 18)


def descriptor(path: Path) -> int:
    """The same as a file descriptor."""
    try:
        about = os.lstat(path)
        if stat.S_ISLNK(about.st_mode):
            raise NoLog("a symbolic link: not followed")
        if not stat.S_ISREG(about.st_mode):
            raise NoLog("a folder" if stat.S_ISDIR(about.st_mode) else "not a regular file")
        if about.st_uid != os.geteuid():
            raise NoLog("owned by somebody else")
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise NoLog(f"cannot be read ({error.strerror or error})") from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):  # something else since the look at it
        os.close(fd)
        raise NoLog("not a regular file")
    return fd


def lines(file: BinaryIO, check: Callable[[], None] = lambda: None) -> Iterator[tuple[int, bytes]]:
    """Each line from where `file` is, with where it begins. One that is longer than any record
    comes empty.

    `check` is called for each; what it raises ends it.
    """
    start = file.tell()
    while line := file.readline(LONGEST):
        check()
        length = len(line)
        if length >= LONGEST and not line.endswith(b"\n"):
            length += _passed(file)
            line = b""
        yield start, line
        start += length


def _passed(file: BinaryIO) -> int:
    """Read to the end of the line; returns how many bytes that were."""
    passed = 0
    while piece := file.readline(1 << 20):
        passed += len(piece)
        if piece.endswith(b"\n"):
            break
    return passed


def records(
    file: BinaryIO, kinds: frozenset[bytes] | None = None, check: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, int, RawRecord]]:
    """Every record from where `file` is, with the offsets of the line that it stands in; only
    `kinds`, where given.

    Checksums are not verified: this is for reading along, quickly. A last line without its end is
    left out, because it may be half of one that is being written.
    """
    for start, line in lines(file, check):
        if not line.endswith(b"\n"):
            continue
        if kinds is not None and other_kind(line, kinds):
            continue
        for record in in_line(line):
            if kinds is None or kind_of(record) in kinds:
                yield start, start + len(line), record


def kind_of(record: RawRecord) -> bytes:
    return str(record["type"]).encode("utf-8", "replace")


def other_kind(line: bytes, kinds: frozenset[bytes]) -> bool:
    """Whether `line` is one record, of another kind than `kinds`: known without reading all of
    it."""
    kind = _KIND.search(line, 0, 400)
    one = kind is not None and kind[1] not in kinds and line.startswith(b'{"v":')
    return one and line.find(b'{"v":', 1) < 0  # else records were run together


def in_line(line: bytes) -> Iterator[RawRecord]:
    """The records in a line: one, or those that were run together in it."""
    record = _loaded(line)
    if record is not None:
        yield record
        return
    for start, stop in pieces(line):
        record = _loaded(line[start:stop])
        if record is not None:
            yield record


def pieces(line: bytes) -> Iterator[tuple[int, int]]:
    """Where whole records, with a checksum that fits, are in a line that is none."""
    starts = [match.start() for match in _RECORD.finditer(line)]
    for start, limit in itertools.pairwise([*starts, len(line)]):
        try:
            # Latin-1: a character for each byte, so that the end of the object is its offset in the
            # line.
            stop = start + _OBJECT.raw_decode(line[start:limit].decode("latin-1"))[1]
        except (ValueError, RecursionError):
            continue
        if intact(line[start:stop]):
            yield start, stop


def intact(line: bytes) -> bool:
    """Whether the checksum at the end of `line` is that of what stands before it."""
    body, mark, tail = line.rstrip(b"\r\n").rpartition(b',"c":')
    return (
        bool(mark)
        and len(tail) < 12
        and tail[:-1].isdigit()
        and zlib.crc32(body + b"}") == int(tail[:-1])
    )


def _loaded(line: bytes) -> RawRecord | None:
    if not line.startswith(b'{"v":'):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("type"), str) else None


def encode_record(record: RawRecord) -> bytes:
    """One line of a log, with its checksum and line end."""
    return as_line(record)


def text(record: RawRecord, name: str) -> str:
    """The field `name`, where it is a text."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def seconds(record: RawRecord) -> float | None:
    """When the record was made, where it says so."""
    value = record.get("at")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LATEST < value < LATEST else None


def number(record: RawRecord, name: str) -> int:
    """The field `name`, where it is a whole number of a size that a database takes."""
    value = record.get(name)
    return value if type(value) is int and -_WORD <= value < _WORD else 0


_BLANK: Final = b"\0 \t\r\n"
_VERSION: Final = re.compile(rb'\{"v":(\d{1,9}),')


@dataclass(slots=True)
class Scan:
    """`end` counts the bytes up to and with the last whole record; `size` all; `newline`: a line
    ends at `end`."""

    events: list[Event] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    end: int = 0
    size: int = 0
    newline: bool = True
    last: int = 0
    """The highest record number."""
    version: int = 0
    """The newest format of a record."""
    texts: Texts = field(default_factory=Texts)
    """What records that follow may name."""

    def read(self, line: bytes) -> Event:
        """The event in a line that stands next. Raises BadRecord."""
        record, lost = self.texts.unpack(record_in(line))
        event = load(record)
        self.problems += [lost] if lost else []
        return event


def scan(file: BinaryIO) -> Scan:
    """Read a log. Never raises for damage: a bad stretch costs only itself. A line that is longer
    than any record (a gigabyte of zeros, say) is never held in memory."""
    found = Scan()
    damage: list[tuple[int, str]] = []
    reasons: list[tuple[int, str]] = []
    for number, (start, line) in enumerate(lines(file), 1):
        found.size = start + len(line)
        if not line:
            damage.append((start, f"line {number} is damaged (longer than any record)"))
            continue
        try:
            event: Event | None = found.read(line)
        except BadRecord as error:
            whole = _events(found, line)
            damage.append((start, f"line {number} is damaged ({error}){_kept(whole)}"))
            if is_damaged(line):
                reasons.append((start, str(error)))
            for event, stop in whole:
                _take(found, event, start + stop, line, stop)
            continue
        if (version := _VERSION.match(line)) is not None:
            found.version = max(found.version, int(version[1]))
        _take(found, event, found.size, line, len(line))
    found.size = file.tell()
    found.problems.extend(text for at, text in damage if at < found.end)
    if found.end < found.size:
        rest = [reason for at, reason in reasons if at >= found.end]
        many = (
            f"{len(rest):,} damaged record{'s' if len(rest) > 1 else ''} ({rest[0]})"
            if rest
            else ""
        )
        what = many or "an incomplete record"
        found.problems.append(f"the last {found.size - found.end:,} bytes are {what}")
    return found


def is_damaged(line: bytes) -> bool:
    """Whether a line that is no record was more than the beginning of one: a kill leaves that."""
    return line.endswith(b"\n") and bool(line.strip(_BLANK))


def unreadable_reason(file: BinaryIO) -> str:
    """Why nothing of a log can be read; empty where a record can, or where nothing was ever
    written but the beginning of the first one. Reads to the first record."""
    damaged, newest = 0, 0
    for _, line in lines(file):
        if intact(line) or next(pieces(line), None) is not None:
            return ""
        begins = line.startswith(_FIRST) or _FIRST.startswith(line) or not line.strip(_BLANK)
        damaged += is_damaged(line) or not begins
        version = _VERSION.match(line)
        newest = max(newest, int(version[1]) if version else 0)
    if not damaged:
        return ""
    many = f"none of its {damaged:,} lines is" if damaged > 1 else "its only line is not"
    way = (
        "a newer agent-tui wrote it: update yours"
        if newest > VERSION
        else "put back a copy of the file, or start a new session"
    )
    return f"{many} a whole record; {way}"


def _take(found: Scan, event: Event | None, end: int, line: bytes, stop: int) -> None:
    found.end = end
    found.newline = line[:stop].endswith(b"\n")
    if event is None:
        return
    expected = found.last + 1
    if 0 < event.n < expected:
        if event in found.events[-(expected - event.n) - 8 :]:
            found.problems.append(f"record {event.n} appears twice: the second is ignored")
            return
        found.problems.append(f"record {event.n} comes after record {found.last}")
    elif event.n > expected:
        lost = (
            f"record {expected} is"
            if event.n == expected + 1
            else f"records {expected} to {event.n - 1} are"
        )
        found.problems.append(f"{lost} missing")
    found.events.append(event)
    found.last = max(found.last, event.n)


def _events(found: Scan, line: bytes) -> list[tuple[Event | None, int]]:
    """The whole records in a line that is none: each with where it stops (`None`: whole, but of no
    known shape)."""
    if intact(line):
        return [(None, len(line))]
    whole: list[tuple[Event | None, int]] = []
    for start, stop in pieces(line):
        try:
            event = found.read(line[start:stop])
        except (ValueError, RecursionError):
            continue
        whole.append((event, len(line) if line[stop:] in (b"\n", b"\r\n") else stop))
    return whole


def _kept(pieces: list[tuple[Event | None, int]]) -> str:
    whole = sum(event is not None for event, _ in pieces)
    return f"; {whole} record{'s' if whole > 1 else ''} in it could be read" if whole else ""
