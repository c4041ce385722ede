"""What the model knows of files: what they held when it read or wrote them last. An edit of a file
that is another one by now says so, once."""

from __future__ import annotations

import difflib
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from agent_tui.structures.frozen import frozen

MOST_FILES: Final = 2_000
MOST_BYTES: Final = 8_000_000
"""Bytes of contents that are kept, so that it can be told what changed."""
LARGEST: Final = 400_000
"""Bytes of one that is kept."""
DIFF_LINES: Final = 40
LINE: Final = 200
"""Characters of a line that are shown."""
MISSES: Final = 2
"""Steps in a row whose edits missed, after which a file must be read again."""


@frozen
class Seen:
    """`key` is the SHA-256 of the content, empty where it is not known; `told`: the step in which
    the model was told of this content rather than read it; `missed`: the steps whose edits missed;
    `given`: in which call, and how, the model was given a part of this content."""

    key: str = ""
    content: bytes | None = None
    told: int = -1
    before: Seen | None = None
    missed: tuple[int, ...] = ()
    given: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class SeenFiles:
    """The files of one agent. Content tells, not a time: a file that is only touched is the same.
    Of a file that is not known nothing is said: that the old text fits is proof enough."""

    def __init__(self) -> None:
        self._files: OrderedDict[Path, Seen] = OrderedDict()
        self._step = self._bytes = 0
        self.folders: set[Path] = set()
        """Those of all files that were noted."""
        self._lock = threading.Lock()

    def begin_step(self) -> None:
        """What is told from now on the model hears only after these calls."""
        self._step += 1

    def note(self, path: Path, content: bytes, sha: str = "") -> None:
        """The model read the file, or wrote it. `sha`: the SHA-256, where somebody has it."""
        self.folders.add(path.parent)
        kept = content if len(content) <= LARGEST else None
        before, key = self._files.get(path, Seen()), sha or _key(content)
        same = before.key == key and not before.missed  # what it missed it must see again
        self._put(path, Seen(key, kept, given=before.given if same else {}))

    def find_earlier(self, path: Path, part: str) -> tuple[str, str] | None:
        """The call, and its result, with which the model got a part of the file as it knows it;
        None: it did not."""
        return self._files.get(path, Seen()).given.get(part)

    def note_given(self, path: Path, part: str, call_id: str, result: str) -> None:
        """The model gets a part of the file that was noted last."""
        with self._lock:
            if (seen := self._files.get(path)) is not None:
                given = {**seen.given, part: (call_id, result)}
                self._files[path] = replace(seen, given=given)

    def forget(self, path: Path) -> None:
        """The file is gone."""
        with self._lock:
            self._drop(path)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of which it knows something."""
        with self._lock:
            return tuple(self._files)

    def clear(self) -> None:
        """The model knows nothing of what it read any more."""
        with self._lock:
            self._files.clear()
            self.folders.clear()
            self._bytes = 0

    def note_miss(self, path: Path) -> bool:
        """An edit of the file missed: whether it must be read again now."""
        seen = self._files.get(path, Seen())
        if self._step not in seen.missed:
            seen = replace(seen, missed=(*seen.missed, self._step)[-MISSES:])
            self._put(path, seen)
        return len(seen.missed) >= MISSES

    def note_hit(self, path: Path) -> None:
        if (seen := self._files.get(path)) is not None and seen.missed:
            self._put(path, replace(seen, missed=()))

    def find_stale(
        self, path: Path, content: bytes, hide: Callable[[str], str], sha: str = ""
    ) -> str:
        """Why the model must look at the file, which holds `content`, before it changes it; empty:
        it need not. `hide` hides secrets in a text of this file; `sha`: as in `note`."""
        seen = self._files.get(path)
        if seen is None:
            return ""
        if len(seen.missed) >= MISSES and self._step not in seen.missed:
            return "was missed by the last edits. Read it with read_file, then edit it"
        key = sha or _key(content)
        if seen.key == key and seen.told == self._step and seen.before is not None:
            seen = seen.before  # it is told only after this step
        if not seen.key or seen.key == key:
            return ""
        kept = content if len(content) <= LARGEST else None
        self._put(path, Seen(key, kept, self._step, replace(seen, before=None)))
        return f"changed since it was read, so nothing was done. {_difference(seen.content, kept, hide)}"

    def _put(self, path: Path, seen: Seen) -> None:
        with self._lock:
            self._drop(path)
            self._files[path] = seen
            self._bytes += _size(seen)
            while len(self._files) > MOST_FILES or self._bytes > MOST_BYTES:
                self._drop(next(iter(self._files)))

    def _drop(self, path: Path) -> None:
        if (old := self._files.pop(path, None)) is not None:
            self._bytes -= _size(old)


def _size(seen: Seen) -> int:
    own = len(seen.content) if seen.content else 0
    return own + (_size(seen.before) if seen.before else 0)


def _key(content: bytes) -> str:
    # `hash` is quicker, but nothing else of the program runs while it works
    return hashlib.sha256(content).hexdigest()


def _difference(old: bytes | None, new: bytes | None, hide: Callable[[str], str]) -> str:
    """What changed, in a few lines."""
    again = "Read it again with read_file."
    if old is None or new is None:
        return again
    before, after = (_lines(hide(content.decode("utf-8", "replace"))) for content in (old, new))
    if before == after:
        return "Only its line ends, its encoding or a hidden value did: you can edit it now."
    found = list(difflib.unified_diff(before, after, "read", "now", n=1, lineterm=""))[2:]
    lines = [line if len(line) <= LINE else f"{line[:LINE]}…" for line in found[:DIFF_LINES]]
    if len(found) > DIFF_LINES:
        lines.append(f"… ({len(found) - DIFF_LINES} more lines of this difference)")
        return "\n".join(("What changed:", *lines, again))
    return "\n".join(("What changed:", *lines, "If your edit still fits, make it again."))


def _lines(text: str) -> list[str]:
    """Only a line feed ends a line, with or without a carriage return."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")
