"""The model that a person names: an alias, `<provider>/<model>`, a service, or a name by which its
maker is known.

What the local Ollama has wins over a service whose models begin the same; what was chosen, and why,
is said.
"""

from __future__ import annotations

import asyncio
from difflib import get_close_matches
from typing import Final, Protocol, cast

from agent_tui.protocol.answers import Tried
from agent_tui.providers import ollama
from agent_tui.providers.base import Failed, Provider, ProviderError
from agent_tui.providers.choosing import registry
from agent_tui.providers.choosing.registry import (
    Choice,
    World,
    check_model,
    describe_end,
    line,
    no_choice,
)
from agent_tui.providers.facts import presets
from agent_tui.providers.services import service_of
from agent_tui.providers.services.base import Service
from agent_tui.providers.services.ollama import OLLAMA

LOOKING: Final = 2.0
"""Seconds that Ollama has to say what it has, where a service has such models too."""
DEEPEST: Final = 5
"""Aliases of aliases that are followed."""


async def choose_named(world: World, wanted: str) -> Choice:
    meant = follow_alias(world, wanted)
    if meant in world.settings.aliases:
        return no_choice(
            wanted, "its aliases never lead to a model: correct [aliases] in config.toml"
        )
    head, slash, model = meant.partition("/")
    if slash and model and head in world.names():
        choice = await _given(await world.with_stored_keys(head), head, model)
    elif service_of(meant).is_played and service_of(meant).model:
        choice = await check_model(world.provider(meant, service_of(meant).model))
    elif meant in world.names() and meant not in (*presets.SERVICES, *presets.PLAYED):
        choice = await default(await world.with_stored_keys(meant), meant)
    else:
        choice = await _bare(world, meant)
    note = f"{wanted} is {choice.info.name}." if choice.info and wanted != meant else ""
    return choice.with_note(note)


def follow_alias(world: World, wanted: str) -> str:
    """The name that an alias leads to; a provider's as it is written here."""
    aliases = world.settings.aliases
    for _ in range(DEEPEST):
        if wanted not in aliases:
            break
        wanted = aliases[wanted]
    return wanted if wanted in aliases else world.written_name(wanted)


async def _given(world: World, name: str, model: str) -> Choice:
    wanted = f"{name}/{model}"
    if missing := world.needs(name):
        return no_choice(wanted, missing)
    try:
        provider = world.provider(name, model)
    except LookupError as error:
        return no_choice(wanted, str(error.args[0]))
    return await check_model(provider)


async def default(world: World, name: str) -> Choice:
    """A service by itself: the model that is set for it, the usual one, else the first that it
    lists."""
    if service_of(name).pulls:
        return await best(world.ollama())
    if missing := world.needs(name):
        return no_choice(name, missing)
    service = service_of(name)
    own = str(world.settings_of(name).options.get("model") or "")
    try:
        provider = world.provider(name, own or service.model)
    except LookupError as error:
        return no_choice(name, str(error.args[0]))
    if not own and (not service.model or has_other_address(world, name)):
        # Another server under a service's name may have other models.
        return await first_listed(cast(Listing, provider), service)
    return await check_model(provider if own else await _usual(service, cast(Listing, provider)))


async def _usual(service: Service, server: Listing) -> Provider:
    """The usual model of a service: names are given up by their makers, so its list is asked where
    it comes soon."""
    if not service.families:
        return server
    names: list[str] = []
    try:
        async with asyncio.timeout(LOOKING):
            models = await registry.list_models(server)
    except TimeoutError:
        models = ()
    if not isinstance(models, Failed):
        names = [info.name.partition("/")[2] for info in models]
    return server.with_model(service.usual_model(names))


def has_other_address(world: World, name: str) -> bool:
    """Whether a service is asked at an address that is not its own."""
    service = service_of(name)
    at = world.settings_of(name).base_url or service.url(world.environment)
    return bool(at) and not (service.base_url and at.startswith(service.base_url))


async def _bare(world: World, wanted: str) -> Choice:
    """A name without a provider: a model of Ollama if it has one of that name, else a service, or
    one of its models."""
    service = presets.of_name(wanted)
    whole = presets.SHORT.get(wanted, wanted if wanted in presets.SERVICES else "")
    server = (await world.with_stored_keys(OLLAMA.name)).ollama()
    names: tuple[str, ...] = ()
    failed: Failed | None = None
    try:
        async with asyncio.timeout(LOOKING if service or whole else None):
            names = await server.names()
    except TimeoutError:
        failed = Failed("timeout", f"Ollama at {server.base_url} does not answer", "")
    except ProviderError as error:
        failed = error.failed
    finally:
        await server.close()
    for name in (wanted, f"{wanted}:latest"):
        if name in names:
            choice = await check_model(server.with_model(name))
            return choice.with_note(_preferred(world, service, name)) if service else choice
    world = await world.with_stored_keys(*filter(None, (whole, service)))
    if whole and not (world.needs(whole) and wanted.startswith(OLLAMA.prefixes)):
        return await default(world, whole)
    if service:
        return await _of_service(world, service, wanted, failed, server)
    if (own_server := await _of_own_server(world, wanted)) is not None:
        return own_server
    if failed is not None:
        return no_choice(wanted, _unknown(world, wanted, failed))
    has = ", ".join(names[:8]) or "no models"
    lacks = f"Ollama at {server.base_url} has no such model, it has: {has}"
    pull = f"`ollama pull {wanted}` downloads it"
    if "/" in wanted:
        head = wanted.partition("/")[0]
        own = f"set base_url under [providers.{head}] to add it"
        return no_choice(wanted, f"{_no_provider(world, head)}: {own}. {lacks}; {pull}")
    return no_choice(wanted, f"{lacks}; {pull}, or write {_written(world, wanted)}")


