"""Reads a session along while another program works at it: its log is read as it grows, and nothing
is written."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor as Pool
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.queries import Looker
from agent_tui.agent.services.session_admin import sessions_told
from agent_tui.agent.session import recovery
from agent_tui.agent.session.record import Sink
from agent_tui.protocol.answers import ForkOutcome
from agent_tui.protocol.codec import BadRecord, load, record_in
from agent_tui.protocol.events import (
    Answered,
    Directory,
    ErrorRaised,
    Event,
    ModelChanged,
    Notice,
    Restored,
    SessionStarted,
    TurnEnded,
    fold,
)
from agent_tui.protocol.ops import Cancel, CancelAside, Fork, KeepPlace, Op, Query, SaveDraft
from agent_tui.regular_file import open_regular
from agent_tui.sessions.log.fork import fork
from agent_tui.sessions.log.lock import is_free
from agent_tui.sessions.log.raw import Scan, scan
from agent_tui.sessions.log.store import log_path
from agent_tui.sessions.log.text_handles import Texts
from agent_tui.settings.table import ProviderSettings
from agent_tui.structures.frozen import frozen

T = TypeVar("T")

PERIOD: Final = 0.5
"""Seconds between two looks at the log. No event says that a file has grown."""
ONLY_READ: Final = "Another program uses this session: it is read only here."
HINT: Final = "/fork makes your own copy; /resume opens it when it is closed there"
CLOSED: Final = "The other program has closed this session."
CUT_OFF: Final = "The other program stopped during a turn."
OPENS: Final = "/resume opens it here"
_QUIET: Final = (SaveDraft, KeepPlace, Cancel, CancelAside)


@frozen
class Grown:
    """What a look at the log found: new records, or (`anew`) that it has to be read again from the
    beginning."""

    events: tuple[Event, ...] = ()
    end: int = 0
    anew: bool = False


class Reader:
    """A session that another program works at. Every Op that would change it is answered with how
    to go on."""

    busy = False
    reads = True
    run = ""
    is_behind = False

    def __init__(self, config: EngineConfig, tell: Sink, pool: Pool) -> None:
        self._config, self._tell, self._pool = config, tell, pool
        self.session = config.resume
        self._path = log_path(config.folders.sessions, config.resume)
        self._end, self._texts = 0, Texts()
        self._model = ""
        self._let_go = False
        self._settled = False
        """Told is what settles the turn that the other program left open; the log has nothing of
        it."""
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
    def providers(self) -> Mapping[str, ProviderSettings]:
        return self._config.settings.providers

    @property
    def directories(self) -> tuple[Directory, ...]:
        return ()

    @property
    def model_and_mode(self) -> tuple[str, str]:
        return self._model, ""  # the mode is the other program's: it is chosen where it holds

    def handle(self, op: Op) -> None:
        match op:
            case Query(kind="sessions"):
                self._tell(sessions_told(self._config, op.id))
            case Query(
                kind="session_preview"
                | "file_preview"
                | "log"
                | "search"
                | "search_here"
                | "stats"
                | "tree"
                | "named_files"
            ):
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
        self._end, self._texts, self._settled = found.end, found.texts, False
        for event in found.events:
            self._note(event)
        self._tell(Restored(replace(fold(found.events), reading=True), found.last))

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            free, grown = await self._off_loop(self._look)
            self._let_go = self._let_go and free
            if grown.anew or (
                grown.events and self._settled
            ):  # whoever opened it has settled the turn otherwise
                with contextlib.suppress(
                    FileNotFoundError
                ):  # it is being put in its place: looked at again
                    await self._begin()
                continue
            self._end = grown.end
            for event in grown.events:
                self._note(event)
                self._tell(event)
            if free and not self._let_go:
                await self._left()
            self._let_go = free

    def _look(self) -> tuple[bool, Grown]:
        """Whether the session is free, and what it has grown by: in this order, so that what a
        program wrote before it ended is read before its end is told."""
        return is_free(self._path.with_suffix(".lock")), growth(self._path, self._end, self._texts)

    async def _left(self) -> None:
        """Nobody works at the session any more. What runs on the screen is ended as opening it
        would end it."""
        needed = await self._off_loop(lambda: closing_events(self._path))
        self._settled = bool(needed)
        for event in needed:
            self.say(event)
        if any(isinstance(event, TurnEnded) for event in needed):
            self.say(Notice(CUT_OFF, "warning", OPENS))
        else:
            self.say(Notice(CLOSED, hint=OPENS))

    def _note(self, event: Event) -> None:
        if isinstance(event, SessionStarted | ModelChanged):
            self._model = event.model

    # -- the rest

    async def _fork(self, at: int) -> None:
        made = problem = ""
        try:
            made = await self._off_loop(
                lambda: fork(self._config.folders.sessions, self.session, at)
            )
        except OSError as error:
            problem = error.strerror or str(error)
        self._tell(Answered("forked", ForkOutcome(made, self.session, at, problem)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.say(
                ErrorRaised(f"{type(error).__name__}: {error}", "session", "/resume opens it again")
            )

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _whole(path: Path) -> Scan:
    with os.fdopen(open_regular(path), "rb", buffering=1 << 18) as file:
        return scan(file)


def closing_events(path: Path) -> list[Event]:
    """What ends the turn and the commands that the log leaves open, for the screen alone."""
    try:
        found = _whole(path).events
    except OSError:
        return []  # it was deleted or moved: nothing of it can be settled
    seen = fold(found)
    needed = recovery.settle_open_turns(found, seen)
    return [event for event in needed if not isinstance(event, Notice)]


def growth(path: Path, end: int, texts: Texts | None = None) -> Grown:
    """The whole records behind the first `end` bytes of the log, whose texts are known; a line that
    is no record is left to its writer."""
    texts = texts or Texts()
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
            events.append(load(texts.unpack(record_in(line))[0]))
        except BadRecord:
            continue
    return Grown(tuple(events), end + len(data))
