"""The keys that are stored, fetched when they are wanted: beside the loop, because a keyring may
ask a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from typing import Final
from weakref import WeakSet

from agent_tui.agent.config import EngineConfig
from agent_tui.providers.choosing import keys
from agent_tui.providers.wire import log
from agent_tui.safety import credentials
from agent_tui.safety.credentials import Key, Stored

PATIENCE: Final = 5.0
"""Seconds that a keyring has. A locked one asks for a password that perhaps nobody is there to
type."""
_waiting: Final = WeakSet[Pool]()
"""Where a thread waits for a keyring. Until that answers it is asked no more: each question keeps a
thread."""

Found = tuple[EngineConfig, tuple[str, ...]]
Fresh = Callable[[Iterable[str] | None], Awaitable[Found]]


async def with_stored(config: EngineConfig, pool: Pool, only: Iterable[str] | None = None) -> Found:
    """`config` with the stored keys, and what was wrong on the way: lines for the person. `only`:
    for these providers alone the keyring is asked; None: for all. What it told of others before
    stays."""
    names = keys.providers_without_key(
        keys.names(config.settings) if only is None else only, config
    )
    found = await fetch_keys(config, pool, names=names)
    told = {name: Key(own.api_key, own.key_from) for name, own in config.settings.providers.items()}
    before = {
        n: key for n, key in told.items() if key.source == credentials.KEYRING and n not in names
    }
    secrets = tuple(dict.fromkeys((*config.secrets, *found.values)))
    return replace(
        keys.join_keys(config, found.with_keyring(before)), secrets=secrets
    ), found.problems


def key_refresher(
    config: EngineConfig, pool: Pool, learn: Callable[[tuple[str, ...]], None]
) -> Fresh:
    """What gives `config` with the keys that are stored by then; `learn` is told of them before
    anybody uses one."""
    in_turn = asyncio.Lock()  # of two at once, the later one would forget what the other found

    async def fresh(only: Iterable[str] | None) -> Found:
        nonlocal config
        async with in_turn:
            config, problems = await with_stored(config, pool, only)
        learn(config.secrets)
        log.learn(config.secrets)
        return config, problems

    return fresh


async def fetch_keys(
    config: EngineConfig,
    pool: Pool,
    patience: float = PATIENCE,
    names: Collection[str] | None = None,
) -> Stored:
    """The stored keys of all providers; without the keyring's, if that does not answer in time. It
    is asked for those of `names` alone, and for none not at all."""
    loop, folder = asyncio.get_running_loop(), config.folders.config
    names = keys.names(config.settings) if names is None else names
    kept = await loop.run_in_executor(pool, credentials.in_file, folder)
    if not names:
        return kept
    silent = f"the keyring did not answer within {patience:g} s: its keys are not used; unlock it and start again"
    if pool in _waiting:
        return Stored(kept.keys, (*kept.problems, silent))
    asked = loop.run_in_executor(pool, _told, pool, names)
    await asyncio.wait({asked}, timeout=patience)
    if not asked.done():
        asked.cancel()
        said = silent
    elif error := asked.exception():  # of a desktop's own parts anything may come
        said = (
            str(error)
            if isinstance(error, credentials.Unusable)
            else f"the keyring failed: {type(error).__name__}"
        )
    else:
        return kept.with_keyring(asked.result())
    return Stored(kept.keys, (*kept.problems, said))


def _told(pool: Pool, names: Collection[str]) -> dict[str, Key]:
    _waiting.add(pool)
    try:
        return credentials.from_keyring(names)
    finally:
        _waiting.discard(pool)
