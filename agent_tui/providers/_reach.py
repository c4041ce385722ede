"""Whether the servers that are set up answer, and take their keys."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from agent_tui.providers import _world
from agent_tui.providers._world import World
from agent_tui.providers.base import Failed, Provider, ProviderError


@dataclass(frozen=True, slots=True)
class Reached:
    """What came of asking a provider what it offers: the names of its models, or why not."""

    provider: str
    where: str
    models: tuple[str, ...] = ()
    failed: Failed | None = None


async def reached(world: World, name: str, seconds: float) -> Reached:
    """Ask the provider `name`; within `seconds` something is said."""
    try:
        provider = world.provider(name, str(world.of(name).options.get("model") or ""))
    except LookupError as error:
        return Reached(name, name, failed=Failed("bad_request", str(error.args[0]), "correct the settings"))
    where = _where(provider)
    try:
        async with asyncio.timeout(seconds):
            return Reached(name, where, tuple(model.name for model in await provider.models()))
    except ProviderError as error:
        return Reached(name, where, failed=error.failed)
    except TimeoutError:
        said = f"{where} did not answer within {seconds:g} s"
        return Reached(name, where, failed=Failed("timeout", said, "check the network, a proxy, or the server"))
    finally:
        await provider.close()


def _where(provider: Provider) -> str:
    address = str(getattr(provider, "base_url", ""))
    return _world.place(provider) if not address or provider.name == "ollama" else f"{provider.name} at {address}"
