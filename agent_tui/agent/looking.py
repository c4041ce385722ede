"""Queries that read files: answered from the pool, and given up when nobody waits for them any more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from typing import Any, Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.previews import told
from agent_tui.protocol.answers import SearchResults, Tree
from agent_tui.protocol.events import Answered, Event
from agent_tui.protocol.ops import Query
from agent_tui.registry import late
from agent_tui.sessions import index, store, tree

with late():  # SQLite, and what only these need
    from agent_tui.sessions import cache, search, stats

FRESH_SECONDS: Final = 2.0
"""So long an index counts as fresh while somebody types."""
HITS: Final = 50
Check = Callable[[], None]


class Looker:
    """Answers the queries of one session's front end. A search ends the one before it."""

    def __init__(self, config: EngineConfig, emit: Callable[[Event], Any], pool: Pool, session: str = "") -> None:
        self.config, self.session = config, session
        self._emit, self._pool = emit, pool
        self._search = ""
        self._fresh = float("-inf")

    async def look(self, op: Query) -> None:
        match op.kind:
            case "search" | "search_here":
                await self._searched(op)
            case "stats":
                self._emit(await self._done(lambda _: self._stats(op)))
            case "tree":
                self._emit(await self._done(lambda _: self._tree(op)))
            case _:
                self._emit(await self._done(lambda _: told(self.config, op, self.session)))

    async def _searched(self, op: Query) -> None:
        self._search = op.id
        try:
            stale = not self.config.otr and time.monotonic() - self._fresh > FRESH_SECONDS
            self._emit(await self._done(lambda check: self._found(op, stale, check), op.id))
            if stale:
                await self._done(self._update, op.id)
                self._fresh = time.monotonic()
                self._emit(await self._done(lambda check: self._found(op, False, check), op.id))
        except InterruptedError:
            return  # another search came: this one has no reader

    async def _done(self, work: Callable[[Check], Any], search: str = "") -> Any:
        """What `work` gives, from the pool; it stops at its next look when it is cancelled, or another search came."""
        ended = False

        def check() -> None:
            if ended or (search and search != self._search):
                raise InterruptedError

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, check)
        except asyncio.CancelledError:
            ended = True
            raise

    # -- in the pool

    def _update(self, check: Check) -> None:
        search.update(self.config.folders.sessions, self.config.folders.cache, check)

    def _found(self, op: Query, more: bool, check: Check) -> Answered:
        folders, here = self.config.folders, op.kind == "search_here"
        cwd = self.config.cwd if here else None
        if self.config.otr:
            found = search.search_logs(folders.sessions, op.argument, cwd, HITS, check)
        elif more and not cache.cache_file(folders.cache).exists():
            found = SearchResults(note="reading all sessions for the first time")
        else:
            found = search.search(folders.sessions, folders.cache, op.argument, cwd, HITS, fresh=False, check=check)
        return Answered(op.id, replace(found, words=op.argument, here=here, more=more))

    def _stats(self, op: Query) -> Answered:
        try:
            events, _ = store.read(store.log_path(self.config.folders.sessions, op.argument or self.session))
        except OSError:
            events = []  # nothing was asked in it yet
        return Answered(op.id, stats.stats(events))

    def _tree(self, op: Query) -> Answered:
        folders = self.config.folders
        listed = index.recent(folders.sessions, None, {} if self.config.otr else cache.known(folders.cache))
        return Answered(op.id, Tree(tuple(tree.of(listed, op.argument or self.session))))
