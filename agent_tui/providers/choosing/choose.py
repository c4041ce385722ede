"""Which provider and model a session runs on: a name made into a provider, and what is there when
nobody said.

A choice without a provider always says what was tried and how each try ended, one line each.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from agent_tui.protocol.answers import Tried
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import compatible, ollama
from agent_tui.providers.base import Failed, Provider, ProviderError
from agent_tui.providers.choosing import registry
from agent_tui.providers.choosing.names import (
    best,
    choose_named,
    default,
    first_listed,
    follow_alias,
)
from agent_tui.providers.choosing.registry import Choice as Choice
from agent_tui.providers.choosing.registry import Unlock as Unlock
from agent_tui.providers.choosing.registry import World, describe_end, list_models, no_choice, place
from agent_tui.providers.facts import presets
from agent_tui.providers.facts.model_entries import describe_unlisted as describe_unlisted
from agent_tui.providers.services import all_services, service_of
from agent_tui.providers.services.compatible import COMPATIBLE
from agent_tui.providers.services.ollama import OLLAMA
from agent_tui.providers.wire.addresses import is_near as is_near
from agent_tui.settings.layers import Configuration
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

KEY_VARIABLES: Final = presets.KEYS
"""The environment variables that bring a provider with them."""
NO_KEYS: Final = Tried(f"{', '.join(KEY_VARIABLES[:3])} and others", "not set")


def make(name: str, configuration: Configuration, base_url: str = "") -> Provider:
    """The provider that `name` (`<provider>/<model>`) means. Raises LookupError with one clear
    line."""
    return World(configuration).make(name, base_url)


async def choose(
    wanted: str,
    configuration: Configuration,
    unlock: Unlock | None = None,
) -> Choice:
    """The model that is wanted (or set); else a server that is configured, Ollama, a key in the
    environment. `unlock` gives the stored keys of those that are asked."""
    world = World(configuration, unlock)
    wanted = (wanted or configuration.settings.model).strip()
    if wanted:
        return await choose_named(world, wanted)
    tried: list[Tried] = []
    world = await world.with_stored_keys(*presets.FOUND)
    for look in (_configured, _ollama, _services):
        choice = await look(world)
        tried += choice.tried
        if choice.provider is not None:
            return replace(choice, tried=tuple(tried))
    return Choice(None, None, tuple(tried))


async def connect(address: str, configuration: Configuration) -> Choice:
    """What answers at `address` (as typed): an Ollama, else a server that speaks Chat
    Completions."""
    world = World(configuration)
    if not address.strip():
        return no_choice("address", "nothing was typed")
    meant = typed_address(address)
    if not meant:
        return no_choice(address.strip(), "is not an address; write it as http://host:port")
    server, typed = world.ollama(ollama.address(meant)), compatible.address(meant)
    try:
        await server.version()
    except ProviderError as error:
        if error.failed.kind == "unreachable" and typed_place(server.base_url) == typed_place(
            typed
        ):
            return Choice(
                None, None, (_silent(server, error.failed),)
            )  # there is no need to ask it anything else
        tried = [describe_end(f"Ollama at {server.base_url}", error.failed)]
        if error.failed.kind in ("bad_request", "malformed"):
            tried = [Tried(f"Ollama at {server.base_url}", "the server there is not Ollama")]
    else:
        return await best(server)
    finally:
        await server.close()
    for base in _bases(typed):
        choice = await first_listed(world.compatible(base))
        known = {each.result for each in tried}
        tried += (each for each in choice.tried if each.result not in known)
        if choice.provider is not None:
            return replace(choice, tried=tuple(tried))
    return Choice(None, None, tuple(tried))


def _bases(typed: str) -> tuple[str, ...]:
    """Where the API of the server at a typed address may begin."""
    return (typed,) if typed.endswith("/v1") else (f"{typed}/v1", typed)


def servers_at(name: str, address: str) -> tuple[tuple[str, str], ...]:
    """Which providers may be meant by an address as typed, each with its own: those of `name`;
    empty: an Ollama, else a server that speaks Chat Completions. Nothing where it is no address."""
    meant = typed_address(address)
    if not meant:
        return ()
    own = ((OLLAMA.name, ollama.address(meant)),) if name in ("", OLLAMA.name) else ()
    bases = _bases(compatible.address(meant)) if name != OLLAMA.name else ()
    return (*own, *((name or COMPATIBLE.name, base) for base in bases))


def _silent(server: ollama.OllamaProvider, failed: Failed) -> Tried:
    """Nobody answers at the address of `server`, whatever should run there."""
    result = failed.text.removeprefix(f"cannot reach Ollama at {server.base_url}: ")
    return Tried(server.base_url, f"{result}; {failed.hint}")


async def collect_offers(
    configuration: Configuration, only: str = ""
) -> tuple[tuple[ModelInfo, ...], tuple[Tried, ...]]:
    """What each provider that can be reached offers, and why the others offer nothing; `only`: of
    one alone."""
    world = World(configuration)
    providers: list[Provider] = []
    found: list[ModelInfo] = []
    tried: list[Tried] = []
    for name in (only,) if only else _asked(world):
        try:
            providers.append(
                world.provider(name, str(world.settings_of(name).options.get("model") or ""))
            )
        except LookupError as error:
            tried.append(Tried(name, str(error.args[0])))
    each = await asyncio.gather(*map(list_models, providers))
    for provider, models in zip(providers, each, strict=True):
        if isinstance(models, Failed):
            tried.append(describe_end(place(provider), models))
        elif not models:
            tried.append(Tried(place(provider), "it has no models"))
        else:
            found += (replace(model, where=place(provider)) for model in models)
    if (
        not found and not only and len(providers) == 1
    ):  # who has set up others does not wait for this one
        tried.append(NO_KEYS)
    return tuple(found), tuple(tried)


def _asked(world: World) -> tuple[str, ...]:
    """The servers that can be asked what they offer: one that may run nearby, and those with an
    address or a key, the person's own first."""
    given = {name for name, one in world.settings.providers.items() if one.base_url}
    found = (name for name in presets.FOUND if service_of(name).near or name in given)
    services = (name for name in presets.SERVICES if world.is_set(name))
    return (*found, *sorted(given - all_services().keys()), *services)


