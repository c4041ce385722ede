"""The lines of a history file, from its end, and what one of them says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BufferedReader
from typing import Final

from agent_tui.registry import late
from agent_tui.tui.recall import Past

with late(warm=False):  # prompts are read and written after the first frame
    import json

BLOCK: Final = 262_144
LONGEST_LINE: Final = 2_000_000
"""Bytes; what is longer was not written by this program."""


def backwards(file: BufferedReader, most: int) -> Iterator[list[bytes]]:
    """The lines of `file` that are not empty, newest first, at most `most` at a time. A line that is too long comes
    as its last piece, which says nothing."""
    at, rest, dropped = file.seek(0, os.SEEK_END), b"", False
    while at:
        size = min(BLOCK, at)
        at -= size
        file.seek(at)
        head, *lines = (file.read(size) + rest).split(b"\n")
        if lines and dropped:
            lines[-1], dropped = b"", False
        rest = head
        if len(rest) > LONGEST_LINE:
            lines, rest, dropped = [rest[-1:], *lines], b"", True
        elif dropped:
            rest = b""
        if not at:
            lines = [rest, *lines]
        found = [line for line in reversed(lines) if line.strip()]
        yield from (found[n : n + most] for n in range(0, len(found), most))


def parsed(line: bytes, folder: str) -> Past | None:
    """The prompt that was sent, `here` if it was in `folder`. None: the line holds none."""
    try:
        entry = json.loads(line)
        text, at, cwd = entry["text"], entry.get("at", 0.0), entry.get("cwd", "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(text, str) or not text.strip():
        return None
    if not text.isascii():  # half a character of UTF-16 cannot be drawn or sent
        text = text.encode("utf-8", "replace").decode()
    return Past(text, float(at) if isinstance(at, int | float) else 0.0, bool(folder) and cwd == folder)
