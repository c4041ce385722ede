"""The keys that are stored, fetched when they are wanted: beside the loop, because a keyring may ask a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from dataclasses import replace
from typing import Final
from weakref import WeakKeyDictionary

from agent_tui.agent.config import EngineConfig
from agent_tui.providers import keys, wire_log
from agent_tui.safety import credentials
from agent_tui.safety.credentials import Key, Stored

PATIENCE: Final = 5.0
"""Seconds that a keyring has. A locked one asks for a password that perhaps nobody is there to type."""
_asked: Final = WeakKeyDictionary[Pool, Future[dict[str, Key]]]()
"""What the keyring was asked last. Until that is answered it is asked no more: each question keeps a thread."""

Found = tuple[EngineConfig, tuple[str, ...]]
Fresh = Callable[[Iterable[str] | None], Awaitable[Found]]


async def with_stored(config: EngineConfig, pool: Pool, only: Iterable[str] | None = None) -> Found:
    """`config` with the stored keys, and what was wrong on the way: lines for the person. `only`: for these providers
    alone the keyring is asked; None: for all. What it told of others before stays."""
    names = keys.wanting(keys.names(config.settings) if only is None else only, config.settings, config.environment)
    found = await fetched(config, pool, names=names)
    told = {name: Key(own.api_key, own.key_from) for name, own in config.settings.providers.items()}
    before = {n: key for n, key in told.items() if key.source == credentials.KEYRING and n not in names}
    settings = keys.joined(config.settings, config.environment, found.before(before))
    secrets = tuple(dict.fromkeys((*config.secrets, *found.values)))
    return replace(config, settings=settings, secrets=secrets), found.problems


def refreshing(config: EngineConfig, pool: Pool, learn: Callable[[tuple[str, ...]], None]) -> Fresh:
    """What gives `config` with the keys that are stored by then; `learn` is told of them before anybody uses one."""
    in_turn = asyncio.Lock()  # of two at once, the later one would forget what the other found

    async def fresh(only: Iterable[str] | None) -> Found:
        nonlocal config
        async with in_turn:
            config, problems = await with_stored(config, pool, only)
        learn(config.secrets)
        wire_log.learn(config.secrets)
        return config, problems

    return fresh


async def fetched(
    config: EngineConfig, pool: Pool, patience: float = PATIENCE, names: Collection[str] | None = None
) -> Stored:
    """The stored keys of all providers; without the keyring's, if that does not answer in time. It is asked for those
    of `names` alone, and for none not at all."""
    loop, folder = asyncio.get_running_loop(), config.folders.config
    names = keys.names(config.settings) if names is None else names
    kept = await loop.run_in_executor(pool, credentials.in_file, folder)
    if not names:
        return kept
    asked = _asked.get(pool)
    if asked is not None:
        await _answered(asked, patience)
    if asked is None or asked.done():
        asked = _asked[pool] = pool.submit(credentials.from_keyring, names)
        await _answered(asked, patience)
    if not asked.done() or asked.cancelled():
        said = f"the keyring did not answer within {patience:g} s: its keys are not used; unlock it and start again"
    elif error := asked.exception():  # of a desktop's own parts anything may come
        said = str(error) if isinstance(error, credentials.Unusable) else f"the keyring failed: {type(error).__name__}"
    else:
        return kept.before(asked.result())
    return Stored(kept.keys, (*kept.problems, said))


async def _answered(asked: Future[dict[str, Key]], patience: float) -> None:
    """Wait for that, but not longer than that."""
    waiting = asyncio.wrap_future(asked)
    await asyncio.wait({waiting}, timeout=patience)
    if not waiting.cancel() and not waiting.cancelled():
        waiting.exception()  # it is told by `asked`