async def _configured(world: World) -> Choice:
    if not world.settings_of(COMPATIBLE.name).base_url:
        return Choice(None, None, ())
    return await first_listed(world.compatible())


async def _ollama(world: World) -> Choice:
    return await best(world.ollama())


async def _services(world: World) -> Choice:
    """The first service that there is a key for, or an address."""
    tried: tuple[Tried, ...] = ()
    world = await world.with_stored_keys(*presets.SERVICES)
    for name in presets.SERVICES:
        if world.is_set(name):
            choice = await default(world, name)
            tried += choice.tried
            if choice.provider is not None:
                return replace(choice, tried=tried)
    return Choice(None, None, tried or (NO_KEYS,))


async def reach(configuration: Configuration, seconds: float) -> tuple[Reached, ...]:
    """Ask every server that is set up, and Ollama, all at once: within `seconds` each answers or
    has failed."""
    world = World(configuration)
    return tuple(
        await asyncio.gather(*(reach_provider(world, name, seconds) for name in _asked(world)))
    )


Found = tuple[str, ...] | Failed
"""The names of a server's models, or why there are none."""


async def asked_for_models(name: str, configuration: Configuration, seconds: float) -> Found:
    """What the provider `name` offers: within `seconds` it answers or has failed."""
    answer = await reach_provider(World(configuration), name, seconds)
    return answer.failed or answer.models


def is_set(name: str, configuration: Configuration) -> bool:
    """Whether there is a key or an address for a service."""
    return World(configuration).is_set(name)


def needs(name: str, configuration: Configuration) -> str:
    """What a service lacks before it can be asked; empty: nothing."""
    return World(configuration).needs(name)


def resolve_alias(wanted: str, configuration: Configuration) -> str:
    """The name that an alias leads to, with the provider's as it is written here."""
    return follow_alias(World(configuration), wanted)


def describe_lack(wanted: str, configuration: Configuration) -> str:
    """What the provider of the model `wanted` lacks, where its name says whose it is; empty:
    nothing."""
    world = World(configuration)
    return world.needs(follow_alias(world, wanted).partition("/")[0])


_OUTER: Final = late.pattern(r"(?:https?:/*)+(?=https?:/)", re.IGNORECASE)
_SCHEME: Final = late.pattern(r"^(https?):/+", re.IGNORECASE)


def typed_address(text: str) -> str:
    """The address that is meant, without a scheme in front of its scheme; empty where it is
    none."""
    meant = _SCHEME.sub(r"\1://", _OUTER.sub("", text.strip()))
    if len(meant.split()) > 1 or meant.rstrip("/").lower() in ("http:", "https:"):
        return ""
    try:
        parts = urlsplit(ollama.address(meant))
        return (
            meant
            if parts.scheme in ("http", "https") and parts.hostname and parts.port is not None
            else ""
        )
    except ValueError:
        return ""


def typed_place(url: str) -> tuple[str, str | None, int]:
    """The connection that `url` asks for. Raises ValueError where its port is none."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


@frozen
class Reached:
    """What came of asking a provider what it offers: the names of its models, or why not."""

    provider: str
    where: str
    models: tuple[str, ...] = ()
    failed: Failed | None = None


async def reach_provider(world: World, name: str, seconds: float) -> Reached:
    """Ask the provider `name`; within `seconds` something is said."""
    try:
        provider = world.provider(name, str(world.settings_of(name).options.get("model") or ""))
    except LookupError as error:
        return Reached(
            name, name, failed=Failed("bad_request", str(error.args[0]), "correct the settings")
        )
    where = _where(provider)
    try:
        async with asyncio.timeout(seconds):
            return Reached(name, where, tuple(model.name for model in await provider.models()))
    except ProviderError as error:
        return Reached(name, where, failed=error.failed)
    except TimeoutError:
        said = f"{where} did not answer within {seconds:g} s"
        return Reached(
            name, where, failed=Failed("timeout", said, "check the network, a proxy, or the server")
        )
    finally:
        await provider.close()


def _where(provider: Provider) -> str:
    address = str(getattr(provider, "base_url", ""))
    labelled = not address or service_of(provider.name).pulls
    return registry.place(provider) if labelled else f"{provider.name} at {address}"
