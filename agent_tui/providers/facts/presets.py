"""The providers that are known by name, as their declarations (`services/`) have them."""

from __future__ import annotations

from typing import Final

from agent_tui.providers import compatible
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.compatible import OpenRouterProvider
from agent_tui.providers.services import all_services, service_of

SERVICES: Final = {
    name: service for name, service in all_services().items() if service.role == "service"
}
"""Those that are asked once there is a key or an address for them."""
PLAYED: Final = frozenset(name for name, service in all_services().items() if service.is_played)
"""Scripts in place of a model."""
NEARBY: Final = tuple(name for name, service in all_services().items() if service.near)
"""Servers that people run on their own machine."""
FOUND: Final = tuple(name for name, service in all_services().items() if service.role == "found")
"""Those that are there without a key: Ollama, and what a person gives the address of."""
SHORT: Final = {short: name for name, service in SERVICES.items() for short in service.short}
"""What people call a service; a service by itself means its model."""
KEYS: Final = tuple(service.keys[0] for service in SERVICES.values() if not service.near)
"""The variables that bring a provider with them."""


def of_name(model: str) -> str:
    """The service that has a model of this name, by how it begins; empty where none is known."""
    lower = model.lower()
    return next(
        (
            name
            for name, service in SERVICES.items()
            if lower.startswith(service.prefixes or ("\0",))
        ),
        "",
    )


def create(name: str, model: str, setup: ProviderSetup) -> compatible.CompatibleProvider:
    """The service `name`, or a server of that name that the person set up. Raises LookupError with
    one clear line."""
    service = service_of(name)
    base_url = setup.base_url or service.url(setup.environment) or service.base_url
    if not base_url:
        raise LookupError(
            f"it needs a server: set base_url under [providers.{name}] in config.toml"
        )
    at, own = compatible.address(base_url), base_url == service.base_url
    check = (
        f"check {service.keys[0]}"
        if service.keys
        else f"set api_key under [providers.{name}] in config.toml"
    )
    server = compatible.Server(
        name,
        at,
        setup.api_key or service.key(setup.environment),
        setup.options,
        label=service.label if own else f"the server of {name}",
        auth=setup.key_advice or check,
        quirks=service.quirks,
    )
    return (OpenRouterProvider if service.told_prices else compatible.CompatibleProvider)(
        model, server
    )
