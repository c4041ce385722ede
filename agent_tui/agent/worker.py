"""The worker thread: one asyncio loop that hosts the sessions. The only place that starts threads.

An Op goes to the session that it names, or else to the one that was opened last; what fails in one
session ends that one, and the engine only where there is no other. Each reader of events has a
queue of its own.

Importing this module costs nothing; the engine's own imports happen in the thread.
"""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from agent_tui.agent.config import CHOOSE, EngineConfig
from agent_tui.paths import make_private
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import KeepRecording, Op, Query, Resume, Shutdown
from agent_tui.protocol.session_events import Answered, ErrorRaised, Notice
from agent_tui.registry import late
from agent_tui.sessions.log.lock import SessionLocked

if TYPE_CHECKING:
    from logging import Logger

with late(warm=False):  # the engine's imports happen in its thread, after the first frame
    from agent_tui.agent import hosting
    from agent_tui.agent.services import queries, session_admin
    from agent_tui.agent.session import recording
    from agent_tui.agent.session import sinks as outlets
    from agent_tui.protocol import session_answers as answers
    from agent_tui.safety.process import processes


POOL_THREADS = 4
OPENING_SECONDS = 0.3
"""So long an end waits for a session that is just being opened: a server that is asked then may
never answer."""


def work_pool() -> ThreadPoolExecutor:
    """Threads for blocking work of a command that has no engine."""
    return ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="agent-work")


class EventReader:
    """Every event since it joined, in order, for one thread to take. Before that rests it sets
    `resting`; the first event after that calls `wake` once."""

    def __init__(self, wake: Callable[[], None] = lambda: None) -> None:
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False
        self._wake = wake

    def put(self, event: Event | Restored) -> None:
        self.events.put(event)
        if self.resting:
            self.resting = False
            self._wake()


