"""What only OpenAI's Responses has: its fields, items that go back to the model that had them, and
its ends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from agent_tui.providers import openai
from agent_tui.providers.base import Failed, ProviderSetup, StreamItem, TextChunk, ThinkingChunk
from agent_tui.providers.services.openai import reasons
from tests.providers.cases import failed, finished, joined
from tests.providers.dialect_responses import ENCRYPTED, RESPONSES, event
from tests.providers.servers import Connection, Received, call, played, sse, text, thinking

TOOLS = (ToolSpec("ls", "List.", {"type": "object", "properties": {}}),)
SAID = [
    thinking("hm"),
    text("Looking."),
    call("ls", "{}", "a1"),
    thinking("so"),
    call("ls", '{"a":1}', "a2"),
]
ORDER = ["reasoning", "message", "function_call", "reasoning", "function_call"]


def answered(payloads: list[bytes]) -> list[StreamItem]:
    async def scenario() -> list[StreamItem]:
        async with RESPONSES.answering(payloads) as (_, provider):
            return await played(provider)

    return asyncio.run(scenario())


def asked(messages: tuple[Message, ...], model: str = "gpt-5", **options: Any) -> dict[str, Any]:
    """What a model is sent."""

    async def scenario() -> dict[str, Any]:
        async with RESPONSES.answering(RESPONSES.parts([text("ok")], "stop")) as (server, _):
            setup = ProviderSetup(
                f"{server.address}/v1", "sk-x", options={"api": "responses", **options}
            )
            provider = openai.create(model, setup)
            finished(await played(provider, Request("s", messages, TOOLS, 99)))
            await provider.close()
            found: dict[str, Any] = json.loads(server.bodies(RESPONSES.path)[-1])
            return found

    return asyncio.run(scenario())


def history(**changed: Any) -> tuple[Message, ...]:
    """A turn that this model had: what it thought, said and called."""
    items = answered(RESPONSES.parts(SAID, "tool_calls"))
    end = finished(items)
    given = {"provider": "openai", "state": end.state, "text": joined(items, TextChunk), **changed}
    reply = AssistantMessage(reasoning=joined(items, ThinkingChunk), calls=end.calls, **given)
    return (UserMessage("go"), reply, *(ToolMessage(one.id, one.name, "") for one in end.calls))


def test_what_is_asked() -> None:
    body = asked((UserMessage("go"),))
    assert (body["instructions"], body["store"], body["stream"]) == ("s", False, True)
    assert body["include"] == ["reasoning.encrypted_content"] and body["reasoning"] == {
        "summary": "auto"
    }
    assert body["max_output_tokens"] == 99
    assert body["tools"][0] == {
        "type": "function",
        "name": "ls",
        "description": "List.",
        "strict": False,
        "parameters": {"type": "object", "properties": {}},
    }
    assert list(body)[-1] == "input"
    assert asked((UserMessage("go"),), think="high")["reasoning"] == {
        "effort": "high",
        "summary": "auto",
    }
    for plain in ("gpt-4o", "gpt-5-chat-latest"):  # these refuse to be asked for thoughts
        assert {"include", "reasoning"}.isdisjoint(asked((UserMessage("go"),), plain, think="high"))


def test_items_go_back_in_their_order_to_the_model_that_had_them() -> None:
    body = asked(history())
    _, *items = body["input"]
    assert [item["type"] for item in items] == [
        *ORDER,
        "function_call_output",
        "function_call_output",
    ]
    assert [item["encrypted_content"] for item in items if item["type"] == "reasoning"] == [
        ENCRYPTED
    ] * 2
    assert items[0]["id"] == "rs_0" and items[0]["summary"]
    assert [item["call_id"] for item in items[2:] if "call_id" in item] == ["a1", "a2", "a1", "a2"]


@pytest.mark.parametrize(
    "changed",
    [
        {"provider": "anthropic"},
        {"text": "Another text."},
        {"state": "{broken"},
        {"state": "[]"},
        {"state": '{"host":"127.0.0.1","model":"gpt-5","parts":[["reasoning",{}]]}'},
    ],
)
def test_what_does_not_fit_is_words_and_calls(changed: dict[str, Any]) -> None:
    _, *items = asked(history(**changed))["input"]
    assert [item["type"] for item in items[:3]] == ["message", "function_call", "function_call"]


def test_another_model_cannot_read_the_thoughts() -> None:
    body = asked(history(), "gpt-5-mini")
    assert ENCRYPTED not in json.dumps(body) and len(body["input"]) == 6


def test_a_phase_goes_back_too() -> None:
    item = {
        "type": "message",
        "phase": "commentary",
        "content": [{"type": "output_text", "text": "Looking."}],
    }
    end = {"status": "completed", "output": [item], "usage": None}
    items = answered([event("response.completed", response=end)])
    assert joined(items, TextChunk) == "Looking."
    reply = AssistantMessage("Looking.", provider="openai", state=finished(items).state)
    assert asked((UserMessage("go"), reply, UserMessage("on")))["input"][1]["phase"] == "commentary"


def test_tokens_that_were_thought() -> None:
    usage = {
        "input_tokens": 9,
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    items = answered(
        [
            event(
                "response.completed", response={"status": "completed", "output": [], "usage": usage}
            )
        ]
    )
    assert finished(items).usage == Usage(9, 7, reasoning_tokens=5)


def test_ends_that_are_none() -> None:
    said = RESPONSES.parts([text("Hel")], "stop")[:2]
    error = {"code": "server_error", "message": "the GPU is on fire"}
    end = answered([*said, event("response.failed", response={"status": "failed", "error": error})])
    assert joined(end, TextChunk) == "Hel" and "on fire" in failed(end, "server").text
    end = answered(
        [*said, event("response.cancelled", response={"status": "cancelled", "error": None})]
    )
    failed(end, "server")
    error = {"code": "context_length_exceeded", "message": "Your input exceeds the context window."}
    failed(
        answered([event("response.failed", response={"status": "failed", "error": error})]),
        "overflow",
    )
    error = {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down."}
    assert failed(answered([sse(error)]), "rate_limited").may_pass


def test_a_refusal_in_words_is_the_answer() -> None:
    told = event("response.refusal.delta", output_index=0, delta="I cannot.")
    end = event("response.completed", response={"status": "completed", "output": [], "usage": None})
    items = answered([told, end])
    assert finished(items).stop_reason == "stop" and joined(items, TextChunk) == "I cannot."


def test_what_no_event_told_is_in_the_end() -> None:
    """A server may leave out the parts, or the beginning of an item."""
    whole = RESPONSES.parts(SAID, "tool_calls")
    expected = finished(answered(whole))
    for left in (
        [whole[-1]],
        [part for part in whole if b"item.added" not in part],
        [*whole[:1], *whole[3:]],
    ):
        items = answered(left)
        assert [(c.name, c.arguments) for c in finished(items).calls] == [
            ("ls", "{}"),
            ("ls", '{"a":1}'),
        ]
        assert finished(items).calls == expected.calls and joined(items, TextChunk) == "Looking."


def test_paragraphs_of_thought_stand_apart() -> None:
    parts = [
        event("response.reasoning_summary_text.delta", output_index=0, summary_index=n, delta=word)
        for n, word in ((0, "one"), (0, " more"), (1, "two"))
    ]
    end = event("response.completed", response={"status": "completed", "output": [], "usage": None})
    assert joined(answered([*parts, end]), ThinkingChunk) == "one more\n\ntwo"


def test_who_may_not_read_thoughts_gets_answers_all_the_same() -> None:
    bodies: list[Any] = []

    async def route(received: Received, connection: Connection) -> None:
        bodies.append(received.json)
        if "summary" in received.json.get("reasoning", {}):
            said = "Your organization must be verified to generate reasoning summaries."
            await connection.json({"error": {"message": said, "code": "unsupported_value"}}, 400)
        else:
            await connection.stream(RESPONSES.parts([text("ok")], "stop"))

    async def scenario() -> None:
        async with RESPONSES.server(route) as (_, provider):
            for _ in range(2):
                items = await played(provider)
                assert joined(items, TextChunk) == "ok" and not any(
                    isinstance(item, Failed) for item in items
                )

    asyncio.run(scenario())
    assert ["reasoning" in body for body in bodies] == [True, False, False]


def test_which_dialect_is_spoken() -> None:
    def speaks(base_url: str, **options: Any) -> bool:
        return openai.create("gpt-5", ProviderSetup(base_url, "k", options=options)).responds

    assert speaks("") and not speaks("", api="chat")
    assert not speaks("http://127.0.0.1:1/v1") and speaks("http://127.0.0.1:1/v1", api="responses")
    assert [
        name
        for name in ("gpt-5", "o3", "o4-mini", "gpt-4o", "o1-mini", "gpt-5-chat-latest")
        if reasons(name)
    ] == [
        "gpt-5",
        "o3",
        "o4-mini",
    ]
