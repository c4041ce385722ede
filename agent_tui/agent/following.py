"""Reads a session along while another program works at it: its log is read as it grows, and nothing is written."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor as Pool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from agent_tui.agent.catalogue import sessions_told
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.looking import Looker
from agent_tui.agent.record import Sink
from agent_tui.protocol.codec import BadRecord, decode
from agent_tui.protocol.events import (
    Answered,
    Directory,
    ErrorRaised,
    Event,
    ModeChanged,
    ModelChanged,
    Notice,
    Restored,
    SessionStarted,
    fold,
)
from agent_tui.protocol.ops import Cancel, CancelAside, Fork, KeepPlace, Op, Query, SaveDraft
from agent_tui.regular_file import open_regular
from agent_tui.sessions.fork import fork
from agent_tui.sessions.scan import Scan, scan
from agent_tui.sessions.store import log_path

T = TypeVar("T")

PERIOD: Final = 0.5
"""Seconds between two looks at the log. No event says that a file has grown."""
ONLY_READ: Final = "Another program works at this session: here it is only read along."
HINT: Final = "/fork makes a copy that you can work in; once it is closed there, /resume opens it"
_QUIET: Final = (SaveDraft, KeepPlace, Cancel, CancelAside)


@dataclass(frozen=True, slots=True)
class Grown:
    """What a look at the log found: new records, or (`anew`) that it has to be read again from the beginning."""

    events: tuple[Event, ...] = ()
    end: int = 0
    anew: bool = False


class Reader:
    """A session that another program works at. Every Op that would change it is answered with how to go on."""

    busy = False
    reads = True

    def __init__(self, config: EngineConfig, tell: Sink, pool: Pool) -> None:
        self._config, self._tell, self._pool = config, tell, pool
        self.session = config.resume
        self._path = log_path(config.folders.sessions, config.resume)
        self._end = 0
        self._standing = ("", "")
        self._let_go = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._looker = Looker(config, tell, pool, config.resume)

    @classmethod
    async def open(cls, config: EngineConfig, tell: Sink, pool: Pool) -> Reader:
        """Read what there is and follow it from there. Raises OSError."""
        reader = cls(config, tell, pool)
        await reader._begin()
        reader.say(Notice(ONLY_READ, "warning", HINT))
        reader._spawn(reader._follow())
        return reader

    @property
    def directories(self) -> tuple[Directory, ...]:
        return ()

    @property
    def standing(self) -> tuple[str, str]:
        return self._standing

    def handle(self, op: Op) -> None:
        match op:
            case Query(kind="sessions"):
                self._tell(sessions_told(self._config, op.id))
            case Query(kind="session_preview" | "file_preview" | "log" | "search" | "search_here" | "stats" | "tree"):
                self._spawn(self._looker.look(op))
            case Fork():
                self._spawn(self._fork(op.at))
            case _ if isinstance(op, _QUIET):
                return
            case Query():
                return  # what only an agent knows: nobody here does
            case _:
                self.say(Notice(ONLY_READ, "warning", HINT))

    def say(self, event: Event) -> None:
        self._tell(replace(event, at=time.time(), session=self.session))

    async def end(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)

    # -- the log

    async def _begin(self) -> None:
        found = await self._off_loop(lambda: _whole(self._path))
        self._end = found.end
        for event in found.events:
            self._note(event)
        self._tell(Restored(replace(fold(found.events), reading=True), found.last))

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            grown = await self._off_loop(lambda: growth(self._path, self._end))
            if grown.anew:
                with contextlib.suppress(FileNotFoundError):  # it is being put in its place: looked at again
                    await self._begin()
                continue
            self._end = grown.end
            for event in grown.events:
                self._note(event)
                self._tell(event)
            self._look_whether_free()

    def _note(self, event: Event) -> None:
        model, mode = self._standing
        match event:
            case SessionStarted():
                self._standing = (event.model, event.mode)
            case ModelChanged():
                self._standing = (event.model, mode)
            case ModeChanged():
                self._standing = (model, event.mode)
            case _:
                pass

    def _look_whether_free(self) -> None:
        free = not self._path.with_suffix(".lock").exists()
        if free and not self._let_go:
            self.say(Notice("The other program has closed this session.", hint="/resume opens it here"))
        self._let_go = free

    # -- the rest

    async def _fork(self, at: int) -> None:
        data = {"id": "", "parent": self.session, "at": at, "problem": ""}
        try:
            data["id"] = await self._off_loop(lambda: fork(self._config.folders.sessions, self.session, at))
        except OSError as error:
            data["problem"] = error.strerror or str(error)
        self._tell(Answered(id="forked", kind="forked", data=data))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.say(ErrorRaised(f"{type(error).__name__}: {error}", "session", "/resume opens it anew"))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _whole(path: Path) -> Scan:
    with os.fdopen(open_regular(path), "rb", buffering=1 << 18) as file:
        return scan(file)


def growth(path: Path, end: int) -> Grown:
    """The whole records behind the first `end` bytes of the log; a line that is no record is left to its writer."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return Grown(end=end)  # it may be moved for a moment; it is looked for again
    try:
        size = os.fstat(fd).st_size
        if size < end:
            return Grown(anew=True)
        data = os.pread(fd, size - end, end)
    finally:
        os.close(fd)
    data = data[: data.rfind(b"\n") + 1]  # the rest is still being written
    events: list[Event] = []
    for line in data.split(b"\n"):
        try:
            events.append(decode(line))
        except BadRecord:
            continue
    return Grown(tuple(events), end + len(data))
