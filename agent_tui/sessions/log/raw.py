"""A log's records as plain JSON data, straight from its bytes: for lists, search and figures, where
no event is needed.

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
from pathlib import Path
from typing import BinaryIO, Final

from agent_tui.protocol.codec import LATEST
from agent_tui.protocol.event import MAIN

RawRecord = dict[str, object]

LOG: Final = ".jsonl"
BESIDE: Final = (".msgs.jsonl",)
"""Ends of files that are beside a log, and are none."""
LONGEST: Final = 64 << 20
"""Bytes of a line beyond which it is passed over: no record is that long."""
_WORD: Final = 1 << 63
_RECORD: Final = re.compile(rb'\{"v":')
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
    """Whether `line` is one record, of another kind than `kinds`: known without reading all of it."""
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


def encoded(record: RawRecord) -> bytes:
    """One line of a log, with its checksum and line end."""
    body = json.dumps(
        {k: v for k, v in record.items() if k != "c"}, ensure_ascii=True, separators=(",", ":")
    )
    return f'{body[:-1]},"c":{zlib.crc32(body.encode())}}}\n'.encode()


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
