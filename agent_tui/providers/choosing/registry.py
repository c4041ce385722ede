"""Where choosing looks, and how it tells what it found: settings and environment made into
providers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, cast

from agent_tui import registry
from agent_tui.protocol.answers import Tried
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import compatible, ollama
from agent_tui.providers.base import Failed, Provider, ProviderError, ProviderSetup
from agent_tui.providers.choosing import keys
from agent_tui.providers.facts import model_names, presets
from agent_tui.providers.services import all_services, service_of
from agent_tui.providers.services.compatible import COMPATIBLE
from agent_tui.providers.services.ollama import OLLAMA
from agent_tui.settings.layers import Configuration
from agent_tui.settings.table import ProviderSettings, Settings
from agent_tui.structures.frozen import frozen

PACKAGE: Final = "agent_tui.providers"


@frozen
class Choice:
    """The provider to use, open, and what is known of its model; both None where nothing usable was
    found."""

    provider: Provider | None
    info: ModelInfo | None
    tried: tuple[Tried, ...]

    def with_note(self, note: str) -> Choice:
        """The same, with what the person should know of it."""
        if self.info is None or not note:
            return self
        return replace(self, info=replace(self.info, note=f"{note} {self.info.note}".rstrip()))


Unlock = Callable[[Iterable[str]], Awaitable[Configuration]]
"""Gives the configuration with the stored keys of some providers."""


@frozen
class World:
    """Where choosing looks."""

    configuration: Configuration
    unlock: Unlock | None = None

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @property
    def environment(self) -> Mapping[str, str]:
        return self.configuration.environment

    async def with_stored_keys(self, *names: str) -> World:
        """The same with the keys of the providers `names` that are stored: asked for when they are
        wanted."""
        return (
            self if self.unlock is None else replace(self, configuration=await self.unlock(names))
        )

    def settings_of(self, provider: str) -> ProviderSettings:
        return self.settings.providers.get(provider, ProviderSettings())

    def names(self) -> tuple[str, ...]:
        """All providers: those that are declared, and what the person set up under a name of their
        own."""
        own = (name for name, given in self.settings.providers.items() if given.base_url)
        return tuple(sorted({*all_services(), *own}))

    def written_name(self, wanted: str) -> str:
        """The name of a model or a provider, with the provider's as it is written here."""
        head, slash, model = wanted.partition("/")
        return f"{keys.match_provider(head, self.names()) or head}{slash}{model}"

    def setup(self, provider: str, base_url: str = "") -> ProviderSetup:
        own = self.settings_of(provider)
        # A key belongs to the address it was set for: another one, typed by hand, gets none.
        same = not base_url or compatible.address(base_url) == compatible.address(own.base_url)
        key = own.api_key if same else ""
        return ProviderSetup(
            base_url or own.base_url,
            key,
            own.num_ctx,
            self.environment,
            self.configuration.cwd,
            self.configuration.folders.data,
            own.options,
            keys.advice(provider, own) if key else "",
        )

    def make(self, name: str, base_url: str = "") -> Provider:
        """The provider that `name` (`<provider>/<model>`) means. Raises LookupError with one clear
        line."""
        provider, slash, model = name.partition("/")
        if not slash or not model:
            raise LookupError(
                f"{name!r} is not a model name: write <provider>/<model>, like ollama/{name or 'qwen3'}"
            )
        return self.provider(provider, model, base_url)

    def provider(self, name: str, model: str, base_url: str = "") -> Provider:
        setup = self.setup(name, base_url)
        if name not in self.names():
            raise LookupError(f"no provider named {name!r}; there are: {', '.join(self.names())}")
        if service_of(name).dialect != name:
            return presets.create(name, model, setup)
        return cast(Provider, registry.load(PACKAGE, name, "create")(model, setup))

    def is_set(self, name: str) -> bool:
        """Whether there is a key or an address for a service."""
        own, service = self.settings_of(name), service_of(name)
        found = (
            own.api_key
            or own.base_url
            or service.url(self.environment)
            or service.key(self.environment)
        )
        return bool(found)

    def needs(self, name: str) -> str:
        """What is missing before a service can be asked; empty where nothing is."""
        service = presets.SERVICES.get(name)
        if service is None or service.near or self.is_set(name):
            return ""
        told = f"{service.keys[0]}, or api_key under [providers.{name}] in config.toml"
        return f"{service.label} needs a key: `agent-tui auth set {name}` saves one, or set {told}"

    def ollama(self, base_url: str = "") -> ollama.OllamaProvider:
        """The server itself, no model chosen."""
        return ollama.create("", self.setup(OLLAMA.name, base_url))

    def compatible(self, base_url: str = "") -> compatible.CompatibleProvider:
        """The server itself, no model chosen."""
        return compatible.create("", self.setup(COMPATIBLE.name, base_url))


def place(provider: Provider) -> str:
    """The server as failures name it."""
    return str(getattr(provider, "server_label", provider.name))


async def list_models(provider: Provider) -> tuple[ModelInfo, ...] | Failed:
    try:
        return await provider.models()
    except ProviderError as error:
        return error.failed
    finally:
        await provider.close()


async def check_model(provider: Provider) -> Choice:
    """`provider`, if its model is there. Of a server's model that nobody describes, the usual
    window is assumed."""
    name = f"{provider.name}/{provider.model}"
    try:
        info = await provider.info()
    except ProviderError as error:
        await provider.close()
        return no_choice(name, line(error.failed))
    return Choice(provider, describe_model(provider, info), (Tried(name, "found"),))


def describe_model(provider: Provider, info: ModelInfo) -> ModelInfo:
    served = hasattr(provider, "base_url")
    return (
        info
        if info.window or not served
        else replace(info, window=model_names.WINDOW, window_assumed=True)
    )


def no_choice(what: str, result: str) -> Choice:
    return Choice(None, None, (Tried(what, result),))


def describe_end(what: str, failed: Failed) -> Tried:
    """How looking at `what` ended; its address is not said twice."""
    said = line(failed).removeprefix(f"cannot reach {what}: ")
    return Tried(
        what, f"it {said.removeprefix(f'{what} ')}" if said.startswith(f"{what} ") else said
    )


def line(failed: Failed) -> str:
    """What happened and what to do, in one line."""
    return f"{failed.text}; {failed.hint}" if failed.hint else failed.text
