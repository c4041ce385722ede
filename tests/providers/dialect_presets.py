"""The services that speak Chat Completions, each with its quirks, for the conformance table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from agent_tui.providers import azure
from agent_tui.providers.base import Provider, ProviderSetup
from agent_tui.providers.dialects.chat_quirks import NOTHING
from agent_tui.providers.facts import presets
from agent_tui.providers.services.openai import AZURE
from tests.providers.servers import KEY, Dialect, chat_parts

VERSION = "2024-10-21"


def create(name: str, address: str, options: Mapping[str, Any]) -> Provider:
    service = presets.SERVICES[name]
    environment = {service.keys[0]: KEY, service.urls[0]: f"{address}/v1"}
    return presets.create(name, "m", ProviderSetup(environment=environment, options=options))


def in_azure(version: str, address: str, options: Mapping[str, Any], model: str = "m") -> Provider:
    environment = {AZURE.keys[0]: KEY, AZURE.urls[0]: address, AZURE.versions[0]: version}
    return azure.create(model, ProviderSetup(environment=environment, options=options))


def roles(body: Any) -> list[str]:
    """Without what only stands between a result and the words of a person."""
    return [message["role"] for message in body["messages"] if message["content"] != NOTHING]


def _chat(name: str, path: str, create: Any) -> Dialect:
    return Dialect(
        name, path, "text/event-stream", create, chat_parts, b"data: {broken\n\n", roles=roles
    )


PRESETS = (
    *(
        _chat(name, "/v1/chat/completions", partial(create, name))
        for name, service in presets.SERVICES.items()
        if service.dialect == "compatible"
    ),
    _chat("azure", "/openai/v1/chat/completions", partial(in_azure, "")),
    _chat(
        "azure-version",
        f"/openai/deployments/m/chat/completions?api-version={VERSION}",
        partial(in_azure, VERSION),
    ),
)
