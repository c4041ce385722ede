"""What the bytes of a log hold: every record that is whole, and in words what is not.

Never raises for damage. A bad stretch costs only itself: the good records on both sides of it are
kept.
"""

from __future__ import annotations

import itertools
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from agent_tui.protocol.codec import BadRecord, decode
from agent_tui.protocol.events import Event
from agent_tui.sessions.log.raw import lines

_RECORD: Final = re.compile(rb'\{"v":')
"""How a record begins. Inside a JSON text the quotes would be escaped, so this finds records that
were run together."""
_VERSION: Final = re.compile(rb'\{"v":(\d{1,9}),')
_OBJECT: Final = json.JSONDecoder()


@dataclass(slots=True)
class Scan:
    """`end` counts the bytes up to and with the last whole record; `size` all; `newline`: a line ends
    at `end`."""

    events: list[Event] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    end: int = 0
    size: int = 0
    newline: bool = True
    last: int = 0
    """The highest record number."""
    version: int = 0
    """The newest format of a record."""


def scan(file: BinaryIO) -> Scan:
    """Read a log. A line that is longer than any record (a gigabyte of zeros, say) is never held in
    memory."""
    found = Scan()
    damage: list[tuple[int, str]] = []
    for number, (start, line) in enumerate(lines(file), 1):
        found.size = start + len(line)
        if not line:
            damage.append((start, f"line {number} is damaged (longer than any record)"))
            continue
        try:
            event: Event | None = decode(line)
        except BadRecord as error:
            pieces = _pieces(line)
            damage.append((start, f"line {number} is damaged ({error}){_kept(pieces)}"))
            for event, stop in pieces:
                _take(found, event, start + stop, line, stop)
            continue
        if (version := _VERSION.match(line)) is not None:
            found.version = max(found.version, int(version[1]))
        _take(found, event, found.size, line, len(line))
    found.size = file.tell()
    found.problems.extend(text for at, text in damage if at < found.end)
    if found.end < found.size:
        found.problems.append(f"the last {found.size - found.end:,} bytes are an incomplete record")
    return found


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


def _pieces(line: bytes) -> list[tuple[Event | None, int]]:
    """The whole records in a line that is none: each with where it stops (`None`: whole, but of no
    known shape)."""
    if _intact(line):
        return [(None, len(line))]
    found: list[tuple[Event | None, int]] = []
    starts = [match.start() for match in _RECORD.finditer(line)]
    for start, limit in itertools.pairwise([*starts, len(line)]):
        try:
            # Latin-1: a character for each byte, so that the end of the object is its offset in the
            # line.
            stop = start + _OBJECT.raw_decode(line[start:limit].decode("latin-1"))[1]
            event = decode(line[start:stop])
        except (ValueError, RecursionError):
            continue
        found.append((event, len(line) if line[stop:] in (b"\n", b"\r\n") else stop))
    return found


def _intact(line: bytes) -> bool:
    """Whether the checksum fits: then the record is as it was written, and only its shape is not
    understood."""
    body, _, tail = line.rstrip(b"\r\n").rpartition(b',"c":')
    return tail[:-1].isdigit() and len(tail) < 12 and zlib.crc32(body + b"}") == int(tail[:-1])


def _kept(pieces: list[tuple[Event | None, int]]) -> str:
    whole = sum(event is not None for event, _ in pieces)
    return f"; {whole} record{'s' if whole > 1 else ''} in it could be read" if whole else ""
