"""Old sessions go, once after a start, where the person asked for it (`sessions.keep_days`, `sessions.keep_mb`)."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor as Pool
from functools import partial
from logging import Logger

from agent_tui.agent.config import EngineConfig
from agent_tui.registry import late

with late(warm=False):  # SQLite, where the person asked for it
    from agent_tui.sessions import retention


async def prune_old(config: EngineConfig, session: str, pool: Pool, log: Logger) -> None:
    """Delete the sessions that are too old or too much, but not `session`. Ends when it is cancelled."""
    own, folders = config.settings.sessions, config.folders
    if config.otr or not (own.keep_days or own.keep_mb):
        return
    ended = False

    def check() -> None:
        if ended:
            raise InterruptedError("the program ends")

    work = partial(
        retention.prune, folders.sessions, folders.cache, own.keep_days, own.keep_mb,
        frozenset({session, config.resume}), check,
    )  # fmt: skip
    try:
        gone, size, problem = await asyncio.get_running_loop().run_in_executor(pool, work)
    except asyncio.CancelledError:
        ended = True  # the thread in the pool stops at its next look
        raise
    if gone or problem:
        log.info("old sessions deleted: %d, %d bytes %s", gone, size, problem)
