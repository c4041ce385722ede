"""Services that refuse an answer in a history without what was thought for it: Moonshot's Kimi and
DeepSeek, by themselves or behind OpenRouter. Whoever wrote the history, they take it; thoughts of
others stay with the others."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.dialects.chat_completions import message
from agent_tui.providers.dialects.chat_quirks import NO_THOUGHT, wants_thoughts
from agent_tui.providers.facts import presets
from tests.providers.cases import failed, finished
from tests.providers.servers import Connection, Received, chat_parts, played, serving, text

OWN = json.dumps({"reasoning": "reasoning_content"})
CALL = ToolCall("call_1", "ls", "{}")


def session(provider: str, state: str, reasoning: str = "Zweifel") -> Request:
    called = AssistantMessage("Looking.", reasoning, (CALL,), provider, state)
    answered = AssistantMessage("Done.", reasoning, (), provider, state)
    history: tuple[Message, ...] = (
        UserMessage("go"),
        called,
        ToolMessage("call_1", "ls", "a.py"),
        answered,
    )
    return Request("s", (*history, UserMessage("and now?")))


async def strict(received: Received, to: Connection) -> None:
    """As their servers do it."""
    for number, one in enumerate(received.json["messages"]):
        if one["role"] == "assistant" and not one.get("reasoning_content"):
            said = f"thinking is enabled but reasoning_content is missing in assistant message at index {number}"
            await to.json({"error": {"message": said, "type": "invalid_request_error"}}, 400)
            return
    await to.stream(chat_parts([text("ok")], "stop"))


async def asked(
    service: str, model: str, request: Request
) -> tuple[list[Any], list[dict[str, Any]]]:
    async with serving({"/v1/chat/completions": strict}) as server:
        provider = presets.create(service, model, ProviderSetup(f"{server.address}/v1", "key"))
        items = await played(provider, request)
        await provider.close()
        [body] = server.bodies("/v1/chat/completions")
        found: list[dict[str, Any]] = json.loads(body)["messages"]
        return items, found


@pytest.mark.parametrize(
    ("service", "model"),
    [
        ("moonshot", "kimi-k2.6"),
        ("moonshot", "kimi-k3"),
        ("deepseek", "deepseek-flash"),
        ("deepseek", "deepseek-v4-pro"),
        ("openrouter", "moonshotai/kimi-k3"),
        ("openrouter", "deepseek/deepseek-v4-pro"),
    ],
)
@pytest.mark.parametrize(
    ("writer", "state"), [("own", OWN), ("own", ""), ("anthropic", OWN), ("ollama", "")]
)
def test_a_history_of_anybody_is_taken(service: str, model: str, writer: str, state: str) -> None:
    request = session(service if writer == "own" else writer, state)
    items, sent = asyncio.run(asked(service, model, request))
    assert finished(items).stop_reason == "stop"
    thoughts = [one["reasoning_content"] for one in sent if one["role"] == "assistant"]
    assert thoughts == (["Zweifel"] * 2 if writer == "own" and state else [NO_THOUGHT] * 2)


def test_an_own_answer_without_a_thought_is_taken_too() -> None:
    items, _ = asyncio.run(asked("moonshot", "kimi-k3", session("moonshot", OWN, "")))
    assert finished(items).stop_reason == "stop"


def test_who_does_not_ask_for_it_gets_none() -> None:
    for service, model in (
        ("moonshot", "moonshot-v1-32k"),
        ("deepseek", "deepseek-chat"),
        ("qwen", "qwen3.8-max"),
        ("zhipu", "glm-5.3"),
        ("openrouter", "openai/gpt-6-sol"),
        ("vllm", "kimi-k3"),
    ):
        assert not wants_thoughts(service, model), (service, model)
        items, sent = asyncio.run(asked(service, model, session("anthropic", "")))
        assert failed(items, "bad_request") and not any("reasoning_content" in one for one in sent)


def test_blocks_of_the_same_model_go_back_instead() -> None:
    state = json.dumps(
        {"model": "moonshotai/kimi-k3", "details": [{"type": "reasoning.text", "text": "hm"}]}
    )
    given = AssistantMessage("Looking.", "hm", (CALL,), "openrouter", state)
    wired = message(given, "openrouter", "moonshotai/kimi-k3")
    assert wired is not None and wired["reasoning_details"] and "reasoning_content" not in wired
    other = message(given, "openrouter", "deepseek/deepseek-v4-pro")
    assert (
        other is not None
        and "reasoning_details" not in other
        and other["reasoning_content"] == NO_THOUGHT
    )
