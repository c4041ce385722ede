"""Which provider and model a session runs on: a name made into a provider, and what is there when nobody said.

A choice without a provider always says what was tried and how each try ended, one line each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from agent_tui import registry
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import _typed, compatible, ollama, openai
from agent_tui.providers.base import Failed, Provider, ProviderError, ProviderSetup
from agent_tui.settings import ProviderSettings, Settings

KEY_VARIABLES: Final[tuple[str, ...]] = (openai.KEY,)
"""The environment variables that bring a provider with them."""
OPENAI_MODEL: Final = "gpt-5"
"""Where neither `model` nor [providers.openai] `model` says otherwise."""
PACKAGE: Final = "agent_tui.providers"


@dataclass(frozen=True, slots=True)
class Tried:
    """One place that was looked at: `result` is one line that says how it ended and what to do."""

    what: str
    result: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The provider to use, open, and what is known of its model; both None where nothing usable was found."""

    provider: Provider | None
    info: ModelInfo | None
    tried: tuple[Tried, ...]


@dataclass(frozen=True, slots=True)
class World:
    """Where choosing looks."""

    settings: Settings
    environment: Mapping[str, str]
    cwd: Path
    data: Path

    def of(self, provider: str) -> ProviderSettings:
        return self.settings.providers.get(provider, ProviderSettings())

    def setup(self, provider: str, base_url: str = "") -> ProviderSetup:
        own = self.of(provider)
        # A key belongs to the address it was set for: another one, typed by hand, gets none.
        same = not base_url or compatible.address(base_url) == compatible.address(own.base_url)
        key = own.api_key if same else ""
        return ProviderSetup(
            base_url or own.base_url, key, own.num_ctx, self.environment, self.cwd, self.data, own.options
        )

    def compatible(self, base_url: str = "") -> compatible.CompatibleProvider:
        """The server itself, no model chosen."""
        return compatible.create("", self.setup("compatible", base_url))

    def openai(self) -> openai.OpenAIProvider:
        """The server with its default model."""
        return openai.create(str(self.of("openai").options.get("model") or OPENAI_MODEL), self.setup("openai"))

    def make(self, name: str, base_url: str = "") -> Provider:
        provider, slash, model = name.partition("/")
        if not slash or not model:
            raise LookupError(f"{name!r} is no model name: write <provider>/<model>, such as ollama/{name or 'qwen3'}")
        create = registry.load(PACKAGE, provider, "create")
        return cast(Provider, create(model, self.setup(provider, base_url)))

    def ollama(self, base_url: str = "") -> ollama.OllamaProvider:
        """The server itself, no model chosen."""
        return ollama.create("", self.setup("ollama", base_url))


def make(
    name: str, settings: Settings, environment: Mapping[str, str], cwd: Path, data: Path, base_url: str = ""
) -> Provider:
    """The provider that `name` (`<provider>/<model>`) means. Raises LookupError with one clear line."""
    return World(settings, environment, cwd, data).make(name, base_url)


async def choose(wanted: str, settings: Settings, environment: Mapping[str, str], cwd: Path, data: Path) -> Choice:
    """The model that is wanted (or set); else a server that is configured, Ollama, a key in the environment."""
    world = World(settings, environment, cwd, data)
    wanted = (wanted or settings.model).strip()
    if wanted:
        return await _named(world, wanted)
    tried: list[Tried] = []
    for look in (_configured, _ollama, _openai):
        choice = await look(world)
        tried += choice.tried
        if choice.provider is not None:
            return Choice(choice.provider, choice.info, tuple(tried))
    return Choice(None, None, tuple(tried))


async def connect(address: str, settings: Settings, environment: Mapping[str, str], cwd: Path, data: Path) -> Choice:
    """What answers at `address` (as typed): an Ollama, else a server that speaks Chat Completions."""
    world = World(settings, environment, cwd, data)
    if not address.strip():
        return _none("address", "nothing was typed")
    meant = _typed.address(address)
    if not meant:
        return _none(address.strip(), "is no address; write it as http://host:port")
    server, typed = world.ollama(ollama.address(meant)), compatible.address(meant)
    try:
        await server.version()
    except ProviderError as error:
        if error.failed.kind == "unreachable" and _typed.place(server.base_url) == _typed.place(typed):
            return Choice(None, None, (_silent(server, error.failed),))  # there is no need to ask it anything else
        tried = [_ended(f"Ollama at {server.base_url}", error.failed)]
        if error.failed.kind in ("bad_request", "malformed"):
            tried = [Tried(f"Ollama at {server.base_url}", "what answers there is no Ollama")]
    else:
        return await _best(server)
    finally:
        await server.close()
    for base in (typed,) if typed.endswith("/v1") else (f"{typed}/v1", typed):
        choice = await _first_listed(world.compatible(base))
        known = {each.result for each in tried}
        tried += (each for each in choice.tried if each.result not in known)
        if choice.provider is not None:
            return Choice(choice.provider, choice.info, tuple(tried))
    return Choice(None, None, tuple(tried))


def _silent(server: ollama.OllamaProvider, failed: Failed) -> Tried:
    """Nobody answers at the address of `server`, whatever should run there."""
    result = failed.text.removeprefix(f"cannot reach Ollama at {server.base_url}: ")
    return Tried(server.base_url, f"{result}; {failed.hint}")