def _own_servers(world: World) -> tuple[str, ...]:
    """The servers that the person set up with an address."""
    return tuple(
        name
        for name, given in world.settings.providers.items()
        if given.base_url and not service_of(name).pulls and name not in presets.PLAYED
    )


def _written(world: World, wanted: str) -> str:
    """How a model is named for certain."""
    return f"{next(iter(_own_servers(world)), '<provider>')}/{wanted if _own_servers(world) else '<model>'}"


async def _of_own_server(world: World, wanted: str) -> Choice | None:
    """The first of the person's own servers that lists the model; None: none does, as far as they
    answer soon."""
    names = _own_servers(world)
    world = await world.with_stored_keys(*names) if names else world
    for name, answer in zip(
        names, await asyncio.gather(*(_models_of(world, name) for name in names)), strict=True
    ):
        if f"{name}/{wanted}" in answer:
            choice = await _given(world, name, wanted)
            return choice.with_note(f"{wanted} is a model of {name}: using {name}/{wanted}.")
    return None


async def _models_of(world: World, name: str) -> tuple[str, ...]:
    try:
        async with asyncio.timeout(LOOKING):
            models = await registry.list_models(world.provider(name, ""))
    except (TimeoutError, LookupError):
        return ()
    return () if isinstance(models, Failed) else tuple(info.name for info in models)


def _preferred(world: World, service: str, name: str) -> str:
    """Said where the service could have been meant."""
    if not world.is_set(service):
        return ""
    label = service_of(service).label
    return f"{name} runs on the local Ollama; {service}/{name} asks {label} instead."


async def _of_service(
    world: World, service: str, wanted: str, failed: Failed | None, server: ollama.OllamaProvider
) -> Choice:
    label, name = service_of(service).label, f"{service}/{wanted}"
    silent = f"Ollama at {server.base_url} has no {wanted}" if failed is None else line(failed)
    if missing := world.needs(service):
        pull = f"; `ollama pull {wanted}` may download it" if failed is None else ""
        return no_choice(
            wanted, f"this looks like a model of {label}, but {missing}; {silent}{pull}"
        )
    choice = await _given(world, service, wanted)
    found = Choice(
        choice.provider, choice.info, (Tried(wanted, f"{silent}; using {name}"), *choice.tried)
    )
    return found.with_note(f"{wanted} looks like a model of {label}: using {name}.")


def _unknown(world: World, wanted: str, failed: Failed) -> str:
    head, slash, _ = wanted.partition("/")
    if slash:  # it was hardly meant for Ollama: what to do about that one would hide the rest
        return f"{_no_provider(world, head)}. Ollama was asked too: {failed.text}"
    if wanted.lower().startswith(OLLAMA.prefixes):
        return f"this looks like a model of Ollama: {line(failed)}"
    return f"write it as {_written(world, wanted)}; Ollama was asked too: {line(failed)}"


def _no_provider(world: World, head: str) -> str:
    near = get_close_matches(head, world.names(), n=3, cutoff=0.5)
    names = "name is" if len(near) == 1 else "names are"
    closest = f"; the closest {names} {', '.join(near)}" if near else ""
    return f"there is no provider {head!r}{closest}"


async def best(server: ollama.OllamaProvider) -> Choice:
    """The model of an Ollama that can call tools: one in memory first, then the newest; those in a
    cloud last."""
    what = f"Ollama at {server.base_url}"
    try:
        names, loaded = await server.names(), await server.loaded_models()
        best_first = sorted(
            names, key=lambda name: (name.endswith(("-cloud", ":cloud")), name not in loaded)
        )
        for name in best_first[: ollama.MOST_DESCRIBED]:
            if (await server.facts(name)).tools:
                return await check_model(server.with_model(name))
    except ProviderError as error:
        return Choice(None, None, (describe_end(what, error.failed),))
    finally:
        await server.close()
    has = f"none of its {len(names)} models can call tools" if names else "it has no models"
    return no_choice(what, f"{has}; `ollama pull qwen3` downloads one that can call tools")


class Listing(Provider, Protocol):
    """A server whose models can be changed for each other."""

    def with_model(self, model: str) -> Provider: ...


async def first_listed(server: Listing, service: Service | None = None) -> Choice:
    """The model that `service` would take of those that a server lists; else the first."""
    what = registry.place(server)
    models = await registry.list_models(server)
    if isinstance(models, Failed):
        return Choice(None, None, (describe_end(what, models),))
    if not models:
        return no_choice(what, "it lists no models")
    by_name = {info.name.partition("/")[2]: info for info in models}
    name = service.usual_model(list(by_name)) if service else next(iter(by_name))
    found = server.with_model(name)
    return Choice(
        found, registry.describe_model(found, by_name[name]), (Tried(what, by_name[name].name),)
    )
