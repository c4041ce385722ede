"""Providers asked over a server that keeps what it got: what a history looks like on each wire."""

from __future__ import annotations

import json
from typing import Any

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agent_tui.providers import ollama
from agent_tui.providers.base import Finished, Provider, ProviderSetup
from tests.providers.servers import (
    DIALECTS,
    Connection,
    Received,
    Route,
    played,
    serving,
    text,
)

OLLAMA, COMPATIBLE, OPENAI = DIALECTS


HISTORY = Request(
    "Be brief.",
    (
        UserMessage("go"),
        AssistantMessage(
            "",
            "because",
            (ToolCall("call_1", "ls", '{"b":1,"a":2}'), ToolCall("call_2", "ls", "{")),
            "ollama",
        ),
        ToolMessage("call_1", "ls", "a.py"),
        ToolMessage("call_2", "ls", "Error [invalid_arguments]: no"),
    ),
    (ToolSpec("ls", "List.", {"type": "object", "properties": {}}),),
    max_tokens=99,
)


async def sent(
    dialect: Any, provider_of: Any, history: Request, beside: dict[str, Route] | None = None
) -> dict[str, Any]:
    async def route(_: Received, connection: Connection) -> None:
        await connection.stream(dialect.parts([text("ok")], "stop"), dialect.content_type)

    async with serving({**dialect.beside, **(beside or {}), dialect.path: route}) as server:
        provider: Provider = provider_of(server.address)
        assert isinstance((await played(provider, history))[-1], Finished)
        await provider.close()
        found: dict[str, Any] = json.loads(server.bodies(dialect.path)[-1])
        found["headers"] = server.received[-1].headers
        return found


def ollama_at(address: str, **setup: Any) -> ollama.OllamaProvider:
    return ollama.create("m", ProviderSetup(base_url=address, **setup))