async def offered(
    settings: Settings, environment: Mapping[str, str], cwd: Path, data: Path
) -> tuple[tuple[ModelInfo, ...], tuple[Tried, ...]]:
    """What each provider that can be reached offers, and why the others offer nothing."""
    world = World(settings, environment, cwd, data)
    providers: list[Provider] = [world.ollama()]
    if world.of("compatible").base_url:
        providers.append(world.compatible())
    if _openai_is_set(world):
        providers.append(world.openai())
    listed = await asyncio.gather(*map(_listed, providers))
    found: list[ModelInfo] = []
    tried: list[Tried] = []
    for provider, models in zip(providers, listed, strict=True):
        if isinstance(models, Failed):
            tried.append(_ended(_place(provider), models))
        elif not models:
            tried.append(Tried(_place(provider), "it has no models"))
        else:
            found += (replace(model, where=_place(provider)) for model in models)
    if not _openai_is_set(world):
        tried.append(Tried(openai.KEY, "not set"))
    return tuple(found), tuple(tried)


def _place(provider: Provider) -> str:
    """The server as failures name it."""
    if isinstance(provider, ollama.OllamaProvider):
        return f"Ollama at {provider.base_url}"
    if isinstance(provider, compatible.CompatibleProvider):
        return f"the server at {provider.base_url}"
    return provider.name


async def _listed(provider: Provider) -> tuple[ModelInfo, ...] | Failed:
    try:
        return await provider.models()
    except ProviderError as error:
        return error.failed
    finally:
        await provider.close()


async def _named(world: World, wanted: str) -> Choice:
    head, slash, _ = wanted.partition("/")
    if slash and head in registry.names(PACKAGE):
        return await _given(world, wanted)
    return await _bare(world, wanted)


async def _given(world: World, wanted: str) -> Choice:
    try:
        provider = world.make(wanted)
    except LookupError as error:
        return _none(wanted, str(error.args[0]))
    return await _asked(provider)


async def _bare(world: World, wanted: str) -> Choice:
    """A name without a provider: a model of Ollama, if it has one of that name."""
    server = world.ollama()
    try:
        names = await server.names()
    except ProviderError as error:
        head, slash, _ = wanted.partition("/")
        there = f"there is no provider {head!r}, only {', '.join(registry.names(PACKAGE))}"
        said = there if slash else "write it as <provider>/<model>"
        return _none(wanted, f"{said}; as a model of Ollama: {line(error.failed)}")
    finally:
        await server.close()
    for name in (wanted, f"{wanted}:latest"):
        if name in names:
            return await _asked(server.with_model(name))
    has = ", ".join(names[:8]) or "no models"
    hint = f"`ollama pull {wanted}` fetches it, or write <provider>/<model>"
    return _none(wanted, f"Ollama at {server.base_url} has no such model, it has: {has}; {hint}")


async def _configured(world: World) -> Choice:
    if not world.of("compatible").base_url:
        return Choice(None, None, ())
    return await _first_listed(world.compatible())


async def _ollama(world: World) -> Choice:
    return await _best(world.ollama())


async def _openai(world: World) -> Choice:
    if not _openai_is_set(world):
        return _none(openai.KEY, "not set")
    provider = world.openai()
    if openai.is_own(provider.base_url) or world.of("openai").options.get("model"):
        return await _asked(provider)
    return await _first_listed(provider)  # another server under OpenAI's name has other models


def _openai_is_set(world: World) -> bool:
    own, environment = world.of("openai"), world.environment
    return bool(own.api_key or own.base_url or environment.get(openai.KEY) or environment.get(openai.URL))


async def _best(server: ollama.OllamaProvider) -> Choice:
    """The model of an Ollama that can call tools: one in memory first, then the newest; those in a cloud last."""
    what = f"Ollama at {server.base_url}"
    try:
        names, loaded = await server.names(), await server.loaded()
        for name in sorted(names, key=lambda name: (name.endswith(("-cloud", ":cloud")), name not in loaded)):
            if (await server.facts(name)).tools:
                return await _asked(server.with_model(name))
    except ProviderError as error:
        return Choice(None, None, (_ended(what, error.failed),))
    finally:
        await server.close()
    has = f"none of its {len(names)} models can call tools" if names else "it has no models"
    return _none(what, f"{has}; `ollama pull qwen3` fetches one that can call tools")


async def _first_listed(server: compatible.CompatibleProvider) -> Choice:
    """The first model that a server lists."""
    what = f"the server at {server.base_url}"
    models = await _listed(server)
    if isinstance(models, Failed):
        return Choice(None, None, (_ended(what, models),))
    if not models:
        return _none(what, "it lists no models")
    return Choice(server.with_model(models[0].name.partition("/")[2]), models[0], (Tried(what, models[0].name),))


async def _asked(provider: Provider) -> Choice:
    """`provider`, if its model is there."""
    name = f"{provider.name}/{provider.model}"
    try:
        info = await provider.info()
    except ProviderError as error:
        await provider.close()
        return _none(name, line(error.failed))
    return Choice(provider, info, (Tried(name, "found"),))


def _none(what: str, result: str) -> Choice:
    return Choice(None, None, (Tried(what, result),))


def _ended(what: str, failed: Failed) -> Tried:
    """How looking at `what` ended; its address is not said twice."""
    said = line(failed).removeprefix(f"cannot reach {what}: ")
    return Tried(what, f"it {said.removeprefix(f'{what} ')}" if said.startswith(f"{what} ") else said)


def line(failed: Failed) -> str:
    """What happened and what to do, in one line."""
    return f"{failed.text}; {failed.hint}" if failed.hint else failed.text
