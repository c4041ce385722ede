"""The keys that are stored, fetched before a model is chosen: beside the loop, because a keyring may ask a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.providers import keys
from agent_tui.safety import credentials
from agent_tui.safety.credentials import Stored

PATIENCE: Final = 5.0
"""Seconds that a keyring has. A locked one asks for a password that perhaps nobody is there to type."""


async def with_stored(config: EngineConfig, pool: Pool) -> tuple[EngineConfig, tuple[str, ...]]:
    """`config` with the stored keys, and what was wrong on the way: lines for the person."""
    found = await fetched(config, pool)
    settings = keys.joined(config.settings, config.environment, found)
    return replace(config, settings=settings, secrets=(*config.secrets, *found.values)), found.problems


def refreshing(
    config: EngineConfig, pool: Pool, learn: Callable[[tuple[str, ...]], None]
) -> Callable[[], Awaitable[EngineConfig]]:
    """What gives `config` with the keys that are stored by then; `learn` is told of them before anybody uses one."""

    async def fresh() -> EngineConfig:
        found, _ = await with_stored(config, pool)
        learn(found.secrets)
        return found

    return fresh


async def fetched(config: EngineConfig, pool: Pool, patience: float = PATIENCE) -> Stored:
    """The stored keys of all providers; without the keyring's, if that does not answer in time."""
    loop, folder, names = asyncio.get_running_loop(), config.folders.config, keys.names(config.settings)
    kept = await loop.run_in_executor(pool, credentials.in_file, folder)
    asked = loop.run_in_executor(pool, credentials.from_keyring, names)
    await asyncio.wait({asked}, timeout=patience)
    if not asked.done():
        asked.cancel()
        said = f"the keyring did not answer within {patience:g} s: its keys are not used; unlock it and start again"
    elif error := asked.exception():  # of a desktop's own parts anything may come
        said = str(error) if isinstance(error, credentials.Unusable) else f"the keyring failed: {type(error).__name__}"
    else:
        return kept.before(asked.result())
    return Stored(kept.keys, (*kept.problems, said))
