"""`stream = false`: an answer that comes whole settles as the same answer word by word, on every wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_tui.providers.base import TextChunk, ThinkingChunk
from tests.providers import dialect_responses
from tests.providers.cases import failed, finished, joined
from tests.providers.dialect_anthropic import SIGNATURE, START
from tests.providers.dialects import DIALECTS
from tests.providers.gemini_server import GEMINI
from tests.providers.servers import (
    COMPLETION,
    PROMPT,
    Connection,
    Dialect,
    Received,
    call,
    played,
    serving,
    text,
    thinking,
)

ARGUMENTS = '{"p":"ä"}'
SAID = [
    thinking("hm, "),
    thinking("so"),
    text("Hel"),
    text("lo"),
    call("ls", ARGUMENTS, "a1"),
    call("cat", "{}", "a2"),
]


def chat() -> Any:
    calls = [
        {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.text}}
        for one in SAID[4:]
    ]
    message = {
        "role": "assistant",
        "content": "Hello",
        "reasoning_content": "hm, so",
        "tool_calls": calls,
    }
    usage = {
        "prompt_tokens": PROMPT,
        "completion_tokens": COMPLETION,
        "prompt_tokens_details": {"cached_tokens": 3},
    }
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": usage,
    }


def ollama() -> Any:
    calls = [
        {"function": {"name": one.name, "arguments": json.loads(one.text)}} for one in SAID[4:]
    ]
    message = {"role": "assistant", "content": "Hello", "thinking": "hm, so", "tool_calls": calls}
    counts = {"prompt_eval_count": PROMPT, "eval_count": COMPLETION}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop", **counts}


def anthropic() -> Any:
    blocks = [
        {"type": "thinking", "thinking": "hm, so", "signature": SIGNATURE},
        {"type": "text", "text": "Hello"},
        *(
            {"type": "tool_use", "id": o.id, "name": o.name, "input": json.loads(o.text)}
            for o in SAID[4:]
        ),
    ]
    started: Any = START["message"]
    usage = {**started["usage"], "output_tokens": COMPLETION}
    return {
        **started,
        "type": "message",
        "content": blocks,
        "stop_reason": "tool_use",
        "usage": usage,
    }


def responses() -> Any:
    return dialect_responses.ended(SAID, "tool_calls")


WHOLE: dict[str, Callable[[], Any]] = {
    "ollama": ollama,
    "anthropic": anthropic,
    "openai-responses": responses,
    "azure-responses": responses,
}


def settled(items: Any) -> tuple[Any, ...]:
    """What of an answer is kept."""
    end = finished(items)
    calls = tuple((one.id, one.name, json.dumps(json.loads(one.arguments))) for one in end.calls)
    said = joined(items, TextChunk), joined(items, ThinkingChunk)
    return (*said, calls, end.stop_reason, end.usage, end.state)


async def whole(dialect: Dialect, answer: Any) -> Any:
    async def route(received: Received, connection: Connection) -> None:
        body = received.json
        assert body.get("stream") is False and "stream_options" not in body
        await connection.json(answer)

    async with serving({**dialect.beside, dialect.path: route}) as server:
        provider = dialect.create(server.address, {"stream": False})
        items = await played(provider)
        await provider.close()
        return items


@pytest.mark.parametrize(
    "dialect", [d for d in DIALECTS if d.name != "gemini"], ids=lambda d: d.name
)
def test_an_answer_that_comes_whole(dialect: Dialect) -> None:
    async def scenario() -> None:
        async with dialect.answering(dialect.parts(SAID, "tool_calls")) as (_, provider):
            expected = settled(await played(provider))
        assert settled(await whole(dialect, WHOLE.get(dialect.name, chat)())) == expected
        assert expected[:2] == ("Hello", "hm, so")

    asyncio.run(scenario())


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
def test_a_stream_that_is_called_json_is_read_as_a_stream(dialect: Dialect) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.stream(
            dialect.parts(SAID, "tool_calls"), "application/json; charset=utf-8"
        )

    async def scenario() -> Any:
        async with dialect.server(route) as (_, provider):
            return await played(provider)

    items = asyncio.run(scenario())
    assert joined(items, TextChunk) == "Hello" and len(finished(items).calls) == 2


async def as_array(body: bytes) -> Any:
    """What is made of the stream of a Gemini that does not know `alt=sse`, or of a proxy that loses
    it."""

    async def route(_: Received, connection: Connection) -> None:
        await connection.stream(
            [body[at : at + 7] for at in range(0, len(body), 7)], "application/json; charset=UTF-8"
        )

    async with GEMINI.server(route) as (_, provider):
        return await played(provider)


@pytest.mark.parametrize("between", [b",\r\n", b",", b" ,\n\n"])
def test_gemini_streams_an_array_where_events_are_not_known(between: bytes) -> None:
    async def scenario() -> None:
        parts = GEMINI.parts(SAID, "tool_calls")
        async with GEMINI.answering(parts) as (_, provider):
            expected = settled(await played(provider))
        chunks = [
            json.dumps(json.loads(part.removeprefix(b"data: ")), indent=2).encode()
            for part in parts
        ]
        assert settled(await as_array(b"[" + between.join(chunks) + b"\n]\n")) == expected
        cut = await as_array(b"[" + between.join(chunks)[:-30])
        assert failed(cut, "broken_stream") and joined(cut, TextChunk) == "Hello"
        error = {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}
        assert (
            "slow down"
            in failed(await as_array(json.dumps([{"error": error}]).encode()), "rate_limited").text
        )
        for nothing in (b"[]", b"[", b"[1, 2]"):
            failed(await as_array(nothing), "malformed")

    asyncio.run(scenario())


def test_gemini_has_another_address_for_it() -> None:
    async def scenario() -> None:
        parts = GEMINI.parts(SAID, "tool_calls")
        async with GEMINI.answering(parts) as (_, provider):
            expected = settled(await played(provider))
        path = GEMINI.path.replace("streamGenerateContent?alt=sse", "generateContent")
        chunks = [json.loads(part.removeprefix(b"data: ")) for part in parts]
        said = [
            piece
            for chunk in chunks
            for one in chunk.get("candidates", ())
            for piece in one["content"].get("parts", ())
        ]
        last = chunks[-1]["candidates"][0]
        answer = {
            **chunks[-1],
            "candidates": [{**last, "content": {"role": "model", "parts": said}}],
        }

        async def route(_: Received, connection: Connection) -> None:
            await connection.json(answer)

        async with serving({path: route}) as server:
            provider = GEMINI.create(server.address, {"stream": False})
            assert settled(await played(provider)) == expected
            await provider.close()

    asyncio.run(scenario())
