"""How files are, read off the loop: what each holds, by its hash, and what tells it apart. What was
read and kept once is not read again as long as the file is the same."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from agent_tui.agent.turn.snapshots import Known
from agent_tui.agent.turn.untracked_files import LARGEST, MOST_KEPT, Key, key_of
from agent_tui.safety import file_access
from agent_tui.safety.file_access import LINK, is_link, read_link
from agent_tui.sessions.log.checkpoints import Blobs

MOST_BYTES: Final = 200_000_000
"""Of files that are looked at around one command."""
CLOCK: Final = 20_000_000
"""Nanoseconds that a file system's clock may be behind ours."""
NO_FILE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors that say that no file has this name."""


class KnownFiles:
    """What is known of files. The contents of those that differ already are kept in `blobs`, those
    of all others, which may never change, in `aside`."""

    def __init__(self, blobs: Blobs, aside: Blobs) -> None:
        self._blobs, self._aside = blobs, aside
        self._seen: dict[Path, Known] = {}

    def look(self, wanted: Iterable[Path], keep: bool) -> tuple[dict[Path, Known], list[Path]]:
        """How the files are, and those that do not fit or cannot be read; with `keep` their
        contents go into the blobs."""
        return self._look(wanted, self._blobs if keep else None)

    def _look(
        self, wanted: Iterable[Path], store: Blobs | None
    ) -> tuple[dict[Path, Known], list[Path]]:
        found: dict[Path, Known] = {}
        missed: list[Path] = []
        budget = MOST_BYTES
        diverted = functools.cache(lambda folder: os.path.realpath(folder) != str(folder))
        for path in wanted:
            try:
                if diverted(path.parent):  # what is behind a link is a file of another name
                    found[path] = Known()
                    continue
                about = path.lstat()
            except (OSError, ValueError) as error:
                if getattr(error, "errno", 0) in NO_FILE:
                    found[path] = Known()
                else:  # there may be one
                    missed.append(path)
                continue
            if not stat.S_ISLNK(about.st_mode) and not stat.S_ISREG(about.st_mode):
                found[path] = Known()  # a folder is no file: if one was here, it is gone
                continue
            if (seen := self._seen.get(path)) is not None and seen.key == key_of(about):
                found[path] = seen
                continue
            if about.st_size > budget:
                missed.append(path)
                continue
            budget -= about.st_size
            try:
                found[path] = self._read(path, about, store)
            except FileNotFoundError:
                continue  # it went away at this moment: nothing is known of it
            except (OSError, ValueError):
                missed.append(path)
        return found, missed

    def look_at_listed(
        self, listed: Mapping[Path, Key], keep: bool
    ) -> tuple[dict[Path, Known], list[Path]]:
        """The same for files as they were just listed: only what is new or another is read, and of
        what is to be kept only small files."""
        known = {
            path: seen
            for path, key in listed.items()
            if (seen := self._seen.get(path)) is not None and seen.key == key
        }
        fitting: list[Path] = []
        missed: list[Path] = []
        budget = MOST_KEPT if keep else MOST_BYTES
        for path, key in listed.items():
            if path in known:
                continue
            size = key[1]
            fits = size <= budget and (size <= LARGEST or not keep)
            budget -= size if fits else 0
            (fitting if fits else missed).append(path)
        found, unread = self._look(fitting, self._aside if keep else None)
        return known | found, missed + unread

    def _read(self, path: Path, about: os.stat_result, store: Blobs | None) -> Known:
        """Raises OSError, ValueError."""
        read_at = time.time_ns()
        content = read_content(path, about.st_mode, about.st_size)
        sha = hashlib.sha256(content).hexdigest()
        mode = LINK if stat.S_ISLNK(about.st_mode) else stat.S_IMODE(about.st_mode)
        known = Known(sha, mode, key_of(about))
        if store is not None:
            store.put(content, synced=False)
            if about.st_ctime_ns < read_at - CLOCK:  # else it can change at the same time again
                self._seen[path] = known
        return known


def read_content(path: Path, mode: int, limit: int) -> bytes:
    """What a file holds, or where a link points. Raises OSError, ValueError."""
    return read_link(path)[0] if is_link(mode) else file_access.read_regular(path, limit)
