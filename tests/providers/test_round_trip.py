"""Another model in the middle of a turn, for every pair of providers: what one answered, the other
goes on from."""

from __future__ import annotations

import asyncio
import json
from itertools import product

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.providers.base import TextChunk, ThinkingChunk
from tests.providers.cases import finished, joined
from tests.providers.dialect_anthropic import SIGNATURE
from tests.providers.dialects import DIALECTS
from tests.providers.servers import Dialect, call, played, text, thinking

TOOLS = (ToolSpec("ls", "List.", {"type": "object", "properties": {}}),)
SAID = [
    thinking("Zweifel"),
    text("Looking."),
    call("ls", '{"p":"ä"}', "a.1"),
    call("ls", "{}", "a:2"),
]


async def answered(dialect: Dialect, *history: Message) -> tuple[Message, ...]:
    """`history` and what `dialect` answers to it, with the results of its calls."""
    async with dialect.answering(dialect.parts(SAID, "tool_calls")) as (_, provider):
        items = await played(provider, Request("s", history, TOOLS))
        end = finished(items)
        reply = AssistantMessage(
            joined(items, TextChunk),
            joined(items, ThinkingChunk),
            end.calls,
            provider.name,
            end.state,
        )
        return (
            *history,
            reply,
            *(ToolMessage(one.id, one.name, f"result {n}") for n, one in enumerate(end.calls)),
        )


async def went_on(dialect: Dialect, history: tuple[Message, ...]) -> bytes:
    """What `dialect` is sent to go on from `history`."""
    async with dialect.answering(dialect.parts([text("Done.")], "stop")) as (server, provider):
        items = await played(provider, Request("s", history, TOOLS))
        assert finished(items).stop_reason == "stop" and joined(items, TextChunk) == "Done."
        return server.bodies(dialect.path)[-1]


@pytest.mark.parametrize(
    ("one", "other"), product(DIALECTS, DIALECTS), ids=lambda dialect: dialect.name
)
def test_one_goes_on_where_the_other_stopped(one: Dialect, other: Dialect) -> None:
    async def scenario() -> None:
        history = await answered(one, UserMessage("go"))
        body = await went_on(other, history)
        roles = other.roles(json.loads(body))
        assert roles == ["system", "user", "assistant", "tool", "tool"]
        sent = body.decode()
        assert "Looking." in sent and "result 0" in sent and "result 1" in sent
        if one.name.removesuffix("-version") != other.name.removesuffix(
            "-version"
        ):  # Azure has two addresses
            assert "Zweifel" not in sent and SIGNATURE not in sent and one.name not in sent
        again = await went_on(one, await answered(other, *history, UserMessage("and now?")))
        assert one.name != "anthropic" or again.decode().count(SIGNATURE) == (
            2 if one is other else 1
        )

    asyncio.run(scenario())
