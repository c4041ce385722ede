"""OpenAI's models in Azure, or behind any gateway of its kind: deployments, a version of the API, a
key of its own.

The name of a model is that of its deployment. With a version (`AZURE_OPENAI_API_VERSION`, or
`api_version` under [providers.azure]) a deployment has an address of its own; without, the newer
address is for all of them. What a deployment is, only its name can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Self
from urllib.parse import quote, urlsplit

from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers import compatible
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.openai import OpenAIProvider
from agent_tui.providers.openai import effort as effort
from agent_tui.providers.services.openai import AZURE


def create(model: str, setup: ProviderSetup) -> AzureProvider:
    resource = setup.base_url or AZURE.url(setup.environment)
    if not resource:
        where = f"set {AZURE.urls[0]}, or base_url under [providers.azure] in config.toml"
        raise LookupError(
            f"{f'azure/{model}'.rstrip('/')} needs the address of your resource: {where}"
        )
    version = str(setup.options.get("api_version") or AZURE.version(setup.environment))
    return AzureProvider(model, setup, compatible.address(resource), version)


class AzureProvider(OpenAIProvider):
    """One deployment of a resource. Responses are only spoken at the address for all of them."""

    def __init__(self, model: str, setup: ProviderSetup, resource: str, version: str) -> None:
        self._resource, self._setup = resource, setup
        self._version = "" if setup.options.get("api") == "responses" else version
        super().__init__(model, self._deployment(model))

    def with_model(self, model: str) -> Self:
        """The same resource with another deployment."""
        return type(self)(model, self._setup, self._resource, self._version)

    def _responding(self, options: Mapping[str, object]) -> OpenAIProvider:
        return type(self)(self.model, replace(self._setup, options=options), self._resource, "")

    async def models(self) -> tuple[ModelInfo, ...]:
        """The deployment itself where each has its own address: a key cannot ask for the others
        there."""
        if not self._version:
            return await super().models()
        return (self._described(self.model),) if self.model else ()

    def _deployment(self, model: str) -> compatible.Server:
        resource = self._resource.removesuffix("/openai")
        whole = "/openai" in urlsplit(resource).path
        base, query = resource if whole else f"{resource}/openai/v1", ""
        if self._version:
            base = f"{base.removesuffix('/v1')}/deployments/{quote(model, safe='')}"
            query = f"?api-version={quote(self._version, safe='')}"
        key = self._setup.api_key or AZURE.key(self._setup.environment)
        return compatible.Server(
            AZURE.name,
            base,
            key,
            self._setup.options,
            label=AZURE.label,
            auth=self._setup.key_advice or f"check {AZURE.keys[0]}",
            limit_field="max_completion_tokens",
            header="api-key",
            query=query,
            quirks=AZURE.quirks,
        )
