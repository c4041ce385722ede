"""Whatever stands anywhere in an answer: one end, nothing raised, and what came of it can be stored
and sent again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol import codec
from agent_tui.protocol.events import AssistantReplied, ErrorRaised
from agent_tui.protocol.messages import AssistantMessage, Request, ToolMessage, UserMessage
from agent_tui.providers.base import Failed, Finished, StreamItem, TextChunk, ThinkingChunk
from agent_tui.providers.dialects.translate import count, name_in, state_of
from agent_tui.providers.wire import stream
from tests.campaigns import examples
from tests.providers.asking import COMPATIBLE, OLLAMA
from tests.providers.cases import joined
from tests.providers.dialect_responses import RESPONSES
from tests.providers.dialects import DIALECTS
from tests.providers.gemini_server import GEMINI
from tests.providers.servers import KEY, Connection, Dialect, Received, call, played, text, thinking

SAID = (
    thinking("hm"),
    text("Hel"),
    text("lo"),
    call("ls", '{"path": "é"}', "c1"),
    call("cat", "{}", "c2"),
)
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "401",
    "9" * 5_000,
    "\ud800",
    "\x1b[31m\r\n\0",
    KEY,
    [],
    [None],
    ["x"],
    [{"type": ["x"]}],
    {},
    {"message": None},
    {"code": "9" * 5_000},
    {"error": {"code": 401}},
)
DEEP = "@deep@"
"""Stands for more levels than JSON is written to, or nearly as many as are read."""
LEVELS = (300, 900, 970, 975, 980)
NAMES = (
    "error",
    "usage",
    "model",
    "type",
    "index",
    "id",
    "delta",
    "message",
    "response",
    "finish_reason",
    "done",
)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in inner:
        yield from places(value, (*path, key))


def changed(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    inner = changed(
        node[first] if isinstance(node, list) or first in node else {}, tuple(rest), value
    )
    if isinstance(node, list):
        return [*node[:first], inner, *node[first + 1 :]]
    return {**node, first: inner}


@st.composite
def answers(draw: st.DrawFn, dialect: Dialect) -> list[bytes]:
    """An answer in which one thing is another, or parts of it are lost, doubled or in another
    order."""
    events = [
        line
        for part in dialect.parts(SAID, "tool_calls")
        for line in part.decode().split("\n")
        if "{" in line
    ]
    if draw(st.booleans()):
        at = draw(st.integers(0, len(events) - 1))
        head, brace, body = events[at].partition("{")
        node = json.loads(brace + body)
        path = draw(st.sampled_from([*places(node), *((name,) for name in NAMES)]))
        value = draw(st.sampled_from((*HOSTILE, DEEP)))
        level = draw(st.sampled_from(LEVELS))
        deep = '{"a":' * level + "1" + "}" * level
        events[at] = head + json.dumps(changed(node, path, value)).replace(f'"{DEEP}"', deep)
    else:
        events = draw(st.lists(st.sampled_from(events), max_size=2 * len(events)))
    end = "\n\n" if "event-stream" in dialect.content_type else "\n"
    return [(event + end).encode() for event in events]


def stored_and_sent_again(items: list[StreamItem], end: Finished, provider: str) -> Request:
    words, thoughts = joined(items, TextChunk), joined(items, ThinkingChunk)
    reply = AssistantReplied(words, thoughts, end.calls, provider=provider, state=end.state)
    assert codec.decode(codec.encode(reply)) == reply
    (words + thoughts + end.state + end.model + repr(end.calls)).encode()
    results = (ToolMessage(call.id, call.name, "done") for call in end.calls)
    message = AssistantMessage(words, thoughts, end.calls, provider, end.state)
    return Request("", (UserMessage("go"), message, *results, UserMessage("on")))


async def asked_twice(dialect: Dialect, chunks: list[bytes]) -> None:
    async def route(_: Received, connection: Connection) -> None:
        first = len(server.received) <= 1 + bool(dialect.beside)
        await connection.stream(
            chunks if first else dialect.parts([text("ok")], "stop"), dialect.content_type
        )

    async with dialect.server(route) as (server, provider):
        items = await played(provider)
        *parts, end = items
        assert isinstance(end, Finished | Failed) and not any(
            isinstance(part, Finished | Failed) for part in parts
        )
        if isinstance(end, Failed):
            assert "\n" not in end.text and len(end.text) < 600 and KEY not in end.text
            codec.encode(ErrorRaised(end.text, end.kind))
            end.text.encode()
            return
        assert len({call.id for call in end.calls}) == len(end.calls)
        assert isinstance(
            (await played(provider, stored_and_sent_again(items, end, provider.name)))[-1], Finished
        )


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_an_answer_with_anything_in_it(dialect: Dialect, data: st.DataObject) -> None:
    asyncio.run(asked_twice(dialect, data.draw(answers(dialect))))


@pytest.mark.parametrize("dialect", [COMPATIBLE, OLLAMA], ids=lambda dialect: str(dialect.name))
def test_a_server_that_never_hangs_up_does_not_hold_an_answer_that_is_whole(
    dialect: Dialect,
) -> None:
    """Signs of life without end, after the end: a proxy keeps a connection warm."""
    more = b'{"x": 1}\n' if dialect is OLLAMA else b': ping\n\ndata: {"type": "ping"}\n\n'

    async def route(_: Received, connection: Connection) -> None:
        await connection.head(headers={"Content-Type": dialect.content_type})
        await connection.chunk(b"".join(dialect.parts([text("Hello")], "stop")))
        while True:
            await connection.chunk(more)
            await asyncio.sleep(0.05)

    async def scenario() -> str:
        async with dialect.server(route) as (_, provider):
            return joined(await asyncio.wait_for(played(provider), 20), TextChunk)

    assert asyncio.run(scenario()) == "Hello"


@pytest.mark.parametrize(
    "dialect", [COMPATIBLE, OLLAMA, GEMINI, RESPONSES], ids=lambda dialect: str(dialect.name)
)
def test_an_answer_without_end_comes_to_one(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It filled memory and disk until somebody stopped it."""
    monkeypatch.setattr(stream, "MOST_SAID", 3_000_000)
    more = dialect.parts([text("Hi"), text("again " * 1_000)], "stop")[
        : 2 if dialect is OLLAMA else 3
    ]

    async def route(_: Received, connection: Connection) -> None:
        await connection.head(headers={"Content-Type": dialect.content_type})
        while True:
            await connection.chunk(b"".join(more))

    async def scenario() -> list[StreamItem]:
        async with dialect.server(route) as (_, provider):
            return await asyncio.wait_for(played(provider), 60)

    *parts, end = asyncio.run(scenario())
    assert (
        isinstance(end, Failed)
        and end.kind == "malformed"
        and "endless answer" in end.text
        and not end.may_pass
    )
    assert 3_000_000 < len(joined(parts, TextChunk)) < 6_000_000


