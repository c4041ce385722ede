"""The sessions that are not the one at work: the list of them, a name for one, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial
from logging import Logger
from typing import Any, Literal

from agent_tui.agent.config import EngineConfig
from agent_tui.protocol.answers import Sessions, ShelfOutcome
from agent_tui.protocol.events import Answered, Event
from agent_tui.protocol.ops import Delete, Op, Rename
from agent_tui.registry import late
from agent_tui.sessions.index import listing
from agent_tui.sessions.index.manage import delete, rename
from agent_tui.sessions.log import lock
from agent_tui.sessions.log.lock import SessionLocked
from agent_tui.sessions.log.repair import Refused

with late():  # SQLite
    from agent_tui.sessions.index import cache


def sessions(config: EngineConfig) -> Sessions:
    """The sessions there are, those of this folder first, each group newest first."""
    folders = config.folders
    listed = listing.recent(
        folders.sessions, None, {} if config.otr else cache.known_sessions(folders.cache)
    )
    busy = lock.held_sessions(folders.sessions)
    marked = (replace(one, elsewhere=True) if one.id in busy else one for one in listed)
    found = sorted(marked, key=lambda summary: summary.cwd != str(config.cwd))
    return Sessions(tuple(found), str(config.cwd))


def sessions_told(config: EngineConfig, id: str = "start") -> Answered:
    """The list of sessions as an answer."""
    return Answered(id, sessions(config))


LISTED = "shelf"


def concerns(op: Op, *at_work: str) -> bool:
    """Whether `op` is about a session that is none of those `at_work`."""
    return isinstance(op, Delete) or (isinstance(op, Rename) and op.session not in ("", *at_work))


async def perform_op(
    config: EngineConfig, op: Op, at_work: Collection[str], pool: Pool, tell: Callable[[Event], Any]
) -> None:
    """Do what `op` asks, and say what came of it."""
    for event in await asyncio.get_running_loop().run_in_executor(pool, _done, config, op, at_work):
        tell(event)


def _done(config: EngineConfig, op: Op, at_work: Collection[str]) -> tuple[Event, ...]:
    folder, problem, id = config.folders.sessions, "", ""
    done: Literal["", "renamed", "deleted"] = ""
    try:
        match op:
            case Delete(id=id) if id in at_work:
                problem = "it is open here"
            case Delete(id=id):
                done = "deleted" if delete(folder, id) else ""
            case Rename(title=title, session=id):
                rename(folder, id, title)
                done = "renamed"
            case _:
                return ()
    except (Refused, SessionLocked) as error:
        problem = str(error)
    told = Answered(LISTED, ShelfOutcome(id, done, problem))
    return told, sessions_told(config, LISTED)


with late(warm=False):  # SQLite, where the person asked for it
    from agent_tui.sessions.index import manage


async def prune_old(config: EngineConfig, session: str, pool: Pool, log: Logger) -> None:
    """Delete the sessions that are too old or too much, but not `session`. Ends when it is
    cancelled."""
    own, folders = config.settings.sessions, config.folders
    if config.otr or not (own.keep_days or own.keep_mb):
        return
    ended = False

    def check() -> None:
        if ended:
            raise InterruptedError("the program ends")

    work = partial(
        manage.prune,
        folders.sessions,
        folders.cache,
        own.keep_days,
        own.keep_mb,
        frozenset({session, config.resume}),
        check,
    )
    try:
        gone, size, problem = await asyncio.get_running_loop().run_in_executor(pool, work)
    except asyncio.CancelledError:
        ended = True  # the thread in the pool stops at its next look
        raise
    if gone or problem:
        log.info("old sessions deleted: %d, %d bytes %s", gone, size, problem)
