"""Looking after logs: what is damaged in one, and a repaired one in its place. Nothing is ever
deleted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Literal

from agent_tui.protocol.codec import VERSION
from agent_tui.sessions.index.listing import logs
from agent_tui.sessions.log.lock import Lock
from agent_tui.sessions.log.private import copy_stretch, sync_folder
from agent_tui.sessions.log.raw import (
    LOG,
    NoLog,
    RawRecord,
    in_line,
    intact,
    lines,
    number,
    open_log,
    pieces,
)
from agent_tui.structures.frozen import frozen

State = Literal["ok", "gaps", "damaged", "no log"]
_SAID: Final = 4
"""Single findings that are told of one log; more are counted."""


class Refused(Exception):
    """It cannot be done. The message says why, in one line."""


@dataclass(slots=True)
class Check:
    """What is in a log. `gaps`: all bytes are records, but some records are missing; `bad`: where
    bytes are none."""

    id: str
    state: State = "ok"
    size: int = 0
    records: int = 0
    newer: int = 0
    """Records of a format that this version does not know: kept."""
    fused: int = 0
    """Records that share a line with others."""
    bad: list[tuple[int, int]] = field(default_factory=list)
    found: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """All of it in one line."""
        if self.state == "no log":
            return f"{self.id}: {self.found[0]}"
        more = [f"and {len(self.found) - _SAID:,} more findings"] if len(self.found) > _SAID else []
        kept = f"{self.records:,} record{'' if self.records == 1 else 's'}, {self.size:,} bytes"
        newer = [f"{self.newer:,} of a newer version, kept"] if self.newer else []
        return f"{self.id}: {self.state}: {'; '.join((*self.found[:_SAID], *more, kept, *newer))}"


def verify(folder: Path, check: Callable[[], None] = lambda: None) -> Iterator[Check]:
    """Every file that has the name of a log, by name."""
    for path in sorted(logs(folder)):
        yield verify_log(path, check)


def verify_log(path: Path, check: Callable[[], None] = lambda: None) -> Check:
    """What is in the log at `path`; never raises for what it holds."""
    result = Check(path.name.removesuffix(LOG))
    try:
        with open_log(path) as file:
            result.size = os.fstat(file.fileno()).st_size
            for _ in _good(file, result, check):
                pass
    except (NoLog, OSError) as error:
        result.state, result.found = "no log", [str(error)]
        return result
    if not result.records:
        result.state = "no log"
        result.found = [
            "an empty file" if not result.size else f"{result.size:,} bytes, but no records"
        ]
    else:
        result.state = _state(result)
    return result


def _state(result: Check) -> State:
    return "damaged" if result.bad or result.fused else "gaps" if result.found else "ok"


def _good(file: BinaryIO, result: Check, check: Callable[[], None]) -> Iterator[tuple[int, int]]:
    """Where the whole records are, each once; what is found on the way goes to `result`."""
    last = end = 0
    seen: dict[
        int, int
    ] = {}  # the checksums of the last records, by number: only the same one appears twice
    for start, stop, record, own in segments(file, check):
        if record is None:
            _bad(result, start, stop)
            end = stop
            continue
        here = number(record, "n")
        checksum = number(record, "c")
        if seen.get(here) == checksum:
            result.found.append(f"record {here} appears twice")
            result.bad.append((start, stop))
            continue
        if here > last + 1:
            result.found.append(
                f"record {last + 1} is missing"
                if here == last + 2
                else _missing(last + 1, here - 1)
            )
        elif 0 < here <= last:
            result.found.append(f"record {here} comes after record {last}")
        seen[here] = checksum
        seen.pop(here - 64, None)
        last, end = max(last, here), stop
        result.records += 1
        result.newer += number(record, "v") > VERSION
        result.fused += not own
        yield start, stop
    if result.bad and result.bad[-1][1] == end == result.size:
        start, stop = result.bad[-1]
        result.found[-1] = f"the last {stop - start:,} bytes are an incomplete record"
    if result.fused and not result.bad:
        result.found.append(
            f"{result.fused:,} record{'s share lines' if result.fused > 1 else ' shares a line'}"
        )


def _missing(first: int, last: int) -> str:
    return f"records {first:,} to {last:,} are missing"


def _bad(result: Check, start: int, stop: int) -> None:
    if result.bad and result.bad[-1][1] == start and result.found:
        start = result.bad.pop()[0]
        result.found.pop()
    result.bad.append((start, stop))
    result.found.append(f"{stop - start:,} bytes at {start:,} are not a record")


def segments(
    file: BinaryIO, check: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, int, RawRecord | None, bool]]:
    """The whole of a log in stretches: records, and what is none (None); and whether a record has a
    line of its own."""
    end = 0
    for start, line in lines(file, check):
        if start > end:  # a line that was longer than any record
            yield end, start, None, False
        end = start + len(line)
        if not line:
            continue
        record = next(in_line(line), None) if intact(line) and line.startswith(b'{"v":') else None
        if record is not None:
            yield start, end, record, True
            continue
        at = 0
        for first, stop in pieces(line):
            record = next(in_line(line[first:stop]), None)
            if record is None:
                continue
            if first > at:
                yield start + at, start + first, None, False
            at = len(line) if line[stop:] in (b"\n", b"\r\n") else stop
            yield start + first, start + at, record, False
        if at < len(line):
            yield start + at, end, None, False
    size = os.fstat(file.fileno()).st_size
    if size > end:
        yield end, size, None, False


@frozen
class Repaired:
    """`aside`: where the bytes that are no records are now; `original`: the log as it was. Empty:
    nothing was wrong."""

    check: Check
    aside: tuple[Path, ...] = ()
    original: Path | None = None


def repair(folder: Path, id: str) -> Repaired:
    """Write the log of `id` anew with all records that are whole; what is none is set aside, and
    the log as it was is kept beside it. Raises Refused, SessionLocked."""
    path = folder / f"{id}{LOG}"
    lock = Lock(folder / f"{id}.lock")
    try:
        lock.take()
    except OSError as error:
        raise Refused(f"{id}: cannot be written ({error.strerror})") from None
    try:
        return _repaired(path, id)
    except NoLog as error:
        raise Refused(f"{id}: {error}") from None
    except OSError as error:
        raise Refused(f"{id}: nothing was changed: {error.strerror or error}") from None
    finally:
        lock.release()


def _repaired(path: Path, id: str) -> Repaired:
    """Raises NoLog, OSError: then the log is as it was."""
    stamp = f"{time.strftime('%Y%m%dT%H%M%S')}-{time.time_ns() % 1_000_000_000:09}"
    fresh = path.with_name(f".{id}.{stamp}.new")
    result = Check(id)
    try:
        with open_log(path) as file, os.fdopen(_made(fresh), "wb") as new:
            result.size = os.fstat(file.fileno()).st_size
            for start, stop in _good(file, result, lambda: None):
                record = os.pread(file.fileno(), stop - start, start)
                new.write(record.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n") + b"\n")
            new.flush()
            os.fsync(new.fileno())
            if not result.records:
                raise NoLog("has no records: not changed")
            result.state = _state(result)
            if result.state != "damaged":
                return Repaired(result)
            aside = tuple(_set_aside(file, path, stamp, result))
        original = path.with_suffix(f".before-repair-{stamp}")
        os.link(path, original, follow_symlinks=False)
        fresh.replace(path)
        sync_folder(path.parent)
        return Repaired(result, aside, original)
    finally:
        fresh.unlink(missing_ok=True)


def _set_aside(file: BinaryIO, path: Path, stamp: str, result: Check) -> Iterator[Path]:
    """Copy what is no record: a bad end to `.torn-…`, all else to `.bad-…`."""
    torn = [bad for bad in result.bad[-1:] if bad[1] == result.size]
    for kind, stretches in (("bad", result.bad[: len(result.bad) - len(torn)]), ("torn", torn)):
        if not stretches:
            continue
        target = path.with_suffix(f".{kind}-{stamp}")
        fd = _made(target)
        try:
            for start, stop in stretches:
                copy_stretch(file.fileno(), start, stop, fd)
            os.fsync(fd)
        finally:
            os.close(fd)
        yield target


def _made(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
