"""The prompts of before: one file for all sessions and all running copies of the program.

JSON Lines, one prompt a line, appended with one write, so that copies that run side by side never
tear each other's lines. It is read from its end, so its length costs nothing. A file that is
damaged, or cannot be read or written, costs one notice, never a prompt: what could not be written
is kept here.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Final

from agent_tui.paths import make_private
from agent_tui.registry import late
from agent_tui.regular_file import open_regular
from agent_tui.tui.core import msg
from agent_tui.tui.core.history_search import Past, Recall

with late(warm=False):  # prompts are read and written after the first frame
    import json

KEPT: Final = 1_000
"""Prompts to go through with ↑; the search goes through all of them."""
FULL: Final = 64_000_000
"""Bytes from which the file is cut back to its newer half."""
LONGEST: Final = 100_000
"""Characters of a prompt that is worth remembering."""
LOCK_SECONDS: Final = 0.05
"""So long the screen waits for another copy; without the lock, an append is still one write."""
SLICE: Final = 500
"""Lines that are read at a time: some milliseconds."""


class PromptHistory:
    """`folder`: prompts that were sent there come first. `notice`: what went wrong, said once."""

    def __init__(self, path: Path, folder: str = "") -> None:
        self.path = path
        self.folder = folder
        self._notice = ""
        self._told = False
        self._unsaved: list[Past] = []
        self._known: tuple[int, int] = (0, 0)
        """Device-wide number and size of the file as it was read last: another one has been written
        by another copy."""

    def load(self) -> tuple[str, ...]:
        """The newest `KEPT` prompts, each once: those of other folders, oldest first, then those of
        this one."""
        if self._full():
            self._cut_back()
        newest = list[Past]()
        for some in self.slices():
            newest += some
            if len(newest) >= KEPT:
                break
        newest = newest[:KEPT][::-1]
        return tuple(past.text for past in sorted(newest, key=lambda past: past.here))

    def reload(self) -> tuple[str, ...] | None:
        """As `load`, if another copy has written since; else None."""
        return None if self._stamp() == self._known else self.load()

    def slices(self) -> Iterator[tuple[Past, ...]]:
        """All prompts, newest first, each once; some milliseconds of work at a time."""
        seen = {past.text for past in self._unsaved}
        yield tuple(reversed(self._unsaved))
        bad = 0
        try:
            with os.fdopen(open_regular(self.path), "rb") as file:
                self._known = _stamp_of(os.fstat(file.fileno()))
                for lines in read_backwards(file, SLICE):
                    found = list[Past]()
                    for line in lines:
                        past = parse_line(line, self.folder)
                        if past is None:
                            bad += 1
                        elif past.text not in seen:
                            seen.add(past.text)
                            found.append(past)
                    if bad:
                        self._notice = f"prompt history: {bad} damaged line{'s' * (bad > 1)} skipped in {self.path}"
                    yield tuple(found)
        except FileNotFoundError:
            return
        except OSError as error:
            self._notice = f"prompt history cannot be read: {self.path}: {error.strerror}"

    def add(self, text: str) -> None:
        """Append `text`."""
        if not text.strip() or len(text) > LONGEST:
            return
        at = round(time.time(), 3)
        line = (
            json.dumps({"at": at, "cwd": self.folder, "text": text}, ensure_ascii=True).encode()
            + b"\n"
        )
        try:
            make_private(self.path.parent)
            self._append(line)
        except OSError as error:
            self._unsaved.append(Past(text, at, True))
            self._notice = (
                f"prompt history cannot be written: {error.filename or self.path}: {error.strerror}"
            )

    def _append(self, line: bytes) -> None:
        """Append `line` as a line of its own, with one write."""
        while True:
            fd = open_regular(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            try:
                _lock(fd)
                held = os.fstat(fd)
                if held.st_nlink == 0:
                    continue  # another copy has cut the file back just now: this is the old one
                alone = _stamp_of(held) == self._known or not held.st_size
                torn = held.st_size and os.pread(fd, 1, held.st_size - 1) != b"\n"
                line = b"\n" + line if torn else line
                _write_whole(fd, line, held.st_size)
                if alone:
                    self._known = _stamp_of(os.fstat(fd))
                return
            finally:
                os.close(fd)

    def notice(self) -> str:
        """What went wrong, the first time it is asked for."""
        if self._told or not self._notice:
            return ""
        self._told = True
        return self._notice

    def _stamp(self) -> tuple[int, int]:
        try:
            return _stamp_of(self.path.stat())
        except OSError:
            return self._known

    def _full(self) -> bool:
        return self._stamp()[1] > FULL

    def _cut_back(self) -> None:
        """Write the newer half anew, while no other copy appends."""
        try:
            with os.fdopen(open_regular(self.path), "rb") as old:
                if not _lock(old.fileno()):
                    return  # another time
                old.seek(-FULL // 2, os.SEEK_END)
                kept = old.read().partition(b"\n")[2]
                fd, name = tempfile.mkstemp(dir=self.path.parent, prefix=".history-")
                with os.fdopen(fd, "wb") as new:
                    new.write(kept)
                Path(name).replace(self.path)
        except OSError as error:
            self._notice = f"prompt history cannot be shortened: {self.path}: {error.strerror}"


def _stamp_of(held: os.stat_result) -> tuple[int, int]:
    return held.st_ino, held.st_size


def _write_whole(fd: int, line: bytes, size: int) -> None:
    """Append all of `line` to a file of `size` bytes, or nothing. Raises OSError."""
    rest = line
    try:
        while rest:  # where a part did not fit, the next write says why
            rest = rest[os.write(fd, rest) :]
    except OSError:
        os.ftruncate(fd, size)
        raise


def _lock(fd: int) -> bool:
    """Lock the file against other copies; False if one of them does not let go."""
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        except OSError:  # a file system without locks
            return False
        else:
            return True


with late(warm=False):  # prompts are read and written after the first frame
    import json

BLOCK: Final = 262_144
LONGEST_LINE: Final = 2_000_000
"""Bytes; what is longer was not written by this program."""


def read_backwards(file: BufferedReader, most: int) -> Iterator[list[bytes]]:
    """The lines of `file` that are not empty, newest first, at most `most` at a time. A line that
    is too long comes as its last piece, which says nothing."""
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


def parse_line(line: bytes, folder: str) -> Past | None:
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
    return Past(
        text, float(at) if isinstance(at, int | float) else 0.0, bool(folder) and cwd == folder
    )


PAUSE: Final = 0.005
"""Seconds between two slices of the file: the keys that wait come first."""


class Memory:
    """`history`: none remembers nothing. `dispatch`: where it is told. `wanted`: the search that
    waits, if any."""

    def __init__(
        self,
        history: PromptHistory | None,
        dispatch: Callable[[msg.Msg], None],
        wanted: Callable[[], Recall | None],
    ) -> None:
        self.history = history
        self._dispatch, self._wanted = dispatch, wanted

    def load(self) -> None:
        if self.history is not None:
            if entries := self.history.load():
                self._dispatch(msg.HistoryLoaded(at=time.time(), entries=entries))
            self._notice()

    def reload(self) -> None:
        """Another copy may have written: its prompts count too."""
        if self.history is not None and (entries := self.history.reload()) is not None:
            self._dispatch(msg.HistoryLoaded(at=time.time(), entries=entries, again=True))

    def add(self, text: str) -> None:
        if self.history is not None:
            self.history.add(text)
            self._notice()

    def read(self, number: int) -> None:
        """Tell all of it for the search `number`, a slice at a time."""
        self._slice(number, self.history.slices() if self.history is not None else iter(()))

    def _slice(self, number: int, slices: Iterator[tuple[Past, ...]]) -> None:
        now = self._wanted()
        if now is None or now.number != number:
            return
        found = next(slices, None)
        told = msg.HistoryRead(
            at=time.time(), number=number, entries=found or (), done=found is None
        )
        self._dispatch(told)
        if found is not None:
            asyncio.get_running_loop().call_later(PAUSE, self._slice, number, slices)
        else:
            self._notice()

    def _notice(self) -> None:
        if self.history is not None and (text := self.history.notice()):
            self._dispatch(msg.EffectFailed(at=time.time(), text=text))
