"""Cases: how each failure is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from agent_tui.providers.base import TextChunk
from tests.providers.cases import failed, finished, joined, refused
from tests.providers.servers import (
    KEY,
    Connection,
    Dialect,
    Received,
    played,
    text,
)


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


async def overflow_in_other_shapes(dialect: Dialect) -> None:
    plain = {"error": "input length exceeds the context length"}
    assert (await refused(dialect, 400, plain)).kind == "overflow"
    for body in (
        b"",
        {"error": {"message": "Request exceeds the maximum size", "type": "request_too_large"}},
    ):
        assert (await refused(dialect, 413, body)).kind == "overflow"
    assert (await refused(dialect, 500, plain)).kind == "overflow"
    assert (await refused(dialect, 400, {"error": "tools: unknown field"})).kind == "bad_request"


async def a_wrong_key(dialect: Dialect) -> None:
    for status in (401, 403):
        end = await refused(dialect, status, {"error": {"message": "bad key\nline two"}})
        assert end.kind == "auth"
        assert "bad key line two" in end.text
        assert not end.may_pass and end.hint


async def a_key_in_an_error_is_hidden(dialect: Dialect) -> None:
    """Servers repeat the key that they refuse, and an error goes into the log."""
    for status in (401, 500):
        end = await refused(dialect, status, {"error": {"message": f"Bearer {KEY} is not known"}})
        assert "is not known" in end.text and KEY not in end.text
    error = json.dumps({"error": {"message": f"no {KEY} here"}}).encode()
    async with dialect.answering([dialect.error(error)]) as (_, provider):
        end = failed(await played(provider), "server")
    assert "here" in end.text and KEY not in end.text


async def a_refusal_is_one_though_its_words_break_off(dialect: Dialect) -> None:
    """It was taken for a connection that broke, and asked five times."""

    async def route(_: Received, connection: Connection) -> None:
        await connection.head(401)
        await connection.chunk(b"no such key, and")

    async with dialect.server(route) as (_, provider):
        end = failed(await played(provider), "auth")
    assert "no such key" in end.text and not end.may_pass


async def an_unknown_model(dialect: Dialect) -> None:
    end = await refused(dialect, 404, {"error": "model 'm' not found"})
    assert end.kind == "unknown_model"
    assert "'m'" in end.text
    assert "/model" in end.hint
    assert ("ollama pull m" in end.hint) == (dialect.name == "ollama")


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
    wait = (
        await refused(dialect, 429, slow, {"Retry-After": format_datetime(later, usegmt=True)})
    ).retry_after
    assert wait is not None and 0 < wait <= 300
    for nonsense in ("soon", "-5", "inf"):
        odd = await refused(dialect, 429, slow, {"Retry-After": nonsense})
        assert odd.retry_after in (None, 0.0)
    broke = await refused(dialect, 429, {"error": {"message": "no", "code": "insufficient_quota"}})
    assert not broke.may_pass and "billing" in broke.hint


async def a_server_error(dialect: Dialect) -> None:
    for status in (500, 502, 503, 529):
        end = await refused(dialect, status, b"<html><body>Bad gateway</body></html>")
        assert end.kind == "server" and end.may_pass
        assert "html" not in end.text
        assert end.retry_after == (5.0 if status == 529 else None)
    for told, waited in (("2", 5.0), ("30", 30.0)):
        assert (
            await refused(dialect, 529, {"error": "busy"}, {"Retry-After": told})
        ).retry_after == waited


async def a_redirect_is_not_followed(dialect: Dialect) -> None:
    end = await refused(dialect, 307, b"", {"Location": "http://127.0.0.1:9/elsewhere"})
    assert end.kind == "bad_request" and "http://127.0.0.1:9/elsewhere" in end.text


async def an_error_in_the_stream(dialect: Dialect) -> None:
    parts = dialect.parts([text("Hel")], "stop")[: dialect.hello]
    parts.append(dialect.error(json.dumps({"error": {"message": "the GPU is on fire"}}).encode()))
    async with dialect.answering(parts) as (server, provider):
        items = await played(provider)
    assert joined(items, TextChunk) == "Hel"
    end = failed(items, "server", server.address)
    assert "the GPU is on fire" in end.text and end.may_pass


async def cut_before_the_first_byte(dialect: Dialect) -> None:
    async def nothing(_: Received, __: Connection) -> None:
        return

    async def only_head(_: Received, connection: Connection) -> None:
        await connection.head()

    for route in (nothing, only_head):
        async with dialect.server(route) as (server, provider):
            assert failed(await played(provider), "broken_stream", server.address).may_pass


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


async def an_empty_stream(dialect: Dialect) -> None:
    async with dialect.answering([]) as (server, provider):
        assert failed(await played(provider), "empty_stream", server.address).may_pass


async def a_malformed_body(dialect: Dialect) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(b'{"choices": [{"mess', headers={"Content-Type": "application/json"})

    async with dialect.server(route) as (server, provider):
        failed(await played(provider), "malformed", server.address)


async def a_web_page_instead_of_a_stream(dialect: Dialect) -> None:
    async with dialect.server(
        lambda _, c: c.stream([b"<html>hello</html>"], "text/html; charset=utf-8")
    ) as (
        _,
        provider,
    ):
        assert "address" in failed(await played(provider), "malformed").hint


async def bad_payloads(dialect: Dialect) -> None:
    good = dialect.parts([text("Hel"), text("lo")], "stop")
    between = [
        chunk for part in good for chunk in (dialect.bad, part)
    ]  # many, but never three in a row
    for mixed in ([dialect.bad, *good], [*good[:2], dialect.bad, dialect.bad, *good[2:]], between):
        async with dialect.answering(mixed) as (_, provider):
            items = await played(provider)
        assert joined(items, TextChunk) == "Hello"
        assert finished(items).stop_reason == "stop"
    async with dialect.answering([*good[:2], *[dialect.bad] * 3, *good[2:]]) as (_, provider):
        items = await played(provider)
    assert joined(items, TextChunk).startswith("Hel")
    failed(items, "malformed")
