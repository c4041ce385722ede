"""The changes of files that are told of a command, with their differences, from how the files were
and how they are."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.agent.turn.known_files import read_content
from agent_tui.agent.turn.snapshots import Known, Snapshot
from agent_tui.protocol.display import DiffDisplay
from agent_tui.protocol.events import FileChanged
from agent_tui.safety import paths
from agent_tui.safety.file_access import is_link
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures.frozen import frozen
from agent_tui.tools.support.diff import diff, noted
from agent_tui.tools.support.files import is_binary

DIFFS: Final = 50
DIFF_BYTES: Final = 200_000
_EMPTY: Final = hashlib.sha256().hexdigest()
"""What an empty file holds: nobody loses it."""


@frozen
class Differences:
    """`aside` holds contents that are kept only if a change of them is told. `earlier` and `now`:
    the files before the command and after it; `folders`: how many folders came with a new file."""

    cwd: Path
    blobs: Blobs
    aside: Blobs
    earlier: Mapping[Path, Known]
    now: Mapping[Path, Known]
    folders: Mapping[Path, int]

    def events(self, around: Snapshot) -> Iterator[FileChanged]:
        """What the command changed. Reads files; what they held before is on disk, for good, when
        this is told."""
        call = around.call
        sources, shown = _sources(self.earlier, self.now), 0
        gone = functools.cache(lambda: _gone(around))  # it looks at the disk, and is seldom wanted
        for path, then, now in self._differing():
            display = DiffDisplay(paths.display_path(path, self.cwd), (), created=not then.sha)
            if shown < DIFFS and (difference := self._diff(path, then, now)) is not None:
                display, shown = difference, shown + 1
            if (modes := _modes(then, now)) is not None:
                display = noted(display, modes)
            carried = then.sha != now.sha and not is_link(now.mode)
            yield FileChanged(
                call.call_id,
                str(path),
                call.workplace.scrub_display(display),
                then.sha,
                now.sha,
                then.mode,
                now.mode,
                self.folders.get(path, 0),
                during_command=path not in around.own,
                source=str(sources.get(now.sha) or _came_from(now, around, gone))
                if carried
                else "",
            )

    def _differing(self) -> list[tuple[Path, Known, Known]]:
        found = list[tuple[Path, Known, Known]]()
        for path, now in self.now.items():
            if (then := self.earlier.get(path)) is None:
                continue
            if then.sha and not then.key and not is_link(then.mode):
                then = replace(then, mode=mode_before(then.mode, now.mode))
            if (then.sha, then.mode) != (now.sha, now.mode):
                found.append((path, then, now))
        shas = [then.sha for _, then, _ in found if then.sha]
        self.blobs.keep_from(self.aside, shas)
        self.blobs.sync(shas)
        return found

    def _diff(self, path: Path, then: Known, now: Known) -> DiffDisplay | None:
        try:
            before = self.blobs.get(then.sha) if then.sha else b""
            after = read_content(path, now.mode, DIFF_BYTES) if now.sha else b""
        except (OSError, ValueError):
            return None
        if max(len(before), len(after)) > DIFF_BYTES or is_binary(before) or is_binary(after):
            return None
        texts = (before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        return diff(paths.display_path(path, self.cwd), *texts, created=not then.sha)


def _gone(around: Snapshot) -> str:
    """Something of which nothing was known before the command, and that is not there any more, or
    may have lost something: a folder. Empty: there is nothing of the kind."""
    passed = sorted(around.listed.passed, key=os.path.lexists)
    there = (
        str(path)
        for path in passed
        if os.path.isdir(path) or not os.path.lexists(path)  # noqa: PTH112
    )
    return next(there, "")


def _came_from(now: Known, around: Snapshot, gone: Callable[[], str]) -> str:
    """What has `gone`, where a file of unknown content is older than the command: it was moved
    there from something that nobody had looked at, and may be all that is left of that."""
    return gone() if now.sha and len(now.key) > 2 and now.key[2] < around.begun else ""


def _sources(earlier: Mapping[Path, Known], now: Mapping[Path, Known]) -> dict[str, Path]:
    """For each content before the command a file that held it; first one that still does."""
    found: dict[str, Path] = {}
    for path, then in earlier.items():
        if then.sha in ("", _EMPTY) or is_link(then.mode):
            continue
        if then.sha not in found or now.get(path, Known()).sha == then.sha:
            found[then.sha] = path
    return found


def _modes(then: Known, now: Known) -> str | None:
    """How a file's permissions changed; None where they are the same, or it is another kind."""
    if not (then.sha and now.sha and then.mode and now.mode) or then.mode == now.mode:
        return None
    if is_link(then.mode) or is_link(now.mode):
        return None
    return describe_modes(then.mode, now.mode)


def describe_modes(before: int, now: int) -> str:
    """How the permissions of a file changed, in words."""
    runs = " (a program now)" if now & 0o111 and not before & 0o111 else ""
    return f"permissions: {before & 0o7777:o}, now {now & 0o7777:o}{runs}"


def mode_before(known: int, now: int) -> int:
    """The mode of a file of which git knows only whether it can be run: never wider than it was. Of
    one that is gone nothing else is known, so it comes back for its owner alone."""
    runs = known & 0o100
    if not now or is_link(now):
        return 0o700 if runs else 0o600
    if runs == now & 0o100:
        return now
    return now | (now & 0o444) >> 2 if runs else now & ~0o111