class Worker(EventReader):
    """The engine as a front end holds it (`protocol/engine.py`). `screen`: what `guard_terminal` of
    the sandbox needs, so that the terminal is given back whatever ends the program."""

    def __init__(
        self, config: EngineConfig, screen: tuple[int, list[Any], bytes, int] | None = None
    ) -> None:
        super().__init__()
        self.config, self._screen = config, screen
        self._readers: tuple[EventReader, ...] = (self,)
        self._sessions: dict[str, hosting.Hosted] = {}
        """The sessions that are open, by id."""
        self._newest = ""
        """The one that was opened last."""
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inbox: asyncio.Queue[Op] | None = None
        self._early: list[Op] = []
        self._opened = False
        self._lock = (
            threading.RLock()
        )  # a signal's handler may send while its own thread is sending

    # -- from the front end's thread

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        if self._thread is None:
            self._thread = threading.Thread(target=self._main, name="agent", daemon=True)
            self._thread.start()

    def send(self, op: Op) -> None:
        if self._thread is None:
            self.start(self._wake)
        with self._lock:
            if self._loop is None or self._inbox is None:
                self._early.append(op)
                return
            loop, inbox = self._loop, self._inbox
        try:
            loop.call_soon_threadsafe(inbox.put_nowait, op)
        except RuntimeError:  # the loop has ended: there is nobody left to tell
            return

    def stop(self, timeout: float) -> None:
        if self._thread is None:
            return
        self.send(Shutdown())
        if not self._opened:
            self._thread.join(min(timeout, OPENING_SECONDS))
        if self._opened:
            self._thread.join(timeout)

    def read(self, wake: Callable[[], None] = lambda: None) -> EventReader:
        """One more reader, of all that is told from now on."""
        reader = EventReader(wake)
        with self._lock:
            self._readers = (*self._readers, reader)
        return reader

    def leave(self, reader: EventReader) -> None:
        """Nothing more is kept for `reader`."""
        with self._lock:
            self._readers = tuple(one for one in self._readers if one is not reader)

    @property
    def is_alive(self) -> bool:
        """Whether anybody still obeys: false once the engine has stopped, however that came."""
        return self._thread is not None and self._thread.is_alive()

    # -- in the worker's thread

    def _tell(self, event: Event | Restored) -> None:
        for reader in self._readers:
            reader.put(event)

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # noqa: BLE001  the boundary of the thread: without it the screen would wait for ever
            text = f"The engine stopped: {type(error).__name__}: {error}"
            self._tell(ErrorRaised(text=text, kind="stopped", hint="start again with --continue"))

    async def _serve(self) -> None:
        inbox: asyncio.Queue[Op] = asyncio.Queue()
        with self._lock:
            self._loop, self._inbox = asyncio.get_running_loop(), inbox
            for op in self._early:
                inbox.put_nowait(op)
        log = open_log(None if self.config.otr else self.config.folders.logs)
        if self._screen is not None:
            try:
                processes.guard_terminal(*self._screen)
            except OSError:
                log.exception("the terminal is not restored if the program is killed")
        self._log, self._pool = log, (pool := work_pool())
        self._sinks = sinks = outlets.Sinks(log)
        sinks.open(self.config, pool)
        self._shelving: set[asyncio.Task[None]] = set()
        limit = self.config.settings.sessions.record_mb * 1_000_000 if self._records else 0
        self._recordings = recording.Recordings(self.config.folders.sessions, limit)
        try:
            config = (
                await self._chosen(inbox, pool) if self.config.resume == CHOOSE else self.config
            )
            hosted = await self._first(config, pool, log, sinks)
            self._opened = True
            self._pruning = asyncio.create_task(
                session_admin.prune_old(config, hosted.session, pool, log)
            )
            self._add(hosted)
            while not self._ends(op := await inbox.get()):
                await self._obey(op)
            await self._end(*self._sessions.values())
            await processes.settle(3.0)
        except SessionLocked as error:
            self._tell(
                ErrorRaised(
                    text=str(error),
                    kind="locked",
                    hint="continue there, or start a new session here",
                )
            )
        finally:
            await sinks.close(pool)
            pool.shutdown(wait=False, cancel_futures=True)

    @property
    def _records(self) -> bool:
        return self.config.settings.sessions.record and not self.config.otr

    async def _first(
        self, config: EngineConfig, pool: ThreadPoolExecutor, log: Logger, sinks: outlets.Sinks
    ) -> hosting.Hosted:
        """The session to begin with: a new one where another program has the one that is wanted, or
        it cannot be read, and somebody sees it said, because a screen on which nothing can be done
        helps nobody. They may choose to read along, or a fork."""
        try:
            return await hosting.open_hosted(config, self._tell, pool, log, sinks)
        except (SessionLocked, OSError) as error:
            if not (config.or_new and config.resume):
                raise
            hosted = await hosting.open_hosted(
                replace(config, resume=""), self._tell, pool, log, sinks
            )
            text = f"{error}; opened a new one instead"
            if isinstance(error, SessionLocked):
                hosted.say(Notice(text, "warning", "close it there, then /resume"))
                hosted.say(_locked(config.resume, error))
            else:
                hosted.say(Notice(text, "error", "choose another: /resume"))
            return hosted

    def _other(self, hosted: hosting.Hosted, wanted: Resume) -> EngineConfig:
        """How the session `wanted` is opened in the place of the one that is hosted; without an id:
        a new one."""
        model, mode = hosted.model_and_mode
        # to a new one goes what the command line named and nobody has removed; another session has
        # its own
        still = tuple(
            one for one in self.config.directories if one in hosted.directories and not wanted.id
        )
        known = replace(self.config.settings, providers=hosted.providers)
        settings = replace(known, model=model, mode=mode or known.mode)
        given = replace(
            self.config,
            settings=known,
            resume=wanted.id,
            how=wanted.how,
            problems=(),
            model_given=False,
            mode_given=False,
            otr=self.config.otr and not wanted.id,
            directories=still,
        )
        return (
            given
            if wanted.id
            else replace(given, settings=settings, model_given=True, mode_given=True)
        )

    async def _chosen(self, inbox: asyncio.Queue[Op], pool: ThreadPoolExecutor) -> EngineConfig:
        """Show which sessions there are, and wait for the one to go on with; other Ops wait for
        their agent."""
        self._tell(session_admin.sessions_told(self.config))
        looker, looks = queries.Looker(self.config, self._tell, pool), set()
        waiting: list[Op] = []
        while not isinstance(op := await inbox.get(), Resume | Shutdown):
            if isinstance(op, Query) and op.kind in (
                "session_preview",
                "search",
                "search_here",
                "tree",
            ):
                looks.add(asyncio.create_task(looker.look(op)))
            elif session_admin.concerns(op):
                self._shelve(op)
            else:
                waiting.append(op)
        for later in (*waiting, *((op,) if isinstance(op, Shutdown) else ())):
            inbox.put_nowait(later)
        for look in looks:
            look.cancel()
        return replace(self.config, resume=op.id if isinstance(op, Resume) else "")

    # -- the sessions

    def _add(self, hosted: hosting.Hosted) -> None:
        self._sessions[hosted.session], self._newest = hosted, hosted.session

    def _drop(self, hosted: hosting.Hosted) -> None:
        del self._sessions[hosted.session]
        self._newest = (
            next(reversed(self._sessions), "") if hosted.session == self._newest else self._newest
        )

    def _ends(self, op: Op) -> bool:
        """Whether `op` asks for the end of all that there is."""
        return isinstance(op, Shutdown) and (
            not op.session or self._sessions.keys() == {op.session}
        )

    async def _obey(self, op: Op) -> None:
        newest = self._sessions[self._newest]
        if isinstance(op, KeepRecording):  # of a session that may have ended
            owner = next((one for one in self._sessions.values() if one.run == op.run), None)
            if problem := self._recordings.keep(op, owner is not None and owner.is_behind):
                (owner or newest).say(Notice(problem, "warning"))
        elif session_admin.concerns(op, *self._sessions):
            self._shelve(op)
        elif (hosted := self._sessions.get(op.session or self._newest)) is None:
            said = Notice(
                f"The session {op.session[:8]} is not open here.",
                "warning",
                "open it first: /resume",
            )
            self._tell(replace(said, session=op.session, at=time.time()))
        elif isinstance(op, Resume):
            await self._resume(hosted, op)
        elif isinstance(op, Shutdown):
            self._drop(hosted)
            await self._end(hosted)
        else:
            await self._handle(hosted, op)

    async def _resume(self, hosted: hosting.Hosted, wanted: Resume) -> None:
        """Open another session in the place of `hosted`, while nothing runs in that, or beside
        it."""
        if wanted.id in self._sessions and wanted.id != hosted.session:
            self._newest = wanted.id
            return
        if hosted.busy and not wanted.beside:
            hosted.say(Notice("Something is running: interrupt it first (Esc).", "warning"))
            return
        if wanted.id == hosted.session and not hosted.reads:
            return
        opening = hosting.open_hosted(
            self._other(hosted, wanted), self._tell, self._pool, self._log, self._sinks
        )
        try:
            other = await opening
        except (SessionLocked, OSError) as error:
            hosted.say(ErrorRaised(text=str(error), kind="session", hint="choose another: /resume"))
            if isinstance(error, SessionLocked):
                hosted.say(_locked(wanted.id, error))
            return
        if not wanted.beside:
            self._drop(hosted)
            await self._end(hosted)
        self._add(other)

    async def _handle(self, hosted: hosting.Hosted, op: Op) -> None:
        """Let the session do what `op` asks. What fails in it ends it, and the engine where there
        is no other."""

        async def handled() -> None:
            hosted.handle(op)

        if len(self._sessions) == 1:
            hosted.handle(op)
        elif (error := await _failure(handled())) is not None:
            self._log.error("session %s", hosted.session, exc_info=error)
            self._drop(hosted)
            await self._end(hosted)
            text = f"The session stopped: {type(error).__name__}: {error}"
            said = ErrorRaised(text=text, kind="session", hint="/resume opens it again")
            self._tell(replace(said, session=hosted.session, at=time.time()))

    async def _end(self, *ended: hosting.Hosted) -> None:
        """Leave them in order, each whatever becomes of the others."""
        errors = [await _failure(hosted.end()) for hosted in ended]
        for hosted in ended:
            if hosted.run:
                self._recordings.on_session_left(hosted.run, hosted.is_behind)
        for error in filter(None, errors):
            if not self._sessions.keys() - {hosted.session for hosted in ended}:
                raise error
            self._log.error("the end of a session", exc_info=error)

    def _shelve(self, op: Op) -> None:
        """Something is to be done to a session that is not the one at work."""
        task = asyncio.create_task(
            session_admin.perform_op(self.config, op, tuple(self._sessions), self._pool, self._tell)
        )
        self._shelving.add(task)
        task.add_done_callback(self._shelving.discard)


