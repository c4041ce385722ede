"""OpenAI, or whatever `OPENAI_BASE_URL` names: the compatible provider with OpenAI's own variables and fields."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.compatible import CompatibleProvider, Server, address

BASE_URL: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
URL: Final = "OPENAI_BASE_URL"
_NO_CHAT: Final = re.compile(
    r"embedding|whisper|tts|dall-e|image|audio|realtime|moderation|transcribe|babbage|davinci|sora|instruct|search"
)


def create(model: str, setup: ProviderSetup) -> OpenAIProvider:
    environment = setup.environment
    key = setup.api_key or environment.get(KEY, "").strip()
    base_url = setup.base_url or environment.get(URL, "").strip() or BASE_URL
    own = is_own(base_url)
    server = Server(
        "openai", address(base_url), key, setup.options,
        label="OpenAI" if own else "the server",
        auth=f"check {KEY}",
        limit_field="max_completion_tokens" if own else "max_tokens",  # who imitates OpenAI knows the older name
    )  # fmt: skip
    return OpenAIProvider(model, server)


def is_own(base_url: str) -> bool:
    """Whether this is OpenAI itself."""
    return base_url.startswith(BASE_URL)


class OpenAIProvider(CompatibleProvider):
    async def models(self) -> tuple[ModelInfo, ...]:
        """The models that chat: OpenAI's list holds all kinds."""
        return tuple(info for info in await super().models() if not _NO_CHAT.search(info.name))
