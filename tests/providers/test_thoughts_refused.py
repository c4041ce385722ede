"""Claude's thoughts are bound to all that stood before them: where that is another now, the server
takes them no more, and the conversation goes on without them."""

from __future__ import annotations

import asyncio
import json

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers import anthropic
from agent_tui.providers.base import ProviderSetup, TextChunk
from tests.providers.cases import failed, finished, joined
from tests.providers.dialect_anthropic import ANTHROPIC
from tests.providers.servers import Connection, Received, played, serving, text

REFUSALS = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    "messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest message cannot be modified.",
    "messages.1.content.0: Invalid signature in thinking block",
)


@pytest.mark.parametrize("said", REFUSALS)
@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-haiku-4-5"])
def test_thoughts_that_are_not_taken_back_are_left_out_from_then_on(model: str, said: str) -> None:
    async def route(received: Received, to: Connection) -> None:
        if b"signed" in received.body:
            await to.json({"error": {"type": "invalid_request_error", "message": said}}, 400)
        else:
            await to.stream(ANTHROPIC.parts([text("on it goes")], "stop"))

    async def scenario() -> None:
        async with serving({"/v1/messages": route}) as server:
            provider = anthropic.create(model, ProviderSetup(server.address, "k"))
            blocks = [{"thinking": 2, "signature": "signed"}, {"call": 0}]
            state = json.dumps({"from": f"127.0.0.1 {model}", "blocks": blocks})
            call = ToolCall("toolu_1", "ls", "{}")
            thought = AssistantMessage("", "hm", (call,), "anthropic", state)
            history = (UserMessage("go"), thought, ToolMessage("toolu_1", "ls", "a.py"))
            for _ in range(2):
                items = await played(provider, Request("s", history))
                assert (
                    finished(items).stop_reason == "stop"
                    and joined(items, TextChunk) == "on it goes"
                )
            await provider.close()
            assert [b"signed" in body for body in server.bodies("/v1/messages")] == [
                True,
                False,
                False,
            ]

    asyncio.run(scenario())


def test_another_refusal_is_told_at_once() -> None:
    async def scenario() -> None:
        refusal = {"error": {"message": "tools.0: no name"}}
        async with serving({"/v1/messages": lambda _, c: c.json(refusal, 400)}) as server:
            provider = anthropic.create("claude-opus-5-5", ProviderSetup(server.address, "k"))
            assert failed(await played(provider), "bad_request") and len(server.received) == 1
            await provider.close()

    asyncio.run(scenario())