async def _failure(work: Coroutine[Any, Any, None]) -> BaseException | None:
    """Do `work`: with what it failed."""
    task = asyncio.create_task(work)
    await asyncio.wait({task})
    return task.exception()


def _locked(id: str, error: SessionLocked) -> Answered:
    """So that a front end can offer what there is to do about it: `Resume(id, how)`."""
    return Answered("locked", answers.Locked(id, str(error)))


class _Quiet(logging.FileHandler):
    """A log file that loses what cannot be written (a full disk): the standard one says so on the
    screen."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the library
        """Nothing: there is nowhere left to say it."""


def open_log(folder: Path | None) -> logging.Logger:
    """A logger that writes `agent-<timestamp>.log` in `folder` (0600); without a usable folder it
    writes nowhere."""
    log = logging.getLogger("agent_tui")
    log.setLevel(logging.INFO)
    log.propagate = False
    for old in tuple(log.handlers):
        log.removeHandler(old)
        old.close()
    try:
        if folder is None:
            raise FileNotFoundError
        make_private(folder)
        path = folder / f"agent-{datetime.now():%Y%m%d-%H%M%S-%f}.log"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        file = _Quiet(path, encoding="utf-8", errors="backslashreplace")
        if file.stream is not None:  # as it is for one that is opened at once
            faulthandler.enable(file.stream)  # for a crash of the interpreter itself
        handler: logging.Handler = file
    except OSError:
        faulthandler.disable()  # it would write over the screen
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    return log
