"""Files that a person asks for: the session as a document, or one answer or piece of code. Never
over another file."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor as Pool
from pathlib import Path
from typing import Final

from agent_tui.protocol.answers import FileWritten
from agent_tui.protocol.events import Answered
from agent_tui.sessions.export import FORMATS, Format, export, format_of
from agent_tui.sessions.log import store

MOST: Final = 1_000
"""Numbers that are tried behind a name that is taken."""


class Writing:
    """Writes on behalf of one session, in the folder in which it works. All failures are in the
    answer's `problem`."""

    def __init__(self, cwd: Path, environment: Mapping[str, str], pool: Pool) -> None:
        self.cwd, self.pool = cwd, pool
        self._home = environment.get("HOME", "")
        self.ended = False
        """The program ends: nobody waits for a long document any more."""

    async def session(self, log: Path, session: str, path: str, trouble: str = "") -> Answered:
        """Write the session of `log` to `path` (see `Export`). `trouble`: why the log is not
        whole."""

        def work() -> Path:
            target, form = self._target(path, session)
            if not log.exists():
                raise FileNotFoundError("this session has no prompt yet")
            events, _ = store.read(log)
            return write_new(target, export(events, form, self._check))

        return await self._told(
            work, f"without the part that could not be saved: {trouble}" if trouble else ""
        )

    def _check(self) -> None:
        if self.ended:
            raise InterruptedError("the program ended")

    async def text(self, name: str, text: str) -> Answered:
        """Write `text` under `name` in the session's folder."""
        return await self._told(
            lambda: write_new(self.cwd / (Path(name).name or "copied.txt"), text), ""
        )

    async def _told(self, work: Callable[[], Path], note: str) -> Answered:
        try:
            written = await asyncio.get_running_loop().run_in_executor(self.pool, work)
            data = FileWritten(self._shown(written), note=note)
        except (OSError, ValueError) as error:
            data = FileWritten(problem=_reason(error), note=note)
        return Answered("written", data)

    def _target(self, path: str, session: str) -> tuple[Path, Format]:
        """The file that `path` means, and its format. Raises ValueError."""
        name = _new_name(session)
        text = path.strip()
        if (form := next((f for f in FORMATS if text.lower() == f), None)) is not None:
            return self.cwd / f"{name}.{form}", form
        target = self._meant(text)
        if not text or text.endswith("/") or target.is_dir():
            return target / f"{name}.md", "md"
        if not target.suffix:
            return target.with_name(f"{target.name}.md"), "md"
        form = format_of(target.suffix)
        if form is None:
            raise ValueError(
                f"{target.suffix} is not a format; use {', '.join(f'.{f}' for f in FORMATS)}"
            )
        return target, form

    def target_of_log(self, path: str, session: str) -> Path:
        """The file that `path` means, where the log of `session` itself is to be kept."""
        target = self._meant(path.strip())
        return (
            target / f"{_new_name(session)}.jsonl"
            if path.endswith("/") or target.is_dir()
            else target
        )

    def _meant(self, text: str) -> Path:
        """The path that a person wrote."""
        if text == "~" or text.startswith("~/"):
            text = self._home + text[1:]
        return self.cwd / text

    def _shown(self, path: Path) -> str:
        """As a person would write it: from the session's folder, or from home."""
        if path.is_relative_to(self.cwd):
            return str(path.relative_to(self.cwd))
        home = Path(self._home) if self._home else None
        return (
            f"~/{path.relative_to(home)}"
            if home is not None and path.is_relative_to(home)
            else str(path)
        )


def _new_name(session: str) -> str:
    return f"agent-tui-{time.strftime('%Y-%m-%d')}-{session[:8]}"


def write_new(path: Path, text: str) -> Path:
    """Write `text` to `path`, or where that is taken to `name-2.md`, `name-3.md` …; returns which.
    For its owner alone.

    Nothing is left of a file that cannot be written whole. Raises OSError.
    """
    data = text.encode("utf-8", "replace")
    for number in range(1, MOST + 1):
        target = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            fd = os.open(
                target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
        except FileExistsError:
            continue
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
        except OSError:
            target.unlink(missing_ok=True)
            raise
        return target
    raise FileExistsError(f"{path.name} and {MOST - 1} numbered names after it exist already")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)
