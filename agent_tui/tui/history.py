"""The prompts of before: one file for all sessions and all running copies of the program.

JSON Lines, one prompt a line, appended with one write, so that copies that run side by side never tear each other's
lines. A file that is damaged or cannot be written costs one notice, never a prompt.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from pathlib import Path
from typing import Final

KEPT: Final = 1_000
"""Prompts that are kept; the file is cut back when it holds twice as many."""
LONGEST: Final = 100_000
"""Characters of a prompt that is worth remembering."""
LOCK_SECONDS: Final = 0.2
"""So long the screen waits for another copy; without the lock, an append is still one write."""


class PromptHistory:
    """`notice`: what went wrong, said once; empty if nothing did."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._notice = ""
        self._told = False

    def load(self) -> tuple[str, ...]:
        """The newest `KEPT` prompts, oldest first, without repeats in a row."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            self._notice = f"prompt history cannot be read: {self.path}: {error.strerror}"
            return ()
        lines = content.split(b"\n")
        prompts, bad = _prompts(lines)
        if bad:
            self._notice = f"prompt history: {bad} damaged line{'s' * (bad > 1)} skipped in {self.path}"
        if len(lines) > 2 * KEPT:
            self._cut_back()
        return tuple(prompts[-KEPT:])

    def add(self, text: str) -> None:
        """Append `text`."""
        if not text.strip() or len(text) > LONGEST:
            return
        import json

        line = json.dumps({"at": round(time.time(), 3), "text": text}, ensure_ascii=True).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._append(line)
        except OSError as error:
            self._notice = f"prompt history cannot be written: {self.path}: {error.strerror}"

    def _append(self, line: bytes) -> None:
        """Append `line` as a line of its own, with one write."""
        while True:
            fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                _lock(fd)
                held = os.fstat(fd)
                if held.st_nlink == 0:
                    continue  # another copy has cut the file back just now: this is the old one
                torn = held.st_size and os.pread(fd, 1, held.st_size - 1) != b"\n"
                os.write(fd, b"\n" + line if torn else line)
                return
            finally:
                os.close(fd)

    def notice(self) -> str:
        """What went wrong, the first time it is asked for."""
        if self._told or not self._notice:
            return ""
        self._told = True
        return self._notice

    def _cut_back(self) -> None:
        """Write the newest prompts anew, while no other copy appends."""
        try:
            with self.path.open("rb") as old:
                if not _lock(old.fileno()):
                    return  # another time
                kept = old.read().split(b"\n")[-KEPT - 1 :]
                fd, name = tempfile.mkstemp(dir=self.path.parent, prefix=".history-")
                with os.fdopen(fd, "wb") as new:
                    new.write(b"\n".join(kept))
                Path(name).replace(self.path)
        except OSError as error:
            self._notice = f"prompt history cannot be shortened: {self.path}: {error.strerror}"


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
        else:
            return True


def _prompts(lines: list[bytes]) -> tuple[list[str], int]:
    """The prompts in `lines` and how many lines held none."""
    import json

    prompts: list[str] = []
    bad = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            text = json.loads(line)["text"]
        except (ValueError, KeyError, TypeError):
            bad += 1
            continue
        if not isinstance(text, str):
            bad += 1
        elif not prompts or prompts[-1] != text:
            prompts.append(text)
    return prompts, bad
