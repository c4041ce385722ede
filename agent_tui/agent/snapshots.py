"""The files before a command, and their copy on disk: a program that is killed meanwhile finds out what the command
changed when its session is resumed."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agent_tui.agent.git_status import Known, Status
from agent_tui.agent.tool_context import CallContext, Workplace
from agent_tui.safety import paths

LONGEST: Final = 4_000_000
"""Bytes of a file that is one of ours."""


@dataclass(slots=True)
class Snapshot:
    """The files before the command of `call`, which began at `begun` (nanoseconds)."""

    call: CallContext
    begun: int
    status: Status = Status()  # noqa: RUF009  (immutable)
    files: dict[Path, Known] = field(default_factory=dict)


class SnapshotFile:
    """The snapshot of the command that runs in the folder `cwd`, as JSON: call, times, and what is known of files."""

    def __init__(self, path: Path, cwd: Path) -> None:
        self.path, self._cwd = path, cwd

    def save(self, snapshot: Snapshot) -> None:
        """Without it a kill costs the undo of this command; the command runs all the same."""
        call, status = snapshot.call, snapshot.status
        data = {
            "cwd": str(self._cwd), "call": call.call_id, "turn": call.turn, "step": call.step, "begun": snapshot.begun,
            "commit": status.commit, "changed": _rows(status.changed), "files": _rows(snapshot.files),
        }  # fmt: skip
        part = self.path.with_suffix(".part")
        with contextlib.suppress(OSError):  # a full disk: the log says so
            part.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
                file.write(json.dumps(data).encode())
            part.replace(self.path)  # not synced: it is for a kill, and each command would wait for the disk

    def load(self, workplace: Workplace) -> Snapshot | None:
        """What a killed program left; None where that cannot be used. Raises FileNotFoundError: it left nothing."""
        try:
            data = json.loads(paths.read_regular(self.path, LONGEST)[:LONGEST])
            turn, step = int(data["turn"]), int(data["step"])
            call = CallContext(workplace, str(data["call"]), frozenset(), turn=turn, step=step)
            status = Status(str(data["commit"]), dict(_known(*row) for row in data["changed"]))
            files = {path: has for path, has in (_known(*row) for row in data["files"]) if has is not None}
            return Snapshot(call, int(data["begun"]), status, files) if data["cwd"] == str(self._cwd) else None
        except FileNotFoundError:
            raise
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def remove(self) -> None:
        """All is on record."""
        with contextlib.suppress(OSError):  # it was never there, or the disk is read-only by now
            self.path.unlink()


def _rows(known: Mapping[Path, Known | None]) -> list[list[Any]]:
    return [[str(path), has.sha, has.mode, has.key] if has else [str(path)] for path, has in known.items()]


def _known(path: str, sha: str | None = None, mode: int = 0, key: tuple[int, ...] = ()) -> tuple[Path, Known | None]:
    return Path(path), Known(str(sha), int(mode), tuple(map(int, key))) if sha is not None else None
