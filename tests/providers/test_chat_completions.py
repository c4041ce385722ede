"""What only Chat Completions has: its fields and ends, errors inside a stream, lists of models."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from agent_tui.providers import openai
from agent_tui.providers.base import Finished, Provider, ProviderSetup, TextChunk, ThinkingChunk
from agent_tui.providers.services.openai import OPENAI as DECLARED
from tests.providers.asking import COMPATIBLE, HISTORY, OLLAMA, OPENAI, sent
from tests.providers.servers import (
    KEY,
    ollama_parts,
    played,
    serving,
    sse,
    text,
)


def test_chat_completions_sends_what_it_must() -> None:
    def provider(address: str) -> Provider:
        return COMPATIBLE.create(address, {})

    body = asyncio.run(sent(COMPATIBLE, provider, HISTORY))
    assert body["stream_options"] == {"include_usage": True}
    assert body["max_tokens"] == 99
    assert body["headers"]["authorization"] == f"Bearer {KEY}"
    _, _, answer, *results = body["messages"]
    assert answer["content"] is None and "reasoning_content" not in answer
    assert [c["function"]["arguments"] for c in answer["tool_calls"]] == [
        '{"b":1,"a":2}',
        '{"malformed_arguments":"{"}',
    ]
    assert [r["tool_call_id"] for r in results] == ["call_1", "call_2"]


def test_reasoning_goes_back_only_to_who_wrote_it() -> None:
    def history(provider: str, state: str) -> Request:
        calls = (ToolCall("c", "ls", "{}"),)
        return Request(
            "",
            (
                UserMessage("go"),
                AssistantMessage("", "why", calls, provider, state),
                ToolMessage("c", "ls", ""),
            ),
        )

    def answer(provider: str, state: str) -> dict[str, Any]:
        body = asyncio.run(
            sent(COMPATIBLE, lambda a: COMPATIBLE.create(a, {}), history(provider, state))
        )
        found: dict[str, Any] = body["messages"][1]
        return found

    state = json.dumps({"reasoning": "reasoning_content"})
    assert answer("compatible", state)["reasoning_content"] == "why"
    for other in (
        answer("openai", state),
        answer("compatible", ""),
        answer("compatible", "{broken"),
        answer("compatible", '"x"'),
    ):
        assert set(other) == {"role", "content", "tool_calls"}


def chat(chunks: list[bytes], content_type: str = "text/event-stream") -> list[Any]:
    async def scenario() -> list[Any]:
        async with COMPATIBLE.server(lambda _, c: c.stream(chunks, content_type)) as (_, provider):
            return list(await played(provider))

    return asyncio.run(scenario())


def delta(reason: str | None = None, **fields: Any) -> bytes:
    return sse({"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]})


def test_a_server_that_does_not_stream_is_understood() -> None:
    message = {
        "content": "hi",
        "reasoning": "hm",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
        ],
    }
    whole = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    items = chat([json.dumps(whole).encode()], "application/json; charset=utf-8")
    assert items[:2] == [ThinkingChunk("hm"), TextChunk("hi")]
    assert items[-1] == Finished(
        "tool_calls", (ToolCall("a", "ls", "{}"),), Usage(3, 4), '{"reasoning":"reasoning"}'
    )


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "refusal"),
        ("eos", "stop"),
        ("tool_calls", "stop"),
    ],
)
def test_finish_reasons(reason: str, expected: str) -> None:
    assert chat([delta(content="hi"), delta(reason)])[-1].stop_reason == expected


def test_ends_of_a_stream() -> None:
    assert chat([delta(content="hi"), sse(b"[DONE]")])[-1] == Finished("stop")
    assert chat([delta(content="hi"), delta("stop")])[-1] == Finished("stop")
    assert chat([sse(b"[DONE]")])[-1].kind == "empty_stream"
    for bad in (b'{"choices": [{"delta": ', b'{"a":' * 100_000):
        assert chat([sse(bad), sse(b"[DONE]")])[-1].kind == "malformed"
    assert chat([sse(b"[DONE]"), sse({"error": {"message": "no"}})])[-1].kind == "server"
    assert chat([delta(content="hi"), delta("error")])[-1].kind == "server"
    assert chat([delta(refusal="I cannot."), delta("stop")])[0] == TextChunk("I cannot.")
    assert chat([delta(refusal="I cannot."), delta("stop")])[-1].stop_reason == "stop"
    assert chat([delta(refusal="I cannot."), delta("content_filter")])[-1].stop_reason == "refusal"
    late = chat([delta(content="hi"), delta("stop"), sse({"error": {"message": "too late"}})])
    assert late[-1] == Finished("stop")


def test_what_comes_behind_the_end_of_an_answer_is_none_of_it() -> None:
    called = delta(
        tool_calls=[{"index": 0, "id": "c", "function": {"name": "ls", "arguments": "{}"}}]
    )
    for late in ([delta("stop"), called], [delta("stop"), sse(b"[DONE]"), called]):
        found = chat([delta(content="hi"), *late])
        assert found == [TextChunk("hi"), Finished("stop")]
    assert chat([delta(content="hi"), sse(b"[DONE]"), called])[-1] == Finished("stop")


def test_of_several_answers_at_once_the_first_counts() -> None:
    def choice(index: int, content: str) -> dict[str, Any]:
        return {"index": index, "delta": {"content": content}}

    both = sse({"choices": [choice(1, "b"), choice(0, "a")]})
    assert chat([sse({"choices": [choice(1, "x")]}), both, delta("stop")])[0] == TextChunk("a")


def test_errors_inside_a_stream_are_named() -> None:
    def kind(error: Any) -> str:
        return str(chat([delta(content="hi"), sse({"error": error})])[-1].kind)

    assert kind({"message": "context length exceeded"}) == "overflow"
    assert kind({"message": "no", "code": 429}) == "rate_limited"
    assert kind({"message": "no", "code": "rate_limit_exceeded"}) == "rate_limited"
    assert kind({"message": "no", "code": "401"}) == "auth"
    assert kind("boom") == "server"
    bare = {
        "object": "error",
        "message": "maximum context length is 8 tokens",
        "type": "BadRequestError",
        "code": 400,
    }
    assert chat([delta(content="hi"), sse(bare)])[-1].kind == "overflow"
    assert kind({"code": 7}) == "server"


def test_content_in_parts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "yea"},
    ]
    assert chat([delta(content=parts), delta("stop")])[:2] == [
        ThinkingChunk("hm"),
        TextChunk("yea"),
    ]


def test_shapes_nobody_promised_do_not_raise() -> None:
    odd: list[Any] = [
        {"choices": None},
        {"choices": [7]},
        {"choices": {}},
        {"usage": 7},
        {"usage": {"prompt_tokens": "x"}},
        {"choices": [{"delta": 7}]},
        {"choices": [{"delta": {"content": 7, "tool_calls": {"a": 1}}}]},
        {"choices": [{"delta": {"tool_calls": [7, {"function": 7}, {"index": "x", "id": 9}]}}]},
    ]
    items = chat([*map(sse, odd), delta("stop", content="ok")])
    assert [i for i in items if isinstance(i, TextChunk)] == [TextChunk("ok")]
    assert items[-1] == Finished("stop", ())

    async def scenario() -> None:
        lines = [
            {"message": 7},
            {"message": {"content": 7, "thinking": [], "tool_calls": 7}},
            {"message": {"tool_calls": [7]}},
        ]
        wired = [json.dumps(line).encode() + b"\n" for line in lines]
        async with OLLAMA.answering([*wired, *ollama_parts([text("ok")], "stop")]) as (_, provider):
            found = await played(provider)
            assert found[0] == TextChunk("ok") and isinstance(found[-1], Finished)

    asyncio.run(scenario())


def test_lists_tell_windows_and_settings_win() -> None:
    entries = [
        {"id": "a", "max_model_len": 4096},
        {"id": "b", "meta": {"n_ctx": 8192}},
        {"id": "c"},
        {"nonsense": 1},
    ]

    async def models(address: str, **options: Any) -> dict[str, int]:
        provider = COMPATIBLE.create(address, options)
        found = {m.name: m.window for m in await provider.models()}
        await provider.close()
        return found

    async def scenario() -> None:
        async with serving({"/v1/models": lambda _, c: c.json({"data": entries})}) as server:
            assert await models(server.address) == {
                "compatible/a": 4096,
                "compatible/b": 8192,
                "compatible/c": 0,
            }
            assert set((await models(server.address, window=99)).values()) == {99}
            info = await COMPATIBLE.create(server.address, {}).info()
            assert (info.name, info.window, info.tools) == ("compatible/m", 0, None)
        async with serving({}) as server:  # no list at all: the model may be there anyway
            assert (await COMPATIBLE.create(server.address, {}).info()).name == "compatible/m"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("names", "offered"),
    [
        (["gpt-5", "text-embedding-3-small", "whisper-1", "gpt-image-1"], ["gpt-5"]),
        (["gpt-4o-realtime-preview", "o3"], ["o3"]),
        (["gpt-5", "gpt-3.5-turbo-instruct", "gpt-4o-search-preview"], ["gpt-5"]),
    ],
)
def test_openai_offers_only_what_chats(
    names: list[str], offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with serving(
            {"/v1/models": lambda _, c: c.json({"data": [{"id": n} for n in names]})}
        ) as server:
            monkeypatch.setattr(openai, "OPENAI", replace(DECLARED, base_url=server.address))
            found = [m.name for m in await OPENAI.create(server.address, {}).models()]
            assert found == [f"openai/{name}" for name in offered]

    asyncio.run(scenario())


def test_a_server_of_ones_own_offers_all_that_it_lists_whatever_openai_calls_its_models() -> None:
    names = [
        "qwen3-coder-30b-a3b-instruct",
        "llama-3.3-70b-instruct",
        "my-search-model",
        "an-image-reader",
        "gpt-5",
    ]

    async def scenario() -> None:
        async with serving(
            {"/v1/models": lambda _, c: c.json({"data": [{"id": n} for n in names]})}
        ) as server:
            found = [m.name for m in await OPENAI.create(server.address, {}).models()]
            assert found == [f"openai/{name}" for name in names]

    asyncio.run(scenario())


def test_openai_itself_is_not_asked_before_the_first_prompt() -> None:
    provider = openai.create("gpt-5", ProviderSetup(environment={"OPENAI_API_KEY": "sk-x"}))
    assert provider.base_url == "https://api.openai.com/v1"
    info = asyncio.run(provider.info())
    assert (info.name, info.window) == ("openai/gpt-5", 400_000)
