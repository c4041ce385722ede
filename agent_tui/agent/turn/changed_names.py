"""What became of the names that programs obey, as a person sees it who is asked about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from agent_tui.protocol.display import DiffDisplay, DiffsDisplay, Hunk
from agent_tui.safety import file_access
from agent_tui.safety.sandbox.protected_state import ProtectedState
from agent_tui.tools.support.diff import diff
from agent_tui.tools.support.files import is_binary

SHOWN: Final = 20
"""Names of which the difference is shown."""
MOST: Final = 64_000
"""Bytes of a file of which it is."""


def show_changes(
    state: ProtectedState, paths: Sequence[str], name: Callable[[Path], str]
) -> DiffsDisplay:
    """The differences of `paths` from what they were; what is no short text has a line. Reads
    files."""
    diffs = list(_differences(state, paths[:SHOWN], name))
    if left := len(paths) - SHOWN:
        diffs += [_line(f"{left} more", "not shown")] if left > 0 else []
    return DiffsDisplay(tuple(diffs))


def _differences(
    state: ProtectedState, paths: Sequence[str], name: Callable[[Path], str]
) -> Iterator[DiffDisplay]:
    for path in paths:
        shown, was, now = name(Path(path)), state.content_before(path), _now(path)
        if isinstance(now, str):
            yield _line(shown, now)
            continue
        before = was or b""
        if max(len(before), len(now)) > MOST or is_binary(before) or is_binary(now):
            yield _line(shown, "not shown: it is large, or no text")
            continue
        old, new = (one.decode("utf-8", "replace") for one in (before, now))
        yield diff(shown, old, new, created=was is None)


def _now(path: str) -> bytes | str:
    """The content of a file; of all else, what it is in words. Only the beginning of a large
    one."""
    try:
        if os.path.islink(path):  # noqa: PTH114
            return f"a link to {os.readlink(path)}"  # noqa: PTH115
        if os.path.isdir(path):  # noqa: PTH112
            return "a folder"
        return file_access.read_regular(Path(path), MOST)
    except FileNotFoundError:
        return "deleted"
    except (OSError, file_access.NotRegular) as error:
        return f"cannot be read: {error}"


def _line(shown: str, said: str) -> DiffDisplay:
    return DiffDisplay(shown, (Hunk(1, 1, (f"\\ {said}",)),))
