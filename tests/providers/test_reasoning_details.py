"""Blocks of reasoning as OpenRouter tells them: put together, kept, given back to the model that
wrote them alone."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers.base import (
    Finished,
    Provider,
    ProviderSetup,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from agent_tui.providers.facts import presets
from tests.agent.model_server import model_server, said, streamed
from tests.providers.cases import joined

FORMAT = {"format": "anthropic-claude-v1", "index": 0}
CLAUDE = [
    {"type": "reasoning.text", "text": "First, ", "signature": None, **FORMAT},
    {"type": "reasoning.text", "text": "a läst.", **FORMAT},
    {"type": "reasoning.text", "signature": "c2ln", **FORMAT},
    {
        "type": "reasoning.encrypted",
        "data": "Z2VoZWlt",
        "id": "r1",
        "format": "openai-responses-v1",
        "index": 1,
    },
    {
        "type": "reasoning.encrypted",
        "data": "bm9jaA==",
        "id": "r2",
        "format": "openai-responses-v1",
        "index": 1,
    },
]
WHOLE = [
    {"type": "reasoning.text", "text": "First, a läst.", "signature": "c2ln", **FORMAT},
    *CLAUDE[3:],
]


def made(address: str, model: str = "anthropic/claude", name: str = "openrouter") -> Provider:
    return presets.create(name, model, ProviderSetup(address, "key"))


def answered(*deltas: dict[str, Any]) -> list[StreamItem]:
    async def asked() -> list[StreamItem]:
        with model_server(streamed(*deltas)) as server:
            provider = made(server.address)
            async with aclosing(provider.stream(Request("", (UserMessage("go"),)))) as items:
                found = [item async for item in items]
            await provider.close()
            return found

    return asyncio.run(asked())


def state(*deltas: dict[str, Any]) -> str:
    end = answered(*deltas)[-1]
    assert isinstance(end, Finished)
    return end.state


def given_back(
    kept: AssistantMessage, model: str = "anthropic/claude", name: str = "openrouter"
) -> dict[str, Any]:
    """The answer as a later request holds it."""
    results = tuple(ToolMessage(call.id, call.name, "ok") for call in kept.calls)

    async def asked() -> None:
        provider = made(server.address, model, name)
        async with aclosing(
            provider.stream(Request("", (UserMessage("go"), kept, *results)))
        ) as items:
            assert [item async for item in items]
        await provider.close()

    with model_server(said("done")) as server:
        asyncio.run(asked())
        found: dict[str, Any] = server.messages[0][1]
        return found


def test_pieces_become_the_blocks_that_they_are_pieces_of() -> None:
    items = answered(*({"reasoning_details": [one]} for one in CLAUDE), {"content": "Done."})
    assert joined(items, ThinkingChunk) == "First, a läst." and joined(items, TextChunk) == "Done."
    end = items[-1]
    assert isinstance(end, Finished)
    assert json.loads(end.state) == {"model": "anthropic/claude", "details": WHOLE}


def test_thoughts_that_are_told_twice_are_shown_once() -> None:
    items = answered(
        {"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}
    )
    assert joined(items, ThinkingChunk) == "Hm."


@pytest.mark.parametrize("calls", [(), (ToolCall("c1", "ls", "{}"),)])
def test_they_go_back_to_the_model_that_wrote_them_and_to_nobody_else(
    calls: tuple[ToolCall, ...],
) -> None:
    kept = AssistantMessage(
        "Done.", "First", calls, "openrouter", state({"reasoning_details": CLAUDE})
    )
    assert given_back(kept)["reasoning_details"] == WHOLE
    for other in (
        given_back(kept, "google/gemini"),
        given_back(kept, name="together"),
        given_back(replace(kept, provider="together")),
    ):
        assert not {"reasoning_details", "reasoning", "reasoning_content"} & set(other)
        assert other["content"] == "Done." and len(other.get("tool_calls", ())) == len(calls)


@pytest.mark.parametrize("odd", ["text", [1, "x", None], {"a": 1}, [], None])
def test_what_are_no_blocks_is_nothing(odd: Any) -> None:
    assert state({"content": "x", "reasoning_details": odd}) == ""


def test_what_no_json_can_hold_is_not_kept() -> None:
    assert state({"content": "x", "reasoning_details": [{"type": "t", "n": float("nan")}]}) == ""


@pytest.mark.parametrize(
    "broken", ["{", "[1]", '{"details": 1}', '{"details": [1, {"type": "t"}], "model": "no"}']
)
def test_a_state_that_is_none_of_ours_adds_nothing(broken: str) -> None:
    assert "reasoning_details" not in given_back(
        AssistantMessage("Done.", "", (), "openrouter", broken)
    )
