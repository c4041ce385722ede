"""The events of Anthropic's Messages: what each adds to an answer, how answers end, and what goes
wrong in them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agent_tui.protocol.messages import ToolCall, Usage
from agent_tui.providers.base import (
    CallChunk,
    Failed,
    Finished,
    StreamItem,
    TextChunk,
    ThinkingChunk,
)
from tests.providers.cases import finished, joined
from tests.providers.dialect_anthropic import (
    ANTHROPIC,
    BEGUN,
    SIGNATURE,
    START,
    USAGE,
    delta,
    end,
    start,
    stop,
)
from tests.providers.servers import (
    COMPLETION,
    Connection,
    Received,
    call,
    played,
    sse,
    text,
    thinking,
)


def played_events(*chunks: bytes, content_type: str = "text/event-stream") -> list[StreamItem]:
    async def scenario() -> list[StreamItem]:
        async with ANTHROPIC.server(lambda _, c: c.stream(chunks, content_type)) as (_, provider):
            return await played(provider)

    return asyncio.run(scenario())


HI = (sse(START), start(0, type="text", text=""), delta(0, "text_delta", text="hi"), stop(0))


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "length"),
        ("model_context_window_exceeded", "window"),
        ("tool_use", "stop"),
        ("new", "stop"),
    ],
)
def test_stop_reasons(reason: str, expected: str) -> None:
    found = played_events(*HI, *end(reason))[-1]
    assert isinstance(found, Finished) and found.stop_reason == expected


def test_ends_of_a_stream() -> None:
    def kind(*chunks: bytes) -> str:
        found = played_events(*chunks)[-1]
        assert isinstance(found, Failed) and found.may_pass
        return found.kind

    assert kind(*HI) == "broken_stream"
    assert kind(sse({"type": "ping"})) == "broken_stream"
    assert kind(*HI[1:], *end("end_turn")) == "malformed"  # nobody knows what else is missing
    assert (
        kind(HI[0], delta(0, "input_json_delta", partial_json="{"), *end("tool_use")) == "malformed"
    )
    assert isinstance(played_events(*HI, end("end_turn")[0])[-1], Finished)
    assert isinstance(played_events(*HI, end("end_turn")[1])[-1], Finished)
    late = played_events(
        *HI, end("end_turn")[0], sse({"type": "error", "error": {"message": "too late"}})
    )
    assert isinstance(late[-1], Finished)


@pytest.mark.parametrize(
    ("type_", "message", "kind", "may_pass"),
    [
        ("overloaded_error", "Overloaded", "server", True),
        ("api_error", "Internal server error", "server", True),
        ("rate_limit_error", "slow down", "rate_limited", True),
        ("timeout_error", "took too long", "timeout", True),
        ("authentication_error", "invalid x-api-key", "auth", False),
        ("permission_error", "not yours", "auth", False),
        ("not_found_error", "model: m", "unknown_model", False),
        ("request_too_large", "Request exceeds the maximum size", "overflow", False),
        ("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", "overflow", False),
        (
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 9 + 4 > 8",
            "overflow",
            False,
        ),
        ("invalid_request_error", "tools.0: no such field", "bad_request", False),
        ("invalid_request_error", "Your credit balance is too low to go on", "rate_limited", False),
    ],
)
def test_errors_are_named_with_a_status_and_in_a_stream(
    type_: str, message: str, kind: str, may_pass: bool
) -> None:
    error = {"type": "error", "error": {"type": type_, "message": message}}
    statuses = {
        "overloaded_error": 529,
        "api_error": 500,
        "rate_limit_error": 429,
        "timeout_error": 504,
        "authentication_error": 401,
        "permission_error": 403,
        "not_found_error": 404,
        "request_too_large": 413,
    }

    async def with_status() -> StreamItem:
        async with ANTHROPIC.server(lambda _, c: c.json(error, statuses.get(type_, 400))) as (
            _,
            provider,
        ):
            return (await played(provider))[-1]

    for found in (asyncio.run(with_status()), played_events(*HI[:2], sse(error))[-1]):
        assert isinstance(found, Failed)
        assert (found.kind, found.may_pass) == (kind, may_pass) and message in found.text


def test_a_server_that_does_not_stream_is_understood() -> None:
    whole = {
        "type": "message",
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "a", "name": "ls", "input": {"p": 1}},
        ],
    }
    items = played_events(json.dumps(whole).encode(), content_type="application/json")
    assert items[:2] == [ThinkingChunk("hm"), TextChunk("hi")]
    assert items[2:4] == [CallChunk(0, "", "a", "ls"), CallChunk(0, '{"p":1}')]
    found = items[-1]
    assert isinstance(found, Finished)
    assert (found.stop_reason, found.calls, found.usage) == (
        "tool_calls",
        (ToolCall("a", "ls", '{"p":1}'),),
        Usage(3, 4),
    )


def test_an_answer_that_comes_whole_is_the_same_answer() -> None:
    said = [
        thinking("hm, "),
        thinking("so"),
        text("Let "),
        text("me."),
        call("ls", '{"p":1}', "a"),
        call("ls", "{}", "b"),
    ]
    content = [
        {"type": "thinking", "thinking": "hm, so", "signature": SIGNATURE},
        {"type": "text", "text": "Let me."},
        {"type": "tool_use", "id": "a", "name": "ls", "input": {"p": 1}},
        {"type": "tool_use", "id": "b", "name": "ls", "input": {}},
    ]
    usage = {**USAGE, "output_tokens": COMPLETION}
    whole = {
        **BEGUN,
        "type": "message",
        "content": content,
        "stop_reason": "tool_use",
        "usage": usage,
    }

    async def answered(**options: Any) -> tuple[str, str, Finished]:
        async def route(received: Received, connection: Connection) -> None:
            if received.json["stream"]:
                await connection.stream(ANTHROPIC.parts(said, "tool_calls"))
            else:
                await connection.json(whole)

        async with ANTHROPIC.server(route, **options) as (_, provider):
            items = await played(provider)
            return joined(items, ThinkingChunk), joined(items, TextChunk), finished(items)

    assert asyncio.run(answered(stream=False)) == asyncio.run(answered())


def test_counts_come_at_the_end_too_and_what_was_cached_is_part_of_the_prompt() -> None:
    late = {
        "input_tokens": 20,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 30,
        "output_tokens": 9,
    }
    empty = {"type": "message_start", "message": {"usage": {"input_tokens": 0, "output_tokens": 0}}}
    for first, told, expected in (
        (empty, late, Usage(150, 9, 100, cache_write_tokens=30)),
        (START, {"output_tokens": 9}, Usage(11, 9, 3, cache_write_tokens=2)),
        (empty, {"output_tokens": 0}, None),
    ):
        found = played_events(sse(first), *HI[1:], *end("end_turn", **told))[-1]
        assert isinstance(found, Finished) and found.usage == expected


def test_what_a_later_version_has_is_skipped() -> None:
    odd: list[Any] = [
        {"type": "later"},
        {"type": 7},
        {},
        {"type": "content_block_start"},
        {"type": "content_block_delta"},
        {"type": "content_block_delta", "index": "x", "delta": 7},
        {"type": "content_block_stop", "index": 99},
        {
            "type": "content_block_start",
            "index": 5,
            "content_block": {"type": "server_tool_use", "name": "web"},
        },
        {
            "type": "content_block_delta",
            "index": 5,
            "delta": {"type": "input_json_delta", "partial_json": "{}"},
        },
        {
            "type": "content_block_start",
            "index": 6,
            "content_block": {"type": "tool_use", "id": 7, "name": []},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "citations_delta", "citation": {}},
        },
        {"type": "message_delta", "delta": 7, "usage": []},
        {"type": "message_start", "message": 7},
    ]
    items = played_events(*HI[:2], *map(sse, odd), *HI[2:], *end("end_turn"))
    assert items[:-1] == [TextChunk("hi")]
    assert isinstance(items[-1], Finished) and items[-1].calls == () and items[-1].state == ""


def test_a_call_without_arguments_and_words_without_a_start() -> None:
    call = (
        start(1, type="tool_use", id="a", name="ls", input={}),
        delta(1, "input_json_delta", partial_json=""),
    )
    items = played_events(
        sse(START), delta(0, "text_delta", text="so"), *call, stop(1), *end("tool_use")
    )
    assert items[:-1] == [TextChunk("so"), CallChunk(0, "", "a", "ls")]
    assert isinstance(items[-1], Finished) and items[-1].calls == (ToolCall("a", "ls", "{}"),)
