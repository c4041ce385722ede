"""Our wire formats against somebody else's server: npm's `@copilotkit/aimock`, started on a free
port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.providers import anthropic, azure, compatible, gemini, ollama, openai
from agent_tui.providers.base import (
    Failed,
    Finished,
    Provider,
    ProviderSetup,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.providers.facts import presets

pytestmark = pytest.mark.peers

TOOLS = tuple(
    ToolSpec(name, "A tool.", {"type": "object", "properties": {}})
    for name in ("list_files", "read_file")
)


def ollama_at(address: str) -> Provider:
    return ollama.create("m", ProviderSetup(base_url=address))


def compatible_at(address: str) -> Provider:
    return compatible.create("m", ProviderSetup(base_url=f"{address}/v1", api_key="sk-test"))


def responses_at(address: str) -> Provider:
    return openai.create(
        "gpt-5", ProviderSetup(f"{address}/v1", "sk-test", options={"api": "responses"})
    )


def mistral_at(address: str) -> Provider:
    return presets.create(
        "mistral", "mistral-small-latest", ProviderSetup(f"{address}/v1", "sk-test")
    )


def azure_at(address: str) -> Provider:
    return azure.create(
        "gpt-5", ProviderSetup(address, "sk-test", options={"api_version": "2024-10-21"})
    )


def anthropic_at(address: str) -> Provider:
    return anthropic.create("claude-opus-5-5", ProviderSetup(base_url=address, api_key="sk-test"))


def gemini_at(address: str) -> Provider:
    return gemini.create("gemini-3-pro-preview", ProviderSetup(base_url=address, api_key="sk-test"))


Create = Callable[[str], Provider]
DIALECTS = {
    "ollama": ollama_at,
    "compatible": compatible_at,
    "responses": responses_at,
    "mistral": mistral_at,
    "azure": azure_at,
    "anthropic": anthropic_at,
    "gemini": gemini_at,
}
each = pytest.mark.parametrize("create", DIALECTS.values(), ids=DIALECTS)


def played(provider: Provider, *requests: Request) -> list[list[StreamItem]]:
    async def scenario() -> list[list[StreamItem]]:
        found = [[item async for item in provider.stream(request)] for request in requests]
        await provider.close()
        return found

    return asyncio.run(scenario())


@each
def test_text(aimock: str, create: Create) -> None:
    (items,) = played(create(aimock), Request("Be kind.", (UserMessage("say hello"),), TOOLS))
    assert "".join(item.text for item in items if isinstance(item, TextChunk)) == "Hello, wörld 🎉!"
    end = items[-1]
    assert isinstance(end, Finished) and end.stop_reason == "stop" and not end.calls
    if create not in (
        ollama_at,
        mistral_at,
    ):  # Mistral tells usage unasked, this server only when it is asked to
        assert end.usage is not None and end.usage.completion_tokens > 0


@each
def test_tool_calls_and_their_results(aimock: str, create: Create) -> None:
    asked = UserMessage("look around")
    (items,) = played(create(aimock), Request("", (asked,), TOOLS))
    end = items[-1]
    assert isinstance(end, Finished) and end.stop_reason == "tool_calls"
    assert [(c.name, json.loads(c.arguments)) for c in end.calls] == [
        ("list_files", {"path": "."}),
        ("read_file", {"path": "ä.py"}),
    ]
    results = tuple(ToolMessage(c.id, c.name, "ä.py") for c in end.calls)
    history: tuple[Message, ...] = (
        asked,
        AssistantMessage("", calls=end.calls, provider="x"),
        *results,
    )
    (items,) = played(create(aimock), Request("", history, TOOLS))
    assert (
        "".join(item.text for item in items if isinstance(item, TextChunk)) == "There is one file."
    )


@each
def test_a_rate_limit(aimock: str, create: Create) -> None:
    (items,) = played(create(aimock), Request("", (UserMessage("too fast"),)))
    (end,) = items
    assert isinstance(end, Failed)
    assert (end.kind, end.may_pass, end.retry_after) == ("rate_limited", True, 3.0)
    assert "slow down" in end.text and aimock in end.text


def test_thoughts_go_back_signed(aimock: str) -> None:
    """This server refuses a turn that goes on with thinking but without the signed thoughts that it
    began with."""

    def ask(*history: Message) -> list[StreamItem]:
        provider = anthropic.create(
            "claude-haiku-4-5", ProviderSetup(base_url=aimock, api_key="sk-test")
        )
        asked: list[Message] = [UserMessage("think of it"), *history]
        return played(provider, Request("", tuple(asked), TOOLS))[0]

    items = ask()
    end = items[-1]
    assert isinstance(end, Finished) and [call.arguments for call in end.calls] == ["{}"]
    reasoning = "".join(item.text for item in items if isinstance(item, ThinkingChunk))
    assert reasoning == "Öhm, 🤔 a list first."
    result = ToolMessage(end.calls[0].id, "list_files", "a.py")
    for provider in (
        "anthropic",
        "ollama",
    ):  # of another provider: the turn goes on without thinking
        items = ask(AssistantMessage("", reasoning, end.calls, provider, end.state), result)
        assert "".join(item.text for item in items if isinstance(item, TextChunk)) == "Thought so."
