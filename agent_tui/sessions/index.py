"""Which sessions there are: a line about each, from the two ends of its log and never from the whole of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_HEAD: Final = 4_096
_TAIL: Final = 8_192
_MOST: Final = 1 << 20
"""Bytes that are read from each end at first, and at most."""


@dataclass(frozen=True, slots=True)
class Summary:
    """`at`: seconds since the epoch of the last record; `title`: the first prompt's first line."""

    id: str
    cwd: str
    title: str
    at: float
    turns: int
    model: str


def recent(folder: Path, cwd: Path | None = None) -> list[Summary]:
    """The sessions, newest first; with `cwd` only those that began in that folder."""
    wanted = None if cwd is None else str(cwd)
    found = [summary for summary in _summaries(folder, "") if wanted is None or summary.cwd == wanted]
    return sorted(found, key=lambda summary: (summary.at, summary.id), reverse=True)


def find(folder: Path, prefix: str) -> list[Summary]:
    """The sessions whose id begins with `prefix`, newest first."""
    return sorted(_summaries(folder, prefix), key=lambda summary: (summary.at, summary.id), reverse=True)


def _summaries(folder: Path, prefix: str) -> Iterable[Summary]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".jsonl")]
    except OSError:
        return  # no folder yet, or none that can be read: no sessions
    for name in names:
        if name.startswith(prefix):
            summary = _summary(folder / name)
            if summary is not None:
                yield summary


def _summary(path: Path) -> Summary | None:
    """None for a file that cannot be read or holds no record."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        size = os.fstat(fd).st_size
        cwd, title, model = _beginning(fd, size)
        at, turns, newest = _ending(fd, size)
        if at is None and cwd:  # a last record that is longer than what is read of it, or damage
            at = os.fstat(fd).st_mtime
    except OSError:
        return None
    finally:
        os.close(fd)
    return None if at is None else Summary(path.stem, cwd, title, at, turns, newest or model)


def _beginning(fd: int, size: int) -> tuple[str, str, str]:
    """Folder, title and model from the first records."""
    length = _HEAD
    while True:
        cwd = title = model = ""
        for record in _records(os.pread(fd, length, 0).split(b"\n")):
            if record["type"] == "session_started" and not cwd:
                cwd, model = str(record.get("cwd", "")), str(record.get("model", ""))
            elif record["type"] == "turn_started":
                title = str(record.get("prompt", "")).strip().split("\n", 1)[0][:80]
                break
        if title or length >= min(size, _MOST):
            return cwd, title, model
        length *= 16


def _ending(fd: int, size: int) -> tuple[float | None, int, str]:
    """Time, number of turns and model from the last records. No time: no record was found."""
    length = _TAIL
    while True:
        at: float | None = None
        turns, model = 0, ""
        start = max(0, size - length)
        lines = os.pread(fd, length, start).split(b"\n")
        for record in _records(reversed(lines if start == 0 else lines[1:])):
            if at is None and isinstance(record.get("at"), int | float):
                at = float(record["at"])
            turn = record.get("turn")
            turns = turns or (turn if isinstance(turn, int) else 0)
            if record["type"] in ("request_sent", "model_changed", "session_started"):
                model = model or str(record.get("model", ""))
            if turns and model:
                break
        if (at is not None and turns) or length >= min(size, _MOST):
            return at, turns, model
        length *= 16


def _records(lines: Iterable[bytes]) -> Iterable[dict[str, Any]]:
    """The lines that look like records. Their checksums are not verified: this is a list to choose from."""
    for line in lines:
        if line.startswith(b'{"v":'):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict) and isinstance(record.get("type"), str):
                yield record
