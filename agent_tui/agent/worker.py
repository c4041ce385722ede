"""The worker thread: one asyncio loop that hosts the agent. The only place that starts threads.

Importing this module costs nothing; the engine's own imports happen in the thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from agent_tui.agent.config import CHOOSE, EngineConfig
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.ops import KeepRecording, Op, Query, Resume, Shutdown
from agent_tui.protocol.session_events import Answered, ErrorRaised, Notice
from agent_tui.registry import late
from agent_tui.sessions.lock import SessionLocked

if TYPE_CHECKING:
    from logging import Logger

with late(warm=False):  # the engine's imports happen in its thread, after the first frame
    from agent_tui.agent import catalogue, hosting, looking, pruning, recording, shelf
    from agent_tui.agent import log as logs
    from agent_tui.agent import sinks as outlets
    from agent_tui.protocol import session_answers as answers
    from agent_tui.safety import sandbox

POOL_THREADS = 4
OPENING_SECONDS = 0.3
"""So long an end waits for a session that is just being opened: a server that is asked then may never answer."""


def work_pool() -> ThreadPoolExecutor:
    """Threads for blocking work of a command that has no engine."""
    return ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="agent-work")


class Worker:
    """The engine as a front end holds it (`protocol/engine.py`). `screen`: what `guard_terminal` of the sandbox needs,
    so that the terminal is given back whatever ends the program."""

    def __init__(self, config: EngineConfig, screen: tuple[int, list[Any], bytes, int] | None = None) -> None:
        self.config, self._screen = config, screen
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False
        self._wake: Callable[[], None] = lambda: None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inbox: asyncio.Queue[Op] | None = None
        self._early: list[Op] = []
        self._opened = False
        self._lock = threading.RLock()  # a signal's handler may send while its own thread is sending

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

    @property
    def alive(self) -> bool:
        """Whether anybody still obeys: false once the engine has stopped, however that came."""
        return self._thread is not None and self._thread.is_alive()

    # -- in the worker's thread

    def _tell(self, event: Event | Restored) -> None:
        self.events.put(event)
        if self.resting:
            self.resting = False
            self._wake()

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
        log = logs.open_log(None if self.config.otr else self.config.folders.logs)
        if self._screen is not None:
            try:
                sandbox.guard_terminal(*self._screen)
            except OSError:
                log.exception("the terminal is not restored if the program is killed")
        self._pool = pool = work_pool()
        sinks = outlets.Sinks(log)
        sinks.open(self.config, pool)
        self._shelving: set[asyncio.Task[None]] = set()
        limit = self.config.settings.sessions.record_mb * 1_000_000 if self._records else 0
        self._recordings = recording.Recordings(self.config.folders.sessions, limit)
        try:
            config = await self._chosen(inbox, pool) if self.config.resume == CHOOSE else self.config
            hosted = await self._first(config, pool, log, sinks)
            self._opened = True
            self._pruning = asyncio.create_task(pruning.prune_old(config, hosted.session, pool, log))
            while (wanted := await self._obey(hosted, inbox)) is not None:
                try:
                    other = await hosting.open_hosted(self._other(hosted, wanted), self._tell, pool, log, sinks)
                except (SessionLocked, OSError) as error:
                    hosted.say(ErrorRaised(text=str(error), kind="session", hint="choose another: /resume"))
                    if isinstance(error, SessionLocked):
                        hosted.say(_locked(wanted.id, error))
                    continue
                await self._end(hosted)
                hosted = other
            await self._end(hosted)
            await sandbox.settle(3.0)
        except SessionLocked as error:
            self._tell(ErrorRaised(text=str(error), kind="locked", hint="continue there, or start a new session here"))
        finally:
            await sinks.close(pool)
            pool.shutdown(wait=False, cancel_futures=True)

    @property
    def _records(self) -> bool:
        return self.config.settings.sessions.record and not self.config.otr

    async def _first(
        self, config: EngineConfig, pool: ThreadPoolExecutor, log: Logger, sinks: outlets.Sinks
    ) -> hosting.Hosted:
        """The session to begin with: a new one where another program has the one that is wanted and somebody sees it
        said, because a screen on which nothing can be done helps nobody. They may choose to read along, or a fork."""
        try:
            return await hosting.open_hosted(config, self._tell, pool, log, sinks)
        except SessionLocked as error:
            if not config.or_new:
                raise
            hosted = await hosting.open_hosted(replace(config, resume=""), self._tell, pool, log, sinks)
            hosted.say(Notice(f"{error}; opened a new one instead", "error", "close it there, then /resume"))
            hosted.say(_locked(config.resume, error))
            return hosted

    def _other(self, hosted: hosting.Hosted, wanted: Resume) -> EngineConfig:
        """How the session `wanted` is opened in the place of the one that is hosted; without an id: a new one."""
        model, mode = hosted.standing
        # to a new one goes what the command line named and nobody has removed; another session has its own
        still = tuple(one for one in self.config.directories if one in hosted.directories and not wanted.id)
        known = replace(self.config.settings, providers=hosted.providers)
        settings = replace(known, model=model, mode=mode or known.mode)
        given = replace(
            self.config, settings=known, resume=wanted.id, how=wanted.how, problems=(), model_given=False,
            mode_given=False, otr=self.config.otr and not wanted.id, directories=still,
        )  # fmt: skip
        return given if wanted.id else replace(given, settings=settings, model_given=True, mode_given=True)

    async def _chosen(self, inbox: asyncio.Queue[Op], pool: ThreadPoolExecutor) -> EngineConfig:
        """Show which sessions there are, and wait for the one to go on with; other Ops wait for their agent."""
        self._tell(catalogue.sessions_told(self.config))
        looker, looks = looking.Looker(self.config, self._tell, pool), set()
        waiting: list[Op] = []
        while not isinstance(op := await inbox.get(), Resume | Shutdown):
            if isinstance(op, Query) and op.kind in ("session_preview", "search", "search_here", "tree"):
                looks.add(asyncio.create_task(looker.look(op)))
            elif shelf.concerns(op, ""):
                self._shelve(op, "")
            else:
                waiting.append(op)
        for later in (*waiting, *((op,) if isinstance(op, Shutdown) else ())):
            inbox.put_nowait(later)
        for look in looks:
            look.cancel()
        return replace(self.config, resume=op.id if isinstance(op, Resume) else "")

    async def _obey(self, hosted: hosting.Hosted, inbox: asyncio.Queue[Op]) -> Resume | None:
        """Until the end; or until another session is to be opened, while nothing runs in this one."""
        while not isinstance(op := await inbox.get(), Shutdown):
            if isinstance(op, KeepRecording):
                if problem := self._recordings.keep(op, op.run == hosted.run and hosted.is_behind):
                    hosted.say(Notice(problem, "warning"))
            elif shelf.concerns(op, hosted.session):
                self._shelve(op, hosted.session)
            elif not isinstance(op, Resume):
                hosted.handle(op)
            elif (op.id != hosted.session or hosted.reads) and not hosted.busy:
                return op
            elif hosted.busy:
                hosted.say(Notice("Something is running: interrupt it first (Esc).", "warning"))
        return None

    async def _end(self, hosted: hosting.Hosted) -> None:
        await hosted.end()
        if hosted.run:
            self._recordings.ended(hosted.run, hosted.is_behind)

    def _shelve(self, op: Op, session: str) -> None:
        """Something is to be done to a session that is not the one at work."""
        task = asyncio.create_task(shelf.put(self.config, op, session, self._pool, self._tell))
        self._shelving.add(task)
        task.add_done_callback(self._shelving.discard)


def _locked(id: str, error: SessionLocked) -> Answered:
    """So that a front end can offer what there is to do about it: `Resume(id, how)`."""
    return Answered("locked", answers.Locked(id, str(error)))
