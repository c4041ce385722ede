"""The search in memory by meaning, where `agent.embedding_model` names a model: the vectors of the
facts, made in the background, and the one of a prompt. Whatever fails, the search by words goes on.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor as Pool
from functools import partial
from logging import Logger
from pathlib import Path
from typing import Any, Final, TypeVar

from agent_tui.agent.services.models import Models
from agent_tui.context import vectors
from agent_tui.context.memory import FactFile
from agent_tui.context.recall import Found
from agent_tui.context.vectors import ORDINARY, READ, Passage, Vectors
from agent_tui.protocol.events import Event, Notice
from agent_tui.providers.base import Embedder, ProviderError, Vector
from agent_tui.providers.choosing import choose

T = TypeVar("T")
FILE: Final = "memory-vectors.sqlite"
WAIT: Final = 1.0
"""Seconds that a prompt waits for its vector."""
SECONDS: Final = 60.0
"""Seconds that a request may take: a local server may have to load the model."""
BATCH: Final = 32
"""Facts in one request."""
SHORT: Final = 500
"""Characters of a text for a server that refuses longer ones."""
_FAILURES: Final = (ProviderError, LookupError, sqlite3.Error, OSError)


class Embeddings:
    """What the facts of a session mean. `hide` replaces the secrets in what is sent."""

    def __init__(
        self,
        models: Models,
        hide: Callable[[str], str],
        emit: Callable[[Event], Any],
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        pool: Pool,
        log: Logger,
    ) -> None:
        config = models.config
        self._models, self._hide, self._emit, self._log = models, hide, emit, log
        self._spawn, self._pool = spawn, pool
        self._model = config.settings.agent.embedding_model
        self.is_on = bool(self._model) and not config.otr
        self._vectors = Vectors(config.folders.cache / FILE, self._model)
        self._opening = asyncio.Lock()
        self._provider: Embedder | None = None
        self._ordinary: tuple[Vector, ...] = ()
        self._files: tuple[FactFile, ...] | None = None
        """The facts whose vectors are there, or tried; and their passages, by hash."""
        self._passages: dict[str, Passage] = {}
        self._folders: tuple[str, ...] = ()
        self._lacks = 0
        self._making: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        self._problem = ""
        """Why the last request failed; the first time it was told."""
        self._told = False

    def refresh(self, files: tuple[FactFile, ...], folders: Sequence[Path]) -> None:
        """Bring the vectors up to date with `files`, all facts in `folders`, in the background."""
        if self.is_on and (files is not self._files or self._lacks) and _is_idle(self._making):
            self._folders = tuple(map(str, folders))
            self._making = self._spawn(self._make(files))

    async def _make(self, files: tuple[FactFile, ...]) -> None:
        try:
            self._passages = await self._off_loop(lambda: self._passages_of(files))
            self._files = files
            self._lacks = len(self._passages)
            provider = await self._prepared() if files else None
            lacking = await self._off_loop(
                lambda: self._vectors.lacking(self._passages, self._folders)
            )
            self._lacks = len(lacking)
            while provider is not None and lacking:
                some = [self._passages[hash] for hash in lacking[:BATCH]]
                made = await _embed(provider, [one.text for one in some])
                kept = tuple(zip(some, made, strict=True))
                await self._off_loop(partial(self._vectors.keep, kept))
                lacking = lacking[BATCH:]
                self._lacks = len(lacking)
            self._problem = ""
        except _FAILURES as error:
            self._fail(error)

    def _passages_of(self, files: Sequence[FactFile]) -> dict[str, Passage]:
        """What is sent of the facts: of too many, those that changed last."""
        most = vectors.MOST if vectors.has_extension() else vectors.MOST_PLAIN
        newest = sorted(files, key=lambda one: one.changed, reverse=True)[:most]
        said = ((one, f"{one.fact.name.replace('-', ' ')}: {one.fact.text}") for one in newest)
        found = (Passage(one.path, self._hide(text)[:READ]) for one, text in said)
        return {one.hash: one for one in found}

    async def _prepared(self) -> Embedder:
        """The provider, which has shown how near it takes sentences to be that have nothing in
        common. Raises what is in _FAILURES."""
        async with self._opening:
            if self._provider is None:
                self._provider = await self._open()
            if not self._ordinary:
                ordinary = await self._provider.embed(ORDINARY, SECONDS)
                if not await self._off_loop(lambda: self._vectors.is_same(ordinary[0])):
                    self._lacks = len(self._passages)  # the next look makes them anew
                self._ordinary = ordinary
            return self._provider

    async def _open(self) -> Embedder:
        name = choose.resolve_alias(self._model, self._models.config)
        config = await self._models.unlock((name.partition("/")[0],))
        if lack := choose.describe_lack(name, config):
            raise LookupError(lack)
        provider = choose.make(name, config)
        if not isinstance(provider, Embedder):
            await provider.close()
            raise LookupError(f"{provider.name} has no embedding models")
        return provider

    async def embed(self, text: str) -> Vector | None:
        """The vector of a prompt; None where there is none soon. A request that takes longer goes
        on: until it has ended no other one is waited for."""
        if self._making is None or not text.strip() or not _is_idle(self._asking):
            return None
        made = list[Vector]()

        async def ask() -> None:
            try:
                provider = await self._prepared()
                made.extend(await _embed(provider, [self._hide(text[: 2 * READ])[:READ]]))
                self._problem = ""
            except _FAILURES as error:
                self._fail(error)

        self._asking = self._spawn(ask())
        done, _ = await asyncio.wait({self._asking}, timeout=WAIT)
        if not done:
            self._fail(TimeoutError(f"{self._model} did not answer within {WAIT:g} s"))
        return made[0] if made else None

    def nearest(self, asked: Vector, least: float) -> list[Found]:
        """The facts that are near to a prompt, by its vector. Takes time: not for the loop. Raises
        sqlite3.Error and OSError."""
        passages = self._passages
        scores = self._vectors.nearest(asked, self._ordinary, self._folders, least)
        return [
            Found(passages[hash].path, score) for hash, score in scores.items() if hash in passages
        ]

    async def search(self, text: str, least: float) -> list[Found]:
        """The facts that are near to `text`; nothing where that cannot be said soon."""
        try:
            asked = await self.embed(text)
            return [] if asked is None else await self._off_loop(lambda: self.nearest(asked, least))
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return []

    def describe(self) -> str:
        """Which model it is, how far it is, and what is wrong, for the person; empty: none is
        set."""
        if not self.is_on:
            return ""
        if self._problem:
            return f"Not by meaning now: {self._problem}"
        how = "sqlite-vec" if vectors.has_extension() else "Python"
        ready, count = len(self._passages) - self._lacks, len(self._files or ())
        return f"By meaning, too: {self._model} ({how}), {ready:,}/{count:,} facts"

    def _fail(self, error: Exception) -> None:
        failed = error.failed if isinstance(error, ProviderError) else None
        self._problem = failed.text if failed else str(error.args[0] if error.args else error)
        self._log.warning("no embeddings: %s", self._problem)
        if not self._told:
            self._told = True
            said = f"Memory is searched by words alone for now: {self._problem}"
            self._emit(Notice(said, "warning", hint=failed.hint if failed else ""))

    async def _off_loop(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def close(self) -> None:
        if self._provider is not None:
            await self._provider.close()


async def _embed(provider: Embedder, texts: Sequence[str]) -> tuple[Vector, ...]:
    """Raises ProviderError."""
    try:
        return await provider.embed(texts, SECONDS)
    except ProviderError as error:
        refused = error.failed.kind in ("bad_request", "overflow", "server")
        if not refused or max(map(len, texts)) <= SHORT:
            raise
    return await provider.embed([one[:SHORT] for one in texts], SECONDS)


def _is_idle(task: asyncio.Task[None] | None) -> bool:
    return task is None or task.done()
