"""Passes over a whole content, piece by piece: within one call of C nothing else of the program
runs, not even the key that is to stop it. No piece takes longer than a few milliseconds, and
between two it is looked whether the call was cancelled."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import AnyStr, Final

PIECE: Final = 1 << 20
"""Characters, or bytes, at once."""
_stopped: ContextVar[Callable[[], bool]] = ContextVar("stopped")


class Stopped(Exception):
    """The call was cancelled: nobody waits for what was worked out."""


@contextmanager
def stoppable(stopped: Callable[[], bool]) -> Iterator[None]:
    """Passes of this thread end with Stopped once `stopped` says so."""
    token = _stopped.set(stopped)
    try:
        yield
    finally:
        _stopped.reset(token)


def spans(start: int, end: int) -> Iterator[tuple[int, int]]:
    """From `start` to `end`, in pieces. Raises Stopped."""
    stopped = _stopped.get(None)
    for at in range(start, end, PIECE):
        if stopped is not None and stopped():
            raise Stopped
        yield at, min(at + PIECE, end)


def find(text: AnyStr, what: AnyStr, start: int = 0) -> int:
    """As `text.find`."""
    for at, end in spans(start, len(text)):
        if (found := text.find(what, at, end + len(what) - 1)) >= 0:
            return found
    return -1


def count(text: AnyStr, what: AnyStr, start: int = 0, end: int | None = None) -> int:
    """As `text.count`, of what does not overlap with itself."""
    end, more = len(text) if end is None else end, len(what) - 1
    return sum(text.count(what, at, min(to + more, end)) for at, to in spans(start, end))


def place_of_line(data: bytes, line: int) -> int:
    """Where a line begins, counted from 0; there are so many."""
    for at, end in spans(0, len(data)):
        if (here := data.count(b"\n", at, end)) < line:
            line -= here
            continue
        for _ in range(line):
            at = data.find(b"\n", at) + 1 or len(data)
        return at
    return len(data)


def is_utf8(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at, end in spans(0, len(data)):
            decoder.decode(data[at:end], final=end == len(data))
    except UnicodeDecodeError:
        return False
    return True
