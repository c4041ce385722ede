"""How hard to think, as each provider is told: against a real server that keeps what it was sent."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.messages import Request, UserMessage
from agent_tui.protocol.ops import EFFORTS
from agent_tui.providers import _effort, anthropic, gemini, ollama, openai, presets
from agent_tui.providers.base import Provider, ProviderSetup
from tests.agent.model_server import model_server, status

REQUEST = Request("", (UserMessage("hi"),), max_tokens=32_000)


def test_the_nearest_level_is_taken_and_the_lower_of_two() -> None:
    three = ("low", "medium", "high")
    assert [_effort.nearest(one, three) for one in EFFORTS] == ["low", "low", "low", "medium", "high", "high", "high"]
    assert _effort.nearest("medium", ("low", "high")) == "low"
    assert _effort.level("", "own", three) == "own" and _effort.level("none", "own", three) is False


def made(name: str, model: str, address: str, **options: Any) -> Provider:
    setup = ProviderSetup(address, "key", options=options)
    makers: dict[str, Any] = {"openai": openai, "anthropic": anthropic, "gemini": gemini}
    if name in makers:
        provider: Provider = makers[name].create(model, setup)
        return provider
    return presets.create(name, model, setup)


async def sent(name: str, model: str, effort: str, **options: Any) -> dict[str, Any]:
    """The body that a server gets."""
    with model_server(status(400, "no")) as server:
        provider = made(name, model, server.address, **options)
        async with aclosing(provider.stream(replace(REQUEST, effort=effort))) as items:
            assert [item async for item in items]
        await provider.close()
    [body] = server.bodies
    return body


@pytest.mark.parametrize(
    ("name", "model", "effort", "options", "key", "told"),
    [
        ("openai", "gpt-5", "max", {"api": "responses"}, "reasoning", {"effort": "high", "summary": "auto"}),
        ("openai", "gpt-5", "minimal", {"api": "chat"}, "reasoning_effort", "minimal"),
        ("openai", "o3", "minimal", {"api": "chat"}, "reasoning_effort", "low"),
        ("openai", "gpt-5", "", {"api": "chat", "think": "xhigh"}, "reasoning_effort", "xhigh"),
        ("openai", "gpt-4.1", "high", {"api": "chat"}, "reasoning_effort", None),
        ("anthropic", "claude-opus-4-6", "high", {}, "output_config", {"effort": "high"}),
        ("anthropic", "claude-opus-4-6", "", {"think": "low"}, "output_config", {"effort": "low"}),
        ("anthropic", "claude-opus-4-6", "max", {"think": "low"}, "output_config", {"effort": "max"}),
        ("anthropic", "claude-opus-4-6", "none", {}, "thinking", None),
        ("anthropic", "claude-3-haiku-20240307", "high", {}, "thinking", None),
        ("openrouter", "x/y", "low", {}, "reasoning", {"effort": "low"}),
        ("openrouter", "x/y", "none", {}, "reasoning", {"enabled": False}),
        ("openrouter", "x/y", "", {}, "reasoning", None),
        ("zhipu", "glm-4.6", "none", {}, "thinking", {"type": "disabled"}),
        ("deepseek", "deepseek-chat", "high", {}, "reasoning_effort", None),
    ],
)
def test_each_provider_is_told_in_its_own_words(
    name: str, model: str, effort: str, options: dict[str, Any], key: str, told: Any
) -> None:
    assert asyncio.run(sent(name, model, effort, **options)).get(key) == told


@pytest.mark.parametrize(
    ("model", "effort", "told"),
    [
        ("gemini-3-pro", "high", {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-2.5-flash", "max", {"includeThoughts": True, "thinkingBudget": 24_576}),
        ("gemini-2.5-flash", "none", {"thinkingBudget": 0}),
        ("gemini-2.0-flash", "high", None),
    ],
)
def test_gemini_is_told_a_level_or_a_number_of_tokens(model: str, effort: str, told: Any) -> None:
    config = asyncio.run(sent("gemini", model, effort))["generationConfig"]
    assert config.get("thinkingConfig") == told


@pytest.mark.parametrize(
    ("model", "effort", "told"),
    [("gpt-oss:20b", "max", "high"), ("qwen3", "low", True), ("qwen3", "none", False), ("qwen3", "", "own")],
)
def test_ollama_is_told_a_level_only_where_the_model_has_some(model: str, effort: str, told: Any) -> None:
    provider = ollama.create(model, ProviderSetup("http://127.0.0.1:1", options={"think": "own"}))
    body = provider._body(replace(REQUEST, effort=effort), ollama.Facts(8_192, True, True, False))
    assert b'"think":%s' % {"high": b'"high"', "own": b'"own"', True: b"true", False: b"false"}[told] in body
