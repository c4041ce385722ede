"""Every provider through one table, over a real local HTTP server: what a stream means is the same on every wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from agent_tui.protocol.messages import AssistantMessage, Request, ToolCall, ToolMessage, Usage, UserMessage
from agent_tui.providers.base import CallChunk, Failed, Finished, StreamItem, TextChunk, ThinkingChunk
from tests.providers.servers import (
    COMPLETION,
    DIALECTS,
    PROMPT,
    Connection,
    Dialect,
    Received,
    Said,
    call,
    free_address,
    played,
    request,
    text,
    thinking,
)

Case = Callable[[Dialect], Awaitable[None]]
CASES: list[Case] = []


def case(check: Case) -> Case:
    CASES.append(check)
    return check


def joined(items: Sequence[StreamItem], kind: type[TextChunk] | type[ThinkingChunk]) -> str:
    return "".join(item.text for item in items if isinstance(item, kind))


def finished(items: Sequence[StreamItem]) -> Finished:
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    assert len(ends) == 1 and ends[0] is items[-1], items
    assert isinstance(ends[0], Finished), ends[0]
    return ends[0]


def failed(items: Sequence[StreamItem], kind: str, where: str = "") -> Failed:
    ends = [item for item in items if isinstance(item, Finished | Failed)]
    assert len(ends) == 1 and ends[0] is items[-1], items
    end = ends[0]
    assert isinstance(end, Failed), end
    assert end.kind == kind, end
    assert end.hint and "\n" not in end.text + end.hint
    assert where in end.text
    return end


async def answer(dialect: Dialect, said: Sequence[Said], stop: str = "stop") -> list[StreamItem]:
    async with dialect.answering(dialect.parts(said, stop)) as (_, provider):
        return await played(provider)


async def refused(dialect: Dialect, status: int, body: object, headers: dict[str, str] | None = None) -> Failed:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(body, status, headers)

    async with dialect.server(route) as (server, provider):
        end = (await played(provider))[-1]
        assert isinstance(end, Failed)
        assert server.address in end.text, end
        return end


@case
async def plain_text(dialect: Dialect) -> None:
    items = await answer(dialect, [text("Hel"), text("lo "), text("wörld 🎉")])
    assert joined(items, TextChunk) == "Hello wörld 🎉"
    assert finished(items).stop_reason == "stop"
    assert finished(items).calls == ()


@case
async def thought_and_text(dialect: Dialect) -> None:
    items = await answer(dialect, [thinking("hm, "), thinking("so"), text("yes")])
    assert joined(items, ThinkingChunk) == "hm, so"
    assert joined(items, TextChunk) == "yes"
    assert isinstance(items[0], ThinkingChunk)
    assert finished(items).stop_reason == "stop"


def whole_calls(items: Sequence[StreamItem]) -> dict[int, list[str]]:
    """The calls as their chunks tell them: id, name, arguments."""
    found: dict[int, list[str]] = {}
    for item in items:
        if isinstance(item, CallChunk):
            entry = found.setdefault(item.index, [item.id, item.name, ""])
            entry[2] += item.text
    return found


@case
async def one_call(dialect: Dialect) -> None:
    items = await answer(dialect, [call("read_file", '{"path":"ä.py"}', "a1")], "tool_calls")
    end = finished(items)
    assert end.stop_reason == "tool_calls"
    assert [(c.name, json.loads(c.arguments)) for c in end.calls] == [("read_file", {"path": "ä.py"})]
    assert end.calls[0].id
    assert whole_calls(items) == {0: [end.calls[0].id, "read_file", end.calls[0].arguments]}


@case
async def parallel_calls(dialect: Dialect) -> None:
    said = [call("glob", '{"p":"*"}', "a1"), call("grep", '{"q":"x"}', "a2"), call("grep", '{"q":"y"}', "a3")]
    items = await answer(dialect, said, "tool_calls")
    end = finished(items)
    assert [c.name for c in end.calls] == ["glob", "grep", "grep"]
    assert [json.loads(c.arguments) for c in end.calls] == [{"p": "*"}, {"q": "x"}, {"q": "y"}]
    assert len({c.id for c in end.calls}) == 3
    assert [entry[0] for entry in whole_calls(items).values()] == [c.id for c in end.calls]


@case
async def text_and_call(dialect: Dialect) -> None:
    items = await answer(dialect, [text("Let me look."), call("ls", "{}", "a1")], "tool_calls")
    assert joined(items, TextChunk) == "Let me look."
    assert finished(items).calls[0].name == "ls"
    assert finished(items).stop_reason == "tool_calls"


@case
async def ids_are_new_in_a_history(dialect: Dialect) -> None:
    before = tuple(ToolCall(f"call_{n}", "ls") for n in (1, 2, 3))
    results = tuple(ToolMessage(c.id, "ls", "a") for c in before)
    history = Request("s", (UserMessage("go"), AssistantMessage("", calls=before), *results))
    async with dialect.answering(dialect.parts([call("ls", "{}"), call("ls", "{}")], "tool_calls")) as (_, provider):
        first, again = finished(await played(provider, history)), finished(await played(provider, history))
    assert len({c.id for c in (*before, *first.calls)}) == 5
    assert first.calls == again.calls


@case
async def usage_is_reported(dialect: Dialect) -> None:
    usage = finished(await answer(dialect, [text("hi")])).usage
    assert usage is not None
    assert usage == Usage(PROMPT, COMPLETION, usage.cached_tokens)
    assert usage.cached_tokens == (0 if dialect.name == "ollama" else 3)


@case
async def length_stop(dialect: Dialect) -> None:
    assert finished(await answer(dialect, [text("hi")], "length")).stop_reason == "length"


@case
async def an_answer_without_words_is_an_answer(dialect: Dialect) -> None:
    items = await answer(dialect, [])
    assert finished(items).stop_reason == "stop"
    assert len(items) == 1


@case
async def overflow_names_what_helps(dialect: Dialect) -> None:
    for said in (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "the prompt is too long: 9000 tokens",
    ):
        end = await refused(dialect, 400, {"error": {"message": said, "code": 400}})
        assert end.kind == "overflow"
        assert "/clear" in end.hint and "/model" in end.hint
        assert not end.may_pass


@case
async def overflow_in_other_shapes(dialect: Dialect) -> None:
    plain = {"error": "input length exceeds the context length"}
    assert (await refused(dialect, 400, plain)).kind == "overflow"
    assert (await refused(dialect, 413, b"")).kind == "overflow"
    assert (await refused(dialect, 500, plain)).kind == "overflow"
    assert (await refused(dialect, 400, {"error": "tools: unknown field"})).kind == "bad_request"


@case
async def a_wrong_key(dialect: Dialect) -> None:
    for status in (401, 403):
        end = await refused(dialect, status, {"error": {"message": "bad key\nline two"}})
        assert end.kind == "auth"
        assert "bad key line two" in end.text
        assert not end.may_pass and end.hint


@case
async def an_unknown_model(dialect: Dialect) -> None:
    end = await refused(dialect, 404, {"error": "model 'm' not found"})
    assert end.kind == "unknown_model"
    assert "'m'" in end.text
    assert "/model" in end.hint
    assert ("ollama pull m" in end.hint) == (dialect.name == "ollama")


@case
async def a_rate_limit(dialect: Dialect) -> None:
    slow = {"error": {"message": "slow down"}}
    end = await refused(dialect, 429, slow, {"Retry-After": "7"})
    assert (end.kind, end.may_pass, end.retry_after) == ("rate_limited", True, 7.0)
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    dates = {
        "Date": format_datetime(now, usegmt=True),
        "Retry-After": format_datetime(now + timedelta(90), usegmt=True),
    }
    assert (await refused(dialect, 429, slow, dates)).retry_after == 90 * 86_400
    later = datetime.now(UTC) + timedelta(seconds=300)
    wait = (await refused(dialect, 429, slow, {"Retry-After": format_datetime(later, usegmt=True)})).retry_after
    assert wait is not None and 0 < wait <= 300
    for nonsense in ("soon", "-5", "inf"):
        odd = await refused(dialect, 429, slow, {"Retry-After": nonsense})
        assert odd.retry_after in (None, 0.0)
    broke = await refused(dialect, 429, {"error": {"message": "no", "code": "insufficient_quota"}})
    assert not broke.may_pass and "billing" in broke.hint


@case
async def a_server_error(dialect: Dialect) -> None:
    for status in (500, 502, 503, 529):
        end = await refused(dialect, status, b"<html><body>Bad gateway</body></html>")
        assert end.kind == "server" and end.may_pass
        assert "html" not in end.text


@case
async def a_redirect_is_not_followed(dialect: Dialect) -> None:
    end = await refused(dialect, 307, b"", {"Location": "http://127.0.0.1:9/elsewhere"})
    assert end.kind == "bad_request" and "http://127.0.0.1:9/elsewhere" in end.text


@case
async def an_error_in_the_stream(dialect: Dialect) -> None:
    parts = dialect.parts([text("Hel")], "stop")[: 1 if dialect.name == "ollama" else 2]
    error = json.dumps({"error": {"message": "the GPU is on fire"}}).encode()
    parts.append(error + b"\n" if dialect.name == "ollama" else b"data: " + error + b"\n\n")
    async with dialect.answering(parts) as (server, provider):
        items = await played(provider)
    assert joined(items, TextChunk) == "Hel"
    end = failed(items, "server", server.address)
    assert "the GPU is on fire" in end.text and end.may_pass


@case
async def cut_before_the_first_byte(dialect: Dialect) -> None:
    async def nothing(_: Received, __: Connection) -> None:
        return

    async def only_head(_: Received, connection: Connection) -> None:
        await connection.head()

    for route in (nothing, only_head):
        async with dialect.server(route) as (server, provider):
            assert failed(await played(provider), "broken_stream", server.address).may_pass


@case
async def cut_in_the_middle(dialect: Dialect) -> None:
    parts = dialect.parts([text("Hel"), text("lo")], "stop")

    async def route(_: Received, connection: Connection) -> None:
        await connection.head()
        for part in parts[:2]:
            await connection.chunk(part)

    async def polite(_: Received, connection: Connection) -> None:
        await connection.stream(parts[:2], dialect.content_type)

    for cut in (route, polite):
        async with dialect.server(cut) as (server, provider):
            items = await played(provider)
        assert joined(items, TextChunk).startswith("Hel")
        assert failed(items, "broken_stream", server.address).may_pass


@case
async def an_empty_stream(dialect: Dialect) -> None:
    async with dialect.answering([]) as (server, provider):
        assert failed(await played(provider), "empty_stream", server.address).may_pass


@case
async def a_malformed_body(dialect: Dialect) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(b'{"choices": [{"mess', headers={"Content-Type": "application/json"})

    async with dialect.server(route) as (server, provider):
        failed(await played(provider), "malformed", server.address)


@case
async def a_web_page_instead_of_a_stream(dialect: Dialect) -> None:
    async with dialect.server(lambda _, c: c.stream([b"<html>hello</html>"], "text/html; charset=utf-8")) as (
        _,
        provider,
    ):
        assert "address" in failed(await played(provider), "malformed").hint


@case
async def bad_payloads(dialect: Dialect) -> None:
    good = dialect.parts([text("Hel"), text("lo")], "stop")
    for mixed in ([dialect.bad, *good], [*good[:2], dialect.bad, dialect.bad, *good[2:]]):
        async with dialect.answering(mixed) as (_, provider):
            items = await played(provider)
        assert joined(items, TextChunk) == "Hello"
        assert finished(items).stop_reason == "stop"
    async with dialect.answering([*good[:2], *[dialect.bad] * 3, *good[2:]]) as (_, provider):
        items = await played(provider)
    assert joined(items, TextChunk).startswith("Hel")
    failed(items, "malformed")


SAID = [thinking("Öhm … 🤔"), text("日本語 and 🎉"), call("wrïte", '{"text":"naïve 🎈"}', "a1")]


@case
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


@case
async def a_pair_of_surrogates_cut_in_two(dialect: Dialect) -> None:
    escaped = [part.replace("🎉".encode(), b"\\ud83c", 1) for part in dialect.parts([text("a🎉")], "stop")]
    low = [part.replace("🎉".encode(), b"\\udf89", 1) for part in dialect.parts([text("🎉b")], "stop")]
    split = next(i for i, part in enumerate(escaped) if b"ud83c" in part)
    async with dialect.answering([*escaped[: split + 1], *low[split:]]) as (_, provider):
        items = await played(provider)
    assert joined(items, TextChunk) == "a🎉b"
    async with dialect.answering(escaped) as (_, provider):
        assert joined(await played(provider), TextChunk) == "a\ufffd"


@case
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
                await asyncio.wait_for(turn, 5)
            await asyncio.wait_for(left.wait(), 5)

    await scenario(started=False)
    await scenario(started=True)


@case
async def left_early(dialect: Dialect) -> None:
    left = asyncio.Event()

    async def route(_: Received, connection: Connection) -> None:
        await connection.head()
        await connection.chunk(b"".join(dialect.parts([text("Hello")], "stop")[:-1]))
        await connection.until_client_leaves()
        left.set()

    async with dialect.server(route) as (_, provider), aclosing(provider.stream(request())) as stream:  # type: ignore[type-var]
        async for item in stream:
            assert isinstance(item, TextChunk)
            break
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(left.wait(), 5)


@case
async def two_at_once(dialect: Dialect) -> None:
    both = asyncio.Barrier(2)

    async def route(received: Received, connection: Connection) -> None:
        prompt = received.json["messages"][-1]["content"]
        await both.wait()  # neither is answered before both have asked
        await connection.stream(dialect.parts([text(f"you said {prompt}")], "stop"), dialect.content_type)

    async with dialect.server(route) as (_, provider):
        one, two = await asyncio.wait_for(
            asyncio.gather(played(provider, request("one")), played(provider, request("two"))), 10
        )
    assert joined(one, TextChunk) == "you said one"
    assert joined(two, TextChunk) == "you said two"


@case
async def unreachable(dialect: Dialect) -> None:
    address = await free_address()
    provider = dialect.create(address, {})
    end = failed(await played(provider), "unreachable", address)
    assert not end.may_pass  # on this machine somebody has to start it
    await provider.close()


@case
async def silence_ends_by_the_persons_limit(dialect: Dialect) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.head()
        await connection.chunk(dialect.parts([text("Hel")], "stop")[0])
        await connection.until_client_leaves()

    async with dialect.server(route, idle_timeout=0.1) as (server, provider):
        assert failed(await asyncio.wait_for(played(provider), 10), "timeout", server.address).may_pass


@case
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
        assert longer.startswith(shorter.removesuffix(b"]}") + b",")
    wired = json.loads(bodies[-1])["messages"]
    assert [m["role"] for m in wired] == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "user"]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
@pytest.mark.parametrize("check", CASES, ids=lambda c: c.__name__)
def test_conformance(check: Case, dialect: Dialect) -> None:
    asyncio.run(asyncio.wait_for(check(dialect), 60))  # type: ignore[arg-type]