def test_a_call_without_a_name_is_told_to_the_model() -> None:
    """Left out, it would look as if the model had called nothing."""

    async def scenario() -> Finished:
        parts = RESPONSES.parts([call("ls", "{}", "c1")], "stop")
        nameless = [part.replace(b'"name": "ls", ', b"") for part in parts]
        async with RESPONSES.answering(nameless) as (_, provider):
            end = (await played(provider))[-1]
        assert isinstance(end, Finished)
        return end

    end = asyncio.run(scenario())
    assert end.stop_reason == "tool_calls" and [
        (call.name, call.arguments) for call in end.calls
    ] == [("", "{}")]


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ("12", 12),
        (12.0, 12),
        (12, 12),
        ("", 0),
        ("-5", 0),
        ("1e3", 0),
        ("9" * 5_000, 0),
        (1.5, 0),
        (-5, 0),
        (float("nan"), 0),
        (float("inf"), 0),
        (1e300, 0),
        (True, 0),
        ("٣", 0),
        (None, 0),
        ([1], 0),
        (10**30, 0),
    ],
)
def test_a_count_is_read_however_it_is_written(told: Any, counted: int) -> None:
    assert count(told) == counted


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
@pytest.mark.parametrize("tokens", [b"0", b"-7", b'"x"', b"null", b"{}"])
def test_where_nothing_legible_is_counted_it_is_estimated(dialect: Dialect, tokens: bytes) -> None:
    """No tokens at all would never use up a budget."""
    parts = [part.replace(b":3}", b":" + tokens + b"}") for part in dialect.raw_call(b"{}", tokens)]
    parts = [part.replace(b'"output_tokens": 3', b'"output_tokens": ' + tokens) for part in parts]

    async def scenario() -> Finished:
        async with dialect.answering(parts) as (_, provider):
            end = (await played(provider))[-1]
        assert isinstance(end, Finished)
        return end

    assert asyncio.run(scenario()).usage is None


def test_a_name_fits_into_a_line() -> None:
    """Of a tool, or of the model that answered: they stand in the transcript and in every sum."""
    assert name_in(" a\nb\r\n\tc\ud800 ") == "a b c\ufffd" and len(name_in("x" * 5_000)) == 300
    assert name_in(None) == name_in(["a"]) == ""


def test_what_no_text_can_hold_is_not_kept_with_an_answer() -> None:
    deep: list[Any] = []
    for _ in range(2_000):
        deep = [deep]
    assert state_of({"signature": float("nan")}) == state_of(deep) == ""
    assert state_of({"signature": "a\ud800"}).encode() == b'{"signature":"a\xef\xbf\xbd"}'
