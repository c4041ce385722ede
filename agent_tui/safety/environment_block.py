"""The memory that the system shows to others as the environment of this process (`ps e`, `/proc/<pid>/environ`).

It stays as it was at the start, whatever is taken out of `os.environ`. A command is started without our keys, but
could read them there, of its parent: so they are written over. What the program itself reads is Python's own copy.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

from agent_tui.safety.environment import may_be_credential

_STAT: Final = Path("/proc/self/stat")
_START, _END = 47, 48
"""Where that memory begins and ends, among the fields behind the name of the program."""


def hide_secrets() -> None:
    """Write over the values of the variables that hold credentials; where the system does not say where, nothing."""
    try:
        fields = _STAT.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        start, end = int(fields[_START]), int(fields[_END])
    except (OSError, IndexError, ValueError):
        return  # no Linux, or one that does not tell
    at = start
    for entry in ctypes.string_at(start, max(0, end - start)).split(b"\0"):
        name, _, value = entry.partition(b"=")
        if may_be_credential(name.decode("utf-8", "replace"), value.decode("utf-8", "replace")):
            ctypes.memset(at + len(entry) - len(value), ord("*"), len(value))
        at += len(entry) + 1
