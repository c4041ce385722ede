"""What only one wire has: the ways servers send tool calls, Ollama's own fields, keys, windows, whole answers."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from typing import Any

import pytest

from agent_tui.protocol.messages import AssistantMessage, Request, ToolCall, ToolMessage, ToolSpec, Usage, UserMessage
from agent_tui.providers import compatible, ollama, openai
from agent_tui.providers._call_deltas import CallDeltas
from agent_tui.providers._translate import CallIds, arguments_object, arguments_text
from agent_tui.providers.base import Failed, Finished, Provider, ProviderError, ProviderSetup, TextChunk, ThinkingChunk
from agent_tui.providers.wire import Patience, is_loopback, is_near, shown_address
from tests.providers.servers import (
    DIALECTS,
    Connection,
    Received,
    Route,
    chat_parts,
    free_address,
    ollama_parts,
    played,
    request,
    serving,
    shows,
    sse,
    text,
)

OLLAMA, COMPATIBLE, OPENAI = DIALECTS
Parts = list[dict[str, Any]]


def part(arguments: Any = None, **fields: Any) -> dict[str, Any]:
    function = {key: fields.pop(key) for key in ("name",) if key in fields}
    return {**fields, "function": {**function, **({} if arguments is None else {"arguments": arguments})}}


TWO = [("ls", '{"p":1}'), ("cat", '{"p":2}')]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(
            [part("", index=0, id="a", name="ls"), part('{"p"', index=0), part(":1}", index=0),
             part("", index=1, id="b", name="cat"), part('{"p":2}', index=1)],
            id="by index",
        ),
        pytest.param(
            [part("", index=0, id="a", name="ls"), part("", index=1, id="b", name="cat"),
             part('{"p":', index=1), part('{"p":', index=0), part("2}", index=1), part("1}", index=0)],
            id="interleaved",
        ),
        pytest.param(
            [part('{"p":1}', id="a", name="ls"), part('{"p":2}', id="b", name="cat")], id="whole, without index"
        ),
        pytest.param([part('{"p":1}', name="ls"), part('{"p":2}', name="cat")], id="whole, nothing but a name"),
        pytest.param(
            [part('{"p":1}', index=0, id="a", name="ls"), part('{"p":2}', index=0, id="b", name="cat")],
            id="one index for all",
        ),
        pytest.param(
            [part('{"p":1}', index=0, name="ls"), part('{"p":2}', index=0, name="cat")], id="one index, no ids"
        ),
        pytest.param(
            [part('{"p"', id="a", name="ls"), part(":1}"), part("", id="b", name="cat"), part('{"p":2}')],
            id="no index, ids only first",
        ),
        pytest.param(
            [part('{"p"', index=0, id="a", name="ls"), part(":1}", index=0, id="", name=""),
             part('{"p":2', index=1, id="b", name="cat"), part("}", index=1, id="", name="")],
            id="empty ids and names again",
        ),
        pytest.param(
            [part('{"p"', index=0, id="a", name="ls"), part(":1}", index=0, id="a", name="ls"),
             part('{"p":', index=1, id="b", name="cat"), part("2}", index=1, id="b", name="cat")],
            id="all repeated",
        ),
        pytest.param(
            [part({"p": 1}, index=0, id="a", name="ls"), part({"p": 2}, index=1, id="b", name="cat")], id="objects"
        ),
        pytest.param(
            [part('{"p"', index=0, id="a"), part(":1}", index=0, name="ls"), part('{"p":2}', index=1, name="cat")],
            id="name later",
        ),
        pytest.param(
            [part('{"p":1}', index=0, id="same", name="ls"), part('{"p":2}', index=1, id="same", name="cat")],
            id="one id for two",
        ),
    ],
)  # fmt: skip
def test_call_deltas_of_all_kinds_of_servers(parts: Parts) -> None:
    deltas = CallDeltas(CallIds(request()))
    chunks = [chunk for entry in parts for chunk in deltas.feed(entry)]
    calls = deltas.calls()
    assert [(c.name, c.arguments) for c in calls] == TWO
    assert len({c.id for c in calls}) == 2
    for index, made in enumerate(calls):
        mine = [c for c in chunks if c.index == index]
        assert [(c.id, c.name) for c in mine] == [(made.id, made.name)] + [("", "")] * (len(mine) - 1)
        assert "".join(c.text for c in mine) == made.arguments


def test_a_call_without_arguments_has_an_empty_object() -> None:
    deltas = CallDeltas(CallIds(request()))
    deltas.feed(part("", index=0, id="a", name="ls"))
    assert deltas.calls() == (ToolCall("a", "ls", "{}"),)


@pytest.mark.parametrize(
    ("given", "text", "object_"),
    [
        ('{"b": 1,"a":2}', '{"b": 1,"a":2}', {"b": 1, "a": 2}),
        ("", "{}", {}),
        ("  ", "{}", {}),
        ('{"a": ', '{"malformed_arguments":"{\\"a\\": "}', {"malformed_arguments": '{"a": '}),
        ("[1]", '{"malformed_arguments":[1]}', {"malformed_arguments": [1]}),
        ('{"a": NaN}', '{"malformed_arguments":"{\\"a\\": NaN}"}', {"malformed_arguments": '{"a": NaN}'}),
        ("[" * 100_000, None, {"malformed_arguments": "[" * 100_000}),
    ],
)
def test_arguments_are_always_an_object(given: str, text: str | None, object_: dict[str, Any]) -> None:
    assert arguments_object(given) == object_
    assert json.loads(arguments_text(given)) == object_
    assert text is None or arguments_text(given) == text


HISTORY = Request(
    "Be brief.",
    (
        UserMessage("go"),
        AssistantMessage(
            "", "because", (ToolCall("call_1", "ls", '{"b":1,"a":2}'), ToolCall("call_2", "ls", "{")), "ollama"
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


def test_ollama_sends_what_it_must() -> None:
    body = asyncio.run(sent(OLLAMA, ollama_at, HISTORY))
    assert body["truncate"] is False and body["shift"] is False and body["stream"] is True
    assert body["options"] == {"num_ctx": 32_768, "num_predict": 99}
    assert body["think"] is True
    assert body["tools"][0]["function"]["name"] == "ls"
    _, _, answer, *results = body["messages"]
    assert answer["thinking"] == "because"
    assert [c["function"]["arguments"] for c in answer["tool_calls"]] == [
        {"b": 1, "a": 2},
        {"malformed_arguments": "{"},
    ]
    assert list(answer["tool_calls"][0]["function"]["arguments"]) == ["b", "a"]
    assert [(r["role"], r["tool_name"], r["content"][:5]) for r in results] == [
        ("tool", "ls", "a.py"),
        ("tool", "ls", "Error"),
    ]
    assert "authorization" not in body["headers"]


@pytest.mark.parametrize(
    ("length", "num_ctx", "expected"),
    [(8_192, 0, 8_192), (262_144, 0, 32_768), (262_144, 65_536, 65_536), (0, 0, 32_768)],
)
def test_the_window_is_the_setting_or_the_smaller_of_maximum_and_default(
    length: int, num_ctx: int, expected: int
) -> None:
    show = {"/api/show": shows(("completion",), length)}
    body = asyncio.run(sent(OLLAMA, lambda a: ollama_at(a, num_ctx=num_ctx), HISTORY, show))
    assert body["options"]["num_ctx"] == expected
    assert "think" not in body  # the model cannot

    async def told() -> None:
        async with serving(show) as server:
            info = await ollama_at(server.address, num_ctx=num_ctx).info()
            assert (info.name, info.window, info.window_max) == ("ollama/m", expected, length)
            assert (info.tools, info.thinking) == (False, False)

    asyncio.run(told())


def test_ollama_without_a_description_of_its_model_still_answers() -> None:
    async def lists(_: Received, connection: Connection) -> None:
        await connection.json({"models": [{"model": "m", "modified_at": "2026-01-01T00:00:00Z"}]})

    async def scenario() -> None:
        async with serving({"/api/tags": lists}) as server:
            info = await ollama_at(server.address).info()
            assert (info.window, info.window_max, info.tools) == (32_768, 0, None)
        async with serving({}) as server:
            with pytest.raises(ProviderError) as raised:
                await ollama_at(server.address).info()
            assert raised.value.failed.kind == "unknown_model"

    asyncio.run(scenario())


def test_ollama_tells_which_questions_failed() -> None:
    async def scenario() -> None:
        shaped = {"error": {"message": "no such\nthing", "type": "not_found"}}  # as imitations of Ollama send it
        async with serving({"/api/show": lambda _, c: c.json(shaped, 500)}) as server:
            with pytest.raises(ProviderError) as raised:
                await ollama_at(server.address).info()
            assert raised.value.failed.kind == "server" and "no such thing" in raised.value.failed.text
        async with serving({"/api/tags": lambda _, c: c.json({"models": 7})}) as server:
            with pytest.raises(ProviderError) as raised:
                await ollama_at(server.address).names()
            assert raised.value.failed.kind == "malformed" and server.address in raised.value.failed.text
        nowhere = await free_address()
        with pytest.raises(ProviderError) as raised:
            await ollama_at(nowhere).models()
        assert raised.value.failed.kind == "unreachable"
        assert nowhere in raised.value.failed.text and "ollama serve" in raised.value.failed.hint

    asyncio.run(scenario())


def test_a_model_that_cannot_call_tools_says_so() -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json({"error": 'registry.ollama.ai/library/m "m" does not support tools'}, 400)

    async def scenario() -> None:
        async with OLLAMA.server(route) as (_, provider):
            end = (await played(provider))[-1]
            assert isinstance(end, Failed)
            assert end.kind == "bad_request" and "tools" in end.hint and "/model" in end.hint

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        ("box:1234", "http://box:1234"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:99", "http://127.0.0.1:99"),
        ("http://0.0.0.0:99/", "http://127.0.0.1:99"),
        (":1234", "http://127.0.0.1:1234"),
        ("http://example.com", "http://example.com:80"),
        ("https://example.com/ollama/", "https://example.com:443/ollama"),
        ("[::1]", "http://[::1]:11434"),
        ("[::]:80", "http://[::1]:80"),
        ("::1", "http://[::1]:11434"),
        (' "10.0.0.7:11434" ', "http://10.0.0.7:11434"),
        ("HTTPS://Example.com:5", "https://example.com:5"),
        ("box:port", "http://box:port"),
    ],
)
def test_ollama_host_in_all_its_forms(given: str, expected: str) -> None:
    assert ollama.address(given) == expected
    assert ollama.create("m", ProviderSetup(environment={"OLLAMA_HOST": given})).base_url == expected


def test_an_address_that_is_none_fails_in_one_line() -> None:
    for provider in (ollama_at("box:port"), compatible.create("m", ProviderSetup(base_url="http://box:port/v1"))):
        end = asyncio.run(played(provider))[-1]
        assert isinstance(end, Failed)
        assert end.kind == "bad_request" and "box:port" in end.text and end.hint


def test_chat_completions_sends_what_it_must() -> None:
    def provider(address: str) -> Provider:
        return COMPATIBLE.create(address, {})

    body = asyncio.run(sent(COMPATIBLE, provider, HISTORY))
    assert body["stream_options"] == {"include_usage": True}
    assert body["max_tokens"] == 99
    assert body["headers"]["authorization"] == "Bearer sk-test"
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
            "", (UserMessage("go"), AssistantMessage("", "why", calls, provider, state), ToolMessage("c", "ls", ""))
        )

    def answer(provider: str, state: str) -> dict[str, Any]:
        body = asyncio.run(sent(COMPATIBLE, lambda a: COMPATIBLE.create(a, {}), history(provider, state)))
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
    message = {"content": "hi", "reasoning": "hm", "tool_calls": [part("{}", id="a", name="ls", type="function")]}
    whole = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    }
    items = chat([json.dumps(whole).encode()], "application/json; charset=utf-8")
    assert items[:2] == [ThinkingChunk("hm"), TextChunk("hi")]
    assert items[-1] == Finished("tool_calls", (ToolCall("a", "ls", "{}"),), Usage(3, 4), '{"reasoning":"reasoning"}')


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "refusal"), ("eos", "stop"), ("tool_calls", "stop")],
)
def test_finish_reasons(reason: str, expected: str) -> None:
    assert chat([delta(content="hi"), delta(reason)])[-1].stop_reason == expected


def test_ends_of_a_stream() -> None:
    assert chat([delta(content="hi"), sse(b"[DONE]")])[-1] == Finished("stop")
    assert chat([delta(content="hi"), delta("stop")])[-1] == Finished("stop")
    assert chat([sse(b"[DONE]")])[-1].kind == "empty_stream"
    assert chat([delta(content="hi"), delta("error")])[-1].kind == "server"
    assert chat([delta(refusal="I cannot."), delta("stop")])[-1].stop_reason == "refusal"
    late = chat([delta(content="hi"), delta("stop"), sse({"error": {"message": "too late"}})])
    assert late[-1] == Finished("stop")


def test_errors_inside_a_stream_are_named() -> None:
    def kind(error: Any) -> str:
        return str(chat([delta(content="hi"), sse({"error": error})])[-1].kind)

    assert kind({"message": "context length exceeded"}) == "overflow"
    assert kind({"message": "no", "code": 429}) == "rate_limited"
    assert kind({"message": "no", "code": "rate_limit_exceeded"}) == "rate_limited"
    assert kind({"message": "no", "code": "401"}) == "auth"
    assert kind("boom") == "server"
    assert kind({"code": 7}) == "server"


def test_content_in_parts() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]
    assert chat([delta(content=parts), delta("stop")])[:2] == [ThinkingChunk("hm"), TextChunk("yes")]


def test_shapes_nobody_promised_do_not_raise() -> None:
    odd: list[Any] = [
        {"choices": None}, {"choices": [7]}, {"choices": {}}, {"usage": 7}, {"usage": {"prompt_tokens": "x"}},
        {"choices": [{"delta": 7}]}, {"choices": [{"delta": {"content": 7, "tool_calls": {"a": 1}}}]},
        {"choices": [{"delta": {"tool_calls": [7, {"function": 7}, {"index": "x", "id": 9}]}}]},
    ]  # fmt: skip
    items = chat([*map(sse, odd), delta("stop", content="ok")])
    assert [i for i in items if isinstance(i, TextChunk)] == [TextChunk("ok")]
    assert items[-1] == Finished("stop", (), Usage(0, 0))

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
    entries = [{"id": "a", "max_model_len": 4096}, {"id": "b", "meta": {"n_ctx": 8192}}, {"id": "c"}, {"nonsense": 1}]

    async def models(address: str, **options: Any) -> dict[str, int]:
        provider = COMPATIBLE.create(address, options)
        found = {m.name: m.window for m in await provider.models()}
        await provider.close()
        return found

    async def scenario() -> None:
        async with serving({"/v1/models": lambda _, c: c.json({"data": entries})}) as server:
            assert await models(server.address) == {"compatible/a": 4096, "compatible/b": 8192, "compatible/c": 0}
            assert set((await models(server.address, window=99)).values()) == {99}
            info = await COMPATIBLE.create(server.address, {}).info()
            assert (info.name, info.window, info.tools) == ("compatible/m", 0, None)
        async with serving({}) as server:  # no list at all: the model may be there anyway
            assert (await COMPATIBLE.create(server.address, {}).info()).name == "compatible/m"

    asyncio.run(scenario())


def test_openai_offers_only_what_chats() -> None:
    names = ["gpt-5", "text-embedding-3-small", "whisper-1", "gpt-image-1", "gpt-4o-realtime-preview", "o3"]

    async def scenario() -> None:
        async with serving({"/v1/models": lambda _, c: c.json({"data": [{"id": n} for n in names]})}) as server:
            found = [m.name for m in await OPENAI.create(server.address, {}).models()]
            assert found == ["openai/gpt-5", "openai/o3"]

    asyncio.run(scenario())


def test_openai_itself_is_not_asked_before_the_first_prompt() -> None:
    provider = openai.create("gpt-5", ProviderSetup(environment={"OPENAI_API_KEY": "sk-x"}))
    assert provider.base_url == "https://api.openai.com/v1"
    info = asyncio.run(provider.info())
    assert (info.name, info.window) == ("openai/gpt-5", 0)


def test_a_key_that_no_header_can_carry_is_a_refused_key() -> None:
    async def route(received: Received, connection: Connection) -> None:
        assert "authorization" not in received.headers
        await connection.json({"error": "no key"}, 401)

    async def scenario() -> None:
        async with serving({"/v1/chat/completions": route}) as server:
            setup = ProviderSetup(base_url=f"{server.address}/v1", api_key="sk\nX-Evil: 1")
            end = (await played(compatible.create("m", setup)))[-1]
            assert isinstance(end, Failed) and end.kind == "auth" and "characters" in end.hint

    asyncio.run(scenario())


def test_a_secret_in_an_address_is_not_shown() -> None:
    assert shown_address("http://me:pw@box:1/x") == "http://box:1/x"
    end = asyncio.run(played(compatible.create("m", ProviderSetup(base_url="http://me:pw@127.0.0.1:1/v1"))))[-1]
    assert isinstance(end, Failed) and "pw" not in end.text + end.hint


@pytest.mark.parametrize(
    ("url", "loopback", "near"),
    [
        ("http://localhost:1", True, True), ("http://127.0.0.1:1", True, True), ("http://[::1]:1", True, True),
        ("http://192.168.1.9:1", False, True), ("http://nas:1", False, True), ("http://nas.local", False, True),
        ("https://api.openai.com/v1", False, False), ("http://8.8.8.8", False, False), ("http://[", False, False),
    ],
)  # fmt: skip
def test_near_and_far(url: str, loopback: bool, near: bool) -> None:
    assert (is_loopback(url), is_near(url)) == (loopback, near)
    patience = Patience.for_address(url)
    assert (patience.first is None) == near
    assert patience.between is not None and (patience.between == 60.0) == (not near)
    assert Patience.for_address(url, 0) == Patience(None, None)
    assert Patience.for_address(url, 5) == Patience(5.0, 5.0)


def test_a_proxy_of_the_environment_is_not_asked_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    async def scenario() -> None:
        for dialect, parts in ((OLLAMA, ollama_parts), (COMPATIBLE, chat_parts)):
            async with dialect.answering(parts([text("ok")], "stop")) as (_, provider):
                assert isinstance((await played(provider))[-1], Finished)

    asyncio.run(scenario())


def test_a_proxy_that_cannot_be_used_is_a_failure_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks9://127.0.0.1:1")
    far = "http://example.invalid"
    for provider in (ollama_at(far), compatible.create("m", ProviderSetup(base_url=far))):
        end = asyncio.run(played(provider))[-1]
        assert isinstance(end, Failed)
        assert "ALL_PROXY" in end.hint and far in end.text


LOAD = """
import asyncio, os, sys
from agent_tui.providers import ollama
from agent_tui.providers.base import ProviderSetup
provider = ollama.create("m", ProviderSetup(base_url=sys.argv[1]))
print(asyncio.run(provider.info()).window, os.environ[sys.argv[2]])
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks9://127.0.0.1:1"), ("OLLAMA_HOST", "box:port"), ("SSL_CERT_FILE", "/no/such/file")],
)
def test_an_odd_environment_does_not_keep_from_the_local_ollama(name: str, value: str) -> None:
    """In a process of its own: the package reads the environment once, when it is loaded."""

    async def scenario() -> str:
        async with serving({"/api/show": shows()}) as server:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", LOAD, server.address, name,
                env={**os.environ, name: value}, stdout=PIPE, stderr=STDOUT,
            )  # fmt: skip
            out, _ = await process.communicate()
            return out.decode().strip()

    assert asyncio.run(scenario()) == f"32768 {value}"
