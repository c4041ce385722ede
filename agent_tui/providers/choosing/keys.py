"""Which key a provider is sent, and where it is from: the settings, else a variable, else what is
stored.

The one place that decides it. What is stored joins the settings that an engine works with, so that
whoever hides keys by the settings hides those too; it goes into no environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from agent_tui.providers import ollama
from agent_tui.providers.facts import presets
from agent_tui.providers.services import service_of
from agent_tui.providers.wire.addresses import is_loopback
from agent_tui.safety.credentials import Stored
from agent_tui.settings.layers import Configuration
from agent_tui.settings.table import ProviderSettings, Settings
from agent_tui.structures.frozen import frozen

SETTINGS: Final = "config.toml"
Of = TypeVar("Of", bound=Configuration)


@frozen
class Source:
    """Where the key of a provider is from; `others`: where else there is one, which is not used."""

    provider: str
    where: str
    others: tuple[str, ...] = ()


def names(settings: Settings) -> tuple[str, ...]:
    """The providers that may have a key: the services, and the person's own servers."""
    own = (name for name, given in settings.providers.items() if given.base_url)
    return tuple(dict.fromkeys((*presets.SERVICES, *presets.FOUND, *own)))


def match_provider(typed: str, there: Iterable[str]) -> str:
    """Which of the providers `there` a person means: nobody has to know how its name is written.
    Empty: none."""
    known = tuple(there)
    return (
        typed
        if typed in known
        else next((name for name in known if name.lower() == typed.lower()), "")
    )


def variable(name: str, environment: Mapping[str, str]) -> str:
    """The variable that holds the key of a provider; empty where none does."""
    service = presets.SERVICES.get(name)
    given = service.keys if service else ()
    return next((key for key in given if environment.get(key, "").strip()), "")


def key_source(name: str, configuration: Configuration) -> str:
    """Where the key that the provider is sent is from; empty: it has none. With what is stored, or
    without it."""
    own = configuration.settings.providers.get(name, ProviderSettings())
    return own.key_from or SETTINGS if own.api_key else variable(name, configuration.environment)


def providers_without_key(of: Iterable[str], configuration: Configuration) -> tuple[str, ...]:
    """The providers among `of` whose stored key would be used: those without another one that are
    not known to need none. For the rest no keyring is asked, which may ask a person for a password.
    """
    settings, environment = configuration.settings, configuration.environment

    def wants(name: str) -> bool:
        own = settings.providers.get(name, ProviderSettings())
        if (own.api_key and not own.key_from) or variable(name, environment):
            return False
        service = service_of(name)
        at = own.base_url or service.url(environment) or service.base_url
        if service.role == "found" and service.near:
            return not is_loopback(ollama.address(at))
        return bool(at) or service.role == "service"

    there = names(settings)
    return tuple(name for name in dict.fromkeys(of) if name in there and wants(name))


def join_keys(configuration: Of, stored: Stored) -> Of:
    """`configuration` with the stored keys of the providers that have none otherwise."""
    settings, environment = configuration.settings, configuration.environment
    providers = dict(settings.providers)
    for name, key in stored.keys.items():
        own = providers.get(name, ProviderSettings())
        if own.key_from:
            own = replace(own, api_key="", key_from="")  # what was stored before is not a setting
        if not own.api_key and not variable(name, environment):
            own = replace(own, api_key=key.value, key_from=key.source)
        providers[name] = own
    gone = [name for name, own in providers.items() if own.key_from and name not in stored.keys]
    providers |= {name: replace(providers[name], api_key="", key_from="") for name in gone}
    return replace(configuration, settings=replace(settings, providers=providers))


def sources(configuration: Configuration, stored: Stored) -> tuple[Source, ...]:
    """Where the key of each provider is from that has one, in the order of `names`; the settings
    are the files'."""
    settings, environment = configuration.settings, configuration.environment
    found = []
    for name in dict.fromkeys((*names(settings), *stored.keys)):
        own = settings.providers.get(name, ProviderSettings())
        kept = stored.keys.get(name)
        told = (
            SETTINGS if own.api_key else "",
            variable(name, environment),
            kept.source if kept else "",
        )
        if there := tuple(place for place in told if place):
            found.append(Source(name, there[0], there[1:]))
    return tuple(found)


def advice(name: str, own: ProviderSettings) -> str:
    """What to do where the key of a provider is refused; empty where that is a variable's."""
    if not own.api_key:
        return ""
    if not own.key_from:
        return f"check api_key under [providers.{name}] in {SETTINGS}"
    return f"the key is from {own.key_from}; `agent-tui auth set {name}` saves another one"
