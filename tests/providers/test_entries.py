"""What servers say of their models in their lists, each in its own words."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.facts import presets
from agent_tui.providers.facts.model_entries import Told, entry_facts
from tests.providers.servers import serving

KIMI = {
    "id": "kimi-k3",
    "context_length": 1_048_576,
    "supports_image_in": True,
    "supports_reasoning": True,
}
MISTRAL = {
    "id": "codestral-2", "max_context_length": 256_000,
    "capabilities": {"completion_chat": True, "function_calling": True, "vision": False},
}  # fmt: skip
ROUTED = {
    "id": "x/y", "context_length": 131_072, "architecture": {"input_modalities": ["text", "image"]},
    "supported_parameters": ["max_tokens", "tools"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (KIMI, Told(1_048_576, None, True, True)),
        (MISTRAL, Told(256_000, True, None, False)),
        ({"id": "ocr", "capabilities": {"completion_chat": False}}, Told(chats=False)),
        ({"id": "ada", "capabilities": {"embeddings": True, "inference": True}}, Told(chats=False)),
        ({"id": "gpt", "capabilities": {"embeddings": False, "chat_completion": True}}, Told()),
        (ROUTED, Told(131_072, True, False, True)),
        ({"id": "x/z", "supported_parameters": []}, Told(0, False, False)),
        ({"id": "m", "max_model_len": 4_096}, Told(4_096)),
        ({"id": "m", "meta": {"n_ctx": 8_192}}, Told(8_192)),
        ({"id": "m"}, Told()),
        (
            {
                "capabilities": ["vision"],
                "architecture": 5,
                "meta": [1],
                "supports_reasoning": "yes",
            },
            Told(),
        ),
    ],
)
def test_each_server_has_its_words(entry: dict[str, Any], expected: Told) -> None:
    assert entry_facts(entry) == expected


@pytest.mark.parametrize(
    ("name", "entries", "expected"),
    [
        (
            "moonshot",
            [KIMI],
            [ModelInfo("moonshot/kimi-k3", 1_048_576, 1_048_576, None, True, True)],
        ),
        (
            "mistral",
            [MISTRAL, {"id": "ocr", "capabilities": {"completion_chat": False}}],
            [ModelInfo("mistral/codestral-2", 256_000, 256_000, True, None, False)],
        ),
        (
            "openrouter",
            [ROUTED],
            [ModelInfo("openrouter/x/y", 131_072, 131_072, True, False, True)],
        ),
    ],
)
def test_what_is_told_is_listed(name: str, entries: list[Any], expected: list[ModelInfo]) -> None:
    async def scenario() -> list[ModelInfo]:
        async with serving({"/v1/models": lambda _, c: c.json({"data": entries})}) as server:
            provider = presets.create(name, "m", ProviderSetup(f"{server.address}/v1", "k" * 9))
            found = await provider.models()
            await provider.close()
            return list(found)

    assert asyncio.run(scenario()) == expected
