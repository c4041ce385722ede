"""Cases: cuttings, cancelling, two at once, and the bytes of requests."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from itertools import pairwise

import pytest

from agent_tui.protocol.messages import (
    AssistantMessage,
    Request,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agent_tui.providers.base import TextChunk
from tests.providers.cases import failed, finished, joined
from tests.providers.servers import (
    Connection,
    Dialect,
    Received,
    call,
    free_address,
    played,
    request,
    text,
    thinking,
)

SAID = [thinking("Öhm … 🤔"), text("日本語 and 🎉"), call("wrïte", '{"text":"naïve 🎈"}', "a1")]


async def closing_lets_what_runs_go_on(dialect: Dialect) -> None:
    """The model is changed while a turn runs: the turn ends on the one that it began with."""
    parts = dialect.parts([text("Hel"), text("lo")], "stop")
    goes_on = asyncio.Event()

    async def route(_: Received, connection: Connection) -> None:
        await connection.head(headers={"Content-Type": dialect.content_type})
        for number, part in enumerate(parts):
            if number == 2:
                await goes_on.wait()
            await connection.chunk(part)
        await connection.end()

    async with dialect.server(route) as (_, provider):
        items = []
        async for item in provider.stream(request()):
            items.append(item)
            await provider.close()
            goes_on.set()
        assert joined(items, TextChunk) == "Hello" and finished(items).stop_reason == "stop"
        assert finished(await played(provider)).stop_reason == "stop"


async def byte_by_byte(dialect: Dialect) -> None:
    parts = dialect.parts(SAID, "tool_calls")
    whole = b"".join(parts)
    async with dialect.answering(parts) as (_, provider):
        expected = await played(provider)
    async with dialect.answering([whole[i : i + 1] for i in range(len(whole))]) as (_, provider):
        assert await played(provider) == expected
    async with dialect.answering([whole]) as (_, provider):
        assert await played(provider) == expected
    assert joined(expected, TextChunk) == "日本語 and 🎉"


async def a_pair_of_surrogates_cut_in_two(dialect: Dialect) -> None:
    escaped = [
        part.replace("🎉".encode(), b"\\ud83c", 1) for part in dialect.parts([text("a🎉")], "stop")
    ]
    low = [
        part.replace("🎉".encode(), b"\\udf89", 1) for part in dialect.parts([text("🎉b")], "stop")
    ]
    split = next(i for i, part in enumerate(escaped) if b"ud83c" in part)
    async with dialect.answering([*escaped[: split + 1], *low[split:]]) as (_, provider):
        items = await played(provider)
    assert joined(items, TextChunk) == "a🎉b"
    async with dialect.answering(escaped) as (_, provider):
        assert joined(await played(provider), TextChunk) == "a\ufffd"


async def cancelled_while_blocked(dialect: Dialect) -> None:
    parts = dialect.parts([text("Hel"), text("lo")], "stop")

    async def scenario(started: bool) -> None:
        waiting, left = asyncio.Event(), asyncio.Event()

        async def route(_: Received, connection: Connection) -> None:
            if started:
                await connection.head()
                await connection.chunk(b"".join(parts[:2]))
            waiting.set()
            await connection.until_client_leaves()
            left.set()

        async with dialect.server(route) as (_, provider):
            turn = asyncio.create_task(played(provider))
            await asyncio.wait_for(waiting.wait(), 5)
            turn.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(turn, 30)
            await asyncio.wait_for(left.wait(), 5)

    await scenario(started=False)
    await scenario(started=True)


async def left_early(dialect: Dialect) -> None:
    left = asyncio.Event()

    async def route(_: Received, connection: Connection) -> None:
        await connection.head()
        await connection.chunk(b"".join(dialect.parts([text("Hello")], "stop")[:-1]))
        await connection.until_client_leaves()
        left.set()

    async with (
        dialect.server(route) as (_, provider),
        aclosing(provider.stream(request())) as stream,
    ):  # type: ignore[type-var]
        async for item in stream:
            assert isinstance(item, TextChunk)
            break
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(left.wait(), 5)


async def two_at_once(dialect: Dialect) -> None:
    both = asyncio.Barrier(2)

    async def route(received: Received, connection: Connection) -> None:
        prompt = dialect.prompt(received.json)
        await both.wait()  # neither is answered before both have asked
        await connection.stream(
            dialect.parts([text(f"you said {prompt}")], "stop"), dialect.content_type
        )

    async with dialect.server(route) as (_, provider):
        one, two = await asyncio.wait_for(
            asyncio.gather(played(provider, request("one")), played(provider, request("two"))), 10
        )
    assert joined(one, TextChunk) == "you said one"
    assert joined(two, TextChunk) == "you said two"


async def unreachable(dialect: Dialect) -> None:
    address = await free_address()
    provider = dialect.create(address, {})
    end = failed(await played(provider), "unreachable", address)
    assert not end.may_pass  # on this machine somebody has to start it
    await provider.close()


async def silence_ends_by_the_persons_limit(dialect: Dialect) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.head()
        await connection.chunk(dialect.parts([text("Hel")], "stop")[0])
        await connection.until_client_leaves()

    async with dialect.server(route, idle_timeout=0.1) as (server, provider):
        assert failed(
            await asyncio.wait_for(played(provider), 10), "timeout", server.address
        ).may_pass


async def a_byte_now_and_then_is_no_sign_of_life(dialect: Dialect) -> None:
    part = dialect.parts([text("Hel")], "stop")[0].rstrip()[:-1]

    async def route(_: Received, connection: Connection) -> None:
        await connection.head(headers={"Content-Type": dialect.content_type})
        for byte in part + b" " * 100_000:
            await connection.chunk(bytes([byte]))
            await asyncio.sleep(0.02)

    async with dialect.server(route, idle_timeout=0.2) as (server, provider):
        assert failed(
            await asyncio.wait_for(played(provider), 10), "timeout", server.address
        ).may_pass


async def signs_of_life_without_end_are_no_answer(dialect: Dialect) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.head(headers={"Content-Type": dialect.content_type})
        while True:
            await connection.chunk(b"\n" if dialect.name == "ollama" else b": still here\n\n")
            await asyncio.sleep(0.02)

    async with dialect.server(route, idle_timeout=0.05) as (server, provider):
        assert failed(
            await asyncio.wait_for(played(provider), 10), "timeout", server.address
        ).may_pass


async def a_longer_conversation_starts_with_the_bytes_of_the_shorter(dialect: Dialect) -> None:
    calls = (ToolCall("c1", "grep", '{"q": "ü",  "n":1}'), ToolCall("c2", "grep", '{"q": '))
    messages = (
        UserMessage("find ü"),
        AssistantMessage("Looking.", "I think", calls, dialect.name),
        ToolMessage("c1", "grep", "a.py:1: ü"),
        ToolMessage("c2", "grep", "Error [invalid_arguments]: no"),
        UserMessage("and be quick"),
        AssistantMessage("Found it.", provider=dialect.name),
        UserMessage("lone \ud800 surrogate"),
    )
    async with dialect.answering(dialect.parts([text("ok")], "stop")) as (server, provider):
        for end in range(1, len(messages) + 1):
            finished(await played(provider, Request("system", messages[:end])))
        finished(await played(provider, Request("system", messages)))
        bodies = server.bodies(dialect.path)
    assert bodies[-1] == bodies[-2]
    for shorter, longer in pairwise(bodies[:-1]):
        assert dialect.kept(longer).startswith(dialect.kept(shorter) + b",")
    roles = dialect.roles(json.loads(bodies[-1]))
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "user"]
