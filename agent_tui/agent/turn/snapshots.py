"""The files before a command, and their copy on disk: a program that is killed meanwhile finds out
what the command changed when its session is resumed."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.untracked_files import Listing
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.safety import file_access
from agent_tui.safety.file_access import LINK
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen


@frozen
class Known:
    """A file as it was looked at: its content's SHA-256 (empty: there is none), and what tells it
    apart."""

    sha: str = ""
    mode: int = 0
    key: tuple[int, ...] = ()

    def is_newer_than(self, begun: int) -> bool:
        """Whether it came to be, under this name, at `begun` or later."""
        return bool(self.key) and self.key[-1] >= begun


@frozen
class Status:
    """What git says: the commit, and the real paths that are not as it has them, with its own
    object and mode (empty: it has none there; None: nothing is known of it). `ignored`: files, and
    folders of which it ignores all; `closed`: folders that it could not list."""

    commit: str = ""
    changed: Mapping[Path, Known | None] = field(default_factory=dict)
    ignored: tuple[Path, ...] = ()
    closed: tuple[Path, ...] = ()


_UNLISTED: Final = late.pattern(r"warning: could not open directory '(.+?)/?': Permission denied")


def parse_status(output: str, top: Path, said: str = "") -> Status:
    """The status in what `git status --porcelain=v2 -z --branch` says; `said`: its complaints."""
    commit, changed, ignored = "", dict[Path, Known | None](), list[Path]()
    fields = iter(output.split("\0"))
    for line in fields:
        kind, _, rest = line.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            commit = value if name == "branch.oid" else commit
        elif kind == "?":
            changed.setdefault(top / rest, Known())
        elif kind == "!":
            ignored.append(top / rest)
        elif kind in ("1", "2", "u"):
            count = {"1": 8, "2": 9, "u": 10}[kind]
            parts = line.split(" ", count)
            if len(parts) == count + 1:
                has = None if kind == "u" else _committed(parts[6], parts[3])
                changed[top / parts[count]] = has if kind != "2" else Known()
                if kind == "2" and (old := next(fields, "")):
                    changed[top / old] = has
    closed = tuple(top / found[1] for found in _UNLISTED.finditer(said))
    return Status(commit, changed, tuple(ignored), closed)


def _committed(name: str, mode: str) -> Known | None:
    """What the commit has: an object, nothing, or a submodule, of which nothing is known."""
    if not name.strip("0"):
        return Known()
    if mode == f"{LINK:o}":
        return Known(name, LINK)
    return Known(name, 0o755 if mode == "100755" else 0o644) if mode.startswith("100") else None


LONGEST: Final = 16_000_000
"""Bytes of a file that is one of ours."""


@dataclass(slots=True)
class Snapshot:
    """The files before the command of `call`, which began at `begun` (nanoseconds). `listed`: what
    was there of which git keeps nothing. `told`: how many changes the session had by then.
    `is_beside`: the command runs beside a turn. `own`: files that the call has changed itself: what
    becomes of them while the command runs is its doing. After a kill nothing is known to be: a
    person may have gone on with the file."""

    call: CallContext
    begun: int
    status: Status = field(default_factory=Status)
    files: dict[Path, Known] = field(default_factory=dict)
    listed: Listing = field(default_factory=Listing)
    told: int = 0
    is_beside: bool = False
    own: frozenset[Path] = frozenset()


class SnapshotFile:
    """The snapshot of the command that runs in the folder `cwd`, as JSON: call, times, and what is
    known of files."""

    def __init__(self, path: Path, cwd: Path) -> None:
        self.path, self._cwd = path, cwd

    def save(self, snapshot: Snapshot) -> None:
        """Without it a kill costs the undo of this command; the command runs all the same."""
        call, status = snapshot.call, snapshot.status
        data = {
            "cwd": str(self._cwd),
            "call": call.call_id,
            "turn": call.turn,
            "step": call.step,
            "begun": snapshot.begun,
            "commit": status.commit,
            "changed": _rows(status.changed),
            "files": _rows(snapshot.files),
            "passed": [*map(str, snapshot.listed.passed)],
        }
        part = self.path.with_suffix(".part")
        with contextlib.suppress(OSError):  # a full disk: the log says so
            part.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
                file.write(json.dumps(data).encode())
            part.replace(
                self.path
            )  # not synced: it is for a kill, and each command would wait for the disk

    @property
    def is_there(self) -> bool:
        """Whether a command is still to be looked after."""
        return self.path.exists()

    def load(self, workplace: Workplace) -> Snapshot | None:
        """What a killed program left; None where that cannot be used. Raises FileNotFoundError: it
        left nothing."""
        try:
            data = json.loads(file_access.read_regular(self.path, LONGEST)[:LONGEST])
            turn, step = int(data["turn"]), int(data["step"])
            call = CallContext(workplace, str(data["call"]), frozenset(), turn=turn, step=step)
            status = Status(str(data["commit"]), dict(_known(*row) for row in data["changed"]))
            files = {
                path: has
                for path, has in (_known(*row) for row in data["files"])
                if has is not None
            }
            passed = {Path(str(path)) for path in data.get("passed", ())}
            listed = Listing(passed=passed)
            return (
                Snapshot(call, int(data["begun"]), status, files, listed)
                if data["cwd"] == str(self._cwd)
                else None
            )
        except FileNotFoundError:
            raise
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def remove(self) -> None:
        """All is on record."""
        with contextlib.suppress(OSError):  # it was never there, or the disk is read-only by now
            self.path.unlink()


def _rows(known: Mapping[Path, Known | None]) -> list[list[Any]]:
    return [
        [str(path), has.sha, has.mode, has.key] if has else [str(path)]
        for path, has in known.items()
    ]


def _known(
    path: str, sha: str | None = None, mode: int = 0, key: tuple[int, ...] = ()
) -> tuple[Path, Known | None]:
    return Path(path), Known(str(sha), int(mode), tuple(map(int, key))) if sha is not None else None


IGNORE_FILE: Final = ".gitignore"
Move = Literal["", "perhaps", "sure"]


@dataclass(slots=True)
class NewFiles:
    """Judges the files of the work tree `top` after a command that began at `begun`. `exclude`: the
    repository's own list of ignored files (None: there is no repository); `before`: what git told
    of then; `now`: how the files that are looked at are by now; `gone`: what those held that are
    not there any more (SHA-256)."""

    top: Path
    exclude: Path | None
    begun: int
    before: Collection[Path]
    now: Mapping[Path, Known]
    gone: Collection[str]
    _moves: dict[Path, Move] = field(default_factory=dict)
    _ignores: bool | None = None

    def is_new(self, path: Path) -> bool:
        known = self.now.get(path)
        return known is not None and (known.is_newer_than(self.begun) or self.folders(path) > 0)

    def folders(self, path: Path) -> int:
        """How many folders above `path` came with it, to where they are now; 0: it came alone, or
        was there."""
        known = self.now.get(path)
        if (
            known is None
            or not known.sha
            or known.is_newer_than(self.begun)
            or self._ignores_changed()
        ):
            return 0
        inside = path.relative_to(self.top).parents if path.is_relative_to(self.top) else ()
        above = [self.top / folder for folder in inside][:-1]
        if any(folder in self.before for folder in above):
            return 0  # a repository within this one, of which git tells as one thing
        moves = [self._move(folder) for folder in above]
        if known.sha not in self.gone and "sure" not in moves:
            return 0
        return max((count for count, move in enumerate(moves, 1) if move), default=0)

    def _move(self, folder: Path) -> Move:
        """Whether the folder was made or renamed; `sure`: nothing else can have happened to it."""
        if folder not in self._moves:
            try:
                own, above = folder.lstat(), folder.parent.lstat()
            except OSError:
                return ""
            perhaps = min(own.st_ctime_ns, above.st_mtime_ns) >= self.begun
            self._moves[folder] = (
                ("perhaps" if own.st_mtime_ns >= self.begun else "sure") if perhaps else ""
            )
        return self._moves[folder]

    def _ignores_changed(self) -> bool:
        """Whether git may tell of files now only because they are ignored no more. A list of
        ignored files that moved together with its folder changes nothing."""
        if self._ignores is None:
            lists = [path for path in self.now if path.name == IGNORE_FILE]
            changed = any(self.now[path].is_newer_than(self.begun) for path in lists)
            removed = any(not self.now[path].sha and os.path.isdir(path.parent) for path in lists)  # noqa: PTH112
            self._ignores = changed or removed or self._exclude_changed()
        return self._ignores

    def _exclude_changed(self) -> bool:
        try:
            return self.exclude is not None and self.exclude.stat().st_ctime_ns >= self.begun
        except OSError:
            return False  # there is none: then it lists nothing
