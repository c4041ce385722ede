"""OpenAI over its Responses, or whatever `OPENAI_BASE_URL` names: the compatible provider with
OpenAI's own variables.

`api` under [providers.openai] says which of the two dialects to speak, where the address does not.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Final

from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.providers.base import ProviderSetup, StreamItem
from agent_tui.providers.compatible import CompatibleProvider, Server, address
from agent_tui.providers.dialects import responses as dialect
from agent_tui.providers.dialects.responses import ResponsesAnswer
from agent_tui.providers.services.base import Fields, nearest_level
from agent_tui.providers.services.openai import OPENAI, levels_of, reasons
from agent_tui.providers.wire.http import host_of
from agent_tui.providers.wire.stream import unless_refused
from agent_tui.structures import late
from agent_tui.structures.vocabulary import EFFORTS

_NO_CHAT: Final = late.pattern(
    r"embedding|whisper|tts|dall-e|image|audio|realtime|moderation|transcribe|babbage|davinci|sora|instruct|search"
)
_NO_CHAT_WITH_TOOLS: Final = late.pattern(r"tools.* not supported .*/v1/responses", re.IGNORECASE)
"""Said by OpenAI and Azure from GPT-5.4 on, where a model is asked to think too; from 5.6 on
wherever it may."""
_NO_SUMMARY: Final = late.pattern(r"reasoning[ ._]summar", re.IGNORECASE)


def create(model: str, setup: ProviderSetup) -> OpenAIProvider:
    key = setup.api_key or OPENAI.key(setup.environment)
    base_url = setup.base_url or OPENAI.url(setup.environment) or OPENAI.base_url
    own = is_own(base_url)
    server = Server(
        OPENAI.name,
        address(base_url),
        key,
        setup.options,
        label=OPENAI.label if own else "the server",
        auth=setup.key_advice or f"check {OPENAI.keys[0]}",
        limit_field="max_completion_tokens"
        if own
        else "max_tokens",  # who imitates OpenAI knows the older name
    )
    return OpenAIProvider(model, server)


def is_own(base_url: str) -> bool:
    """Whether this is OpenAI itself."""
    return base_url.startswith(OPENAI.base_url)


def effort(_: str, model: str, wanted: str) -> Fields | None:
    """What a request says of how hard to think; None: it makes no difference."""
    return {"reasoning_effort": _level(model, wanted, "")} if reasons(model) else None


def _level(model: str, wanted: str, own: str) -> str:
    """One of the levels that the model takes; `own`, the person's word for this provider, is sent
    as it is."""
    return nearest_level(wanted, levels_of(model)) if wanted in EFFORTS else own


class OpenAIProvider(CompatibleProvider):
    def __init__(self, model: str, server: Server) -> None:
        super().__init__(model, server)
        usual = "responses" if is_own(self.base_url) else "chat"
        self.responds: bool = self._options.get("api", usual) == "responses"
        self._effort = str(self._options.get("think") or "")
        self._summary = True
        self._instead: OpenAIProvider | None = None

    async def models(self) -> tuple[ModelInfo, ...]:
        """The models that chat: OpenAI's own list holds all kinds. Other servers name theirs as
        they like."""
        found = await super().models()
        return (
            tuple(info for info in found if not _NO_CHAT.search(info.name))
            if is_own(self.base_url)
            else found
        )

    @property
    def _takes_temperature(self) -> bool:
        return not reasons(self.model)

    def _asked_for(self, request: Request) -> str:
        return _level(self.model, request.effort, self._effort)

    def _beside(self, request: Request) -> Fields:
        effort = self._asked_for(request)
        thinks = {"reasoning_effort": effort} if effort and reasons(self.model) else {}
        return {**thinks, **dialect.cache_key(request)} if is_own(self.base_url) else thinks

    def stream(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        if self._instead is not None:
            return self._instead.stream(request)
        if not self.responds:
            return unless_refused(
                super().stream(request), _NO_CHAT_WITH_TOOLS, lambda: self._switched(request)
            )
        return unless_refused(
            self._responses(request), _NO_SUMMARY, lambda: self._without_summary(request)
        )

    def _without_summary(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        """Only some may read what a model thinks; the others get its answers all the same."""
        self._summary = False
        return self._responses(request)

    def _switched(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        """Newer models take tools over Responses alone, or do not think."""
        self._instead = self._instead or self._responding({**self._options, "api": "responses"})
        return self._instead.stream(request)

    def _responding(self, options: Mapping[str, object]) -> OpenAIProvider:
        return type(self)(self.model, replace(self._server, options=options))

    async def close(self) -> None:
        await super().close()
        if self._instead is not None:
            await self._instead.close()

    def _responses(self, request: Request) -> AsyncGenerator[StreamItem, None]:
        origin = dialect.Origin(self.name, host_of(self.base_url), self.model)
        most = self._most(request)
        effort, own = self._asked_for(request), is_own(self.base_url)
        body = dialect.body(request, origin, most, effort, self._summary, self._streams, own)
        return self._asked("/responses", body, ResponsesAnswer(request, self._wire.place, origin))
