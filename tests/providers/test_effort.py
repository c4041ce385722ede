"""How hard to think, as each provider is told: against a real server that keeps what it was sent."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.messages import Request, UserMessage
from agent_tui.protocol.ops import EFFORTS
from agent_tui.providers import anthropic, gemini, ollama, openai
from agent_tui.providers.base import Provider, ProviderSetup
from agent_tui.providers.facts import effort as _effort
from agent_tui.providers.facts import presets
from agent_tui.providers.facts.effort import heeds
from tests.agent.model_server import model_server, status

REQUEST = Request("", (UserMessage("hi"),), max_tokens=32_000)


def test_the_nearest_level_is_taken_and_the_lower_of_two() -> None:
    three = ("low", "medium", "high")
    assert [_effort.nearest_level(one, three) for one in EFFORTS] == [
        "low",
        "low",
        "low",
        "medium",
        "high",
        "high",
        "high",
    ]
    assert _effort.nearest_level("medium", ("low", "high")) == "low"
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
        (
            "openai",
            "gpt-5",
            "max",
            {"api": "responses"},
            "reasoning",
            {"effort": "high", "summary": "auto"},
        ),
        ("openai", "gpt-5", "minimal", {"api": "chat"}, "reasoning_effort", "minimal"),
        ("openai", "o3", "minimal", {"api": "chat"}, "reasoning_effort", "low"),
        ("openai", "gpt-5", "", {"api": "chat", "think": "xhigh"}, "reasoning_effort", "xhigh"),
        ("openai", "gpt-4.1", "high", {"api": "chat"}, "reasoning_effort", None),
        (
            "openai",
            "gpt-5.1",
            "minimal",
            {"api": "chat"},
            "reasoning_effort",
            "none",
        ),  # it refuses minimal
        ("openai", "gpt-5.1", "max", {"api": "chat"}, "reasoning_effort", "high"),
        ("openai", "gpt-5-codex", "none", {"api": "chat"}, "reasoning_effort", "low"),
        ("openai", "gpt-5.2-codex", "max", {"api": "chat"}, "reasoning_effort", "xhigh"),
        ("openai", "gpt-5-pro", "low", {"api": "chat"}, "reasoning_effort", "high"),
        ("openai", "gpt-5.6-sol", "max", {"api": "chat"}, "reasoning_effort", "xhigh"),
        (
            "openai",
            "gpt-6-luna",
            "max",
            {"api": "responses"},
            "reasoning",
            {"effort": "max", "summary": "auto"},
        ),
        (
            "openai",
            "gpt-6.1-sol",
            "none",
            {"api": "responses"},
            "reasoning",
            {"effort": "low", "summary": "auto"},
        ),
        ("openai", "gpt-10", "max", {"api": "chat"}, "reasoning_effort", "max"),
        ("anthropic", "claude-opus-4-6", "high", {}, "output_config", {"effort": "high"}),
        ("anthropic", "claude-opus-4-6", "", {"think": "low"}, "output_config", {"effort": "low"}),
        (
            "anthropic",
            "claude-opus-4-6",
            "max",
            {"think": "low"},
            "output_config",
            {"effort": "max"},
        ),
        ("anthropic", "claude-opus-4-6", "none", {}, "thinking", None),
        ("anthropic", "claude-3-haiku-20240307", "high", {}, "thinking", None),
        ("openrouter", "x/y", "low", {}, "reasoning", {"effort": "low"}),
        ("openrouter", "x/y", "none", {}, "reasoning", {"enabled": False}),
        ("openrouter", "x/y", "", {}, "reasoning", None),
        ("zhipu", "glm-4.6", "none", {}, "thinking", {"type": "disabled"}),
        ("zhipu", "glm-5.3", "medium", {}, "reasoning_effort", "low"),
        ("zhipu", "glm-5.3", "none", {}, "thinking", None),
        ("zhipu", "glm-4-plus", "high", {}, "thinking", None),
        ("deepseek", "deepseek-chat", "high", {}, "reasoning_effort", None),
        ("deepseek", "deepseek-v4-pro", "medium", {}, "reasoning_effort", "high"),
        ("deepseek", "deepseek-v4-pro", "low", {}, "thinking", {"type": "enabled"}),
        ("deepseek", "deepseek-v4-flash", "none", {}, "thinking", {"type": "disabled"}),
        ("deepseek", "deepseek-v4-flash", "none", {}, "reasoning_effort", None),
        ("moonshot", "kimi-k2.6", "none", {}, "thinking", {"type": "disabled"}),
        ("moonshot", "kimi-k2.7-code", "none", {}, "thinking", None),
        ("moonshot", "kimi-k3", "xhigh", {}, "reasoning_effort", "high"),
        ("moonshot", "moonshot-v1-8k", "high", {}, "thinking", None),
        ("mistral", "mistral-small-latest", "medium", {}, "reasoning_effort", "high"),
        ("mistral", "mistral-medium-3-5", "low", {}, "reasoning_effort", "none"),
        ("mistral", "mistral-large-4-0", "none", {}, "reasoning_effort", "low"),
        ("mistral", "mistral-large-2512", "high", {}, "reasoning_effort", None),
        ("mistral", "magistral-medium-latest", "high", {}, "reasoning_effort", None),
        ("qwen", "qwen-plus", "low", {}, "enable_thinking", True),
        ("qwen", "qwen-plus", "low", {}, "thinking_budget", 4_096),
        ("qwen", "qwen3.8-max", "max", {}, "thinking_budget", None),
        ("qwen", "qwen3-max", "none", {}, "enable_thinking", False),
        ("qwen", "qwen3-coder-plus", "high", {}, "enable_thinking", None),
        ("qwen", "qwen3-235b-a22b-thinking-2507", "none", {}, "enable_thinking", None),
        ("qwen", "qwq-plus", "high", {}, "thinking_budget", 16_384),
        ("together", "openai/gpt-oss-120b", "max", {}, "reasoning_effort", "high"),
        ("together", "zai-org/GLM-5.3", "max", {}, "reasoning_effort", "max"),
        ("together", "moonshotai/Kimi-K2.6", "none", {}, "reasoning", {"enabled": False}),
        ("together", "MiniMaxAI/MiniMax-M2.7", "high", {}, "reasoning", None),
    ],
)
def test_each_provider_is_told_in_its_own_words(
    name: str, model: str, effort: str, options: dict[str, Any], key: str, told: Any
) -> None:
    assert asyncio.run(sent(name, model, effort, **options)).get(key) == told


def test_whether_a_model_can_be_asked_is_known() -> None:
    can = [
        ("openai", "gpt-5"),
        ("anthropic", "claude-opus-4-6"),
        ("gemini", "gemini-2.5-pro"),
        ("ollama", "x"),
        ("openrouter", "any/thing"),
        ("qwen", "qwen-flash"),
    ]
    cannot = [
        ("openai", "gpt-4.1"),
        ("anthropic", "claude-3-haiku-20240307"),
        ("gemini", "gemini-2.0-flash"),
        ("deepseek", "deepseek-chat"),
        ("qwen", "qwen3-coder-plus"),
        ("acme", "m"),
        ("vllm", "m"),
        ("scripted", "a.json"),
    ]
    assert all(heeds(*one) for one in can) and not any(heeds(*one) for one in cannot)


@pytest.mark.parametrize(
    ("model", "effort", "told"),
    [
        ("gemini-3-pro", "high", {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3-pro-preview", "medium", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3.1-pro-preview", "minimal", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3.1-pro-preview", "none", {"thinkingLevel": "low"}),
        ("gemini-3.5-flash", "none", {"thinkingLevel": "minimal"}),
        ("gemini-3.1-flash-lite", "minimal", {"includeThoughts": True, "thinkingLevel": "minimal"}),
        ("gemini-3.8-flash", "minimal", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-flash-latest", "none", {"thinkingLevel": "low"}),
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
    [
        ("gpt-oss:20b", "max", "high"),
        ("qwen3", "low", True),
        ("qwen3", "none", False),
        ("qwen3", "", "own"),
    ],
)
def test_ollama_is_told_a_level_only_where_the_model_has_some(
    model: str, effort: str, told: Any
) -> None:
    provider = ollama.create(model, ProviderSetup("http://127.0.0.1:1", options={"think": "own"}))
    body = provider._body(
        replace(REQUEST, effort=effort), ollama.OllamaFacts(8_192, True, True, False)
    )
    assert (
        b'"think":%s' % {"high": b'"high"', "own": b'"own"', True: b"true", False: b"false"}[told]
        in body
    )
