"""What one read of the network brought is one piece: from a real server, in plain, behind TLS,
through any cutting."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_tui.providers.wire.pace import MOST, Gathered
from tests.providers.test_proxies import proxied

TLS = Path(__file__).parent / "tls"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def framed(*chunks: bytes) -> bytes:
    """As HTTP's chunked coding has them."""
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)


HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
TOKENS = [f"token {number}\n".encode() for number in range(50)]


def trusted() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(TLS / "authority.pem"))


@asynccontextmanager
async def answering(
    serve: Serve, tls: bool = False
) -> AsyncIterator[tuple[httpx.AsyncClient, str]]:
    """A client, and the address of a server whose every connection is `serve`d, request after
    request."""
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "server.pem")

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                await serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # the client has gone
        finally:
            writer.close()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    port = listener.sockets[0].getsockname()[1]
    verify = trusted() if tls else False
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=10, verify=verify) as client:
            yield client, f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    finally:
        listener.close()


def at_once(*parts: bytes) -> Serve:
    """Each of `parts` is sent when the one before it has been taken away from here."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()

    return serve


async def pieces(client: httpx.AsyncClient, url: str) -> list[bytes]:
    async with client.stream("GET", url) as response:
        gathered = Gathered(response)
        found = [piece async for piece in gathered]
        await gathered.aclose()
        return found


@pytest.mark.parametrize("tls", [False, True])
def test_chunks_that_came_together_are_one_piece(tls: bool) -> None:
    async def scenario() -> list[bytes]:
        async with answering(at_once(HEAD + framed(*TOKENS, b"")), tls) as (client, url):
            return await pieces(client, url)

    assert asyncio.run(scenario()) == [b"".join(TOKENS)]


@pytest.mark.parametrize("tls", [False, True])
def test_and_so_they_are_through_a_proxy(tls: bool) -> None:
    async def scenario() -> list[bytes]:
        async with (
            answering(at_once(HEAD + framed(*TOKENS, b"")), tls) as (_, url),
            proxied(int(url.rpartition(":")[2])) as (address, _),
            httpx.AsyncClient(
                proxy=f"http://{address}", verify=trusted() if tls else False
            ) as client,
        ):
            return await pieces(client, url)

    assert asyncio.run(scenario()) == [b"".join(TOKENS)]


def test_what_is_there_is_not_kept_waiting_for_more() -> None:
    """The server sends the next handful only when the last one was handed on."""
    seen = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for start in range(0, 50, 10):
            writer.write(
                framed(*TOKENS[start : start + 10]) + b"1\r\n"
            )  # a chunk that has only begun
            await seen.wait()
            seen.clear()
            writer.write(b"!\r\n")
        writer.write(framed(b""))

    async def scenario() -> list[bytes]:
        found = []
        async with answering(serve) as (client, url), client.stream("GET", url) as response:
            gathered = Gathered(response)
            async for piece in gathered:
                found.append(piece)
                if piece.endswith(b"\n"):
                    seen.set()
            await gathered.aclose()
        return found

    found = asyncio.run(asyncio.wait_for(scenario(), 20))
    assert b"".join(found) == b"".join(
        b"".join(TOKENS[start : start + 10]) + b"!" for start in range(0, 50, 10)
    )
    assert sum(piece.endswith(b"\n") for piece in found) == 5


def test_any_cutting_of_the_bytes_is_the_same_body() -> None:
    whole = HEAD + framed(*TOKENS, b"")

    async def scenario(step: int) -> bytes:
        parts = [whole[start : start + step] for start in range(0, len(whole), step)]
        async with answering(at_once(*parts)) as (client, url):
            return b"".join(await pieces(client, url))

    for step in (1, 7, 64):
        assert asyncio.run(scenario(step)) == b"".join(TOKENS)


def test_a_connection_is_free_again_after_an_answer() -> None:
    connections = set()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(writer)
        writer.write(HEAD + framed(*TOKENS, b""))

    async def scenario() -> None:
        async with answering(serve) as (client, url):
            for _ in range(3):
                assert b"".join(await pieces(client, url)) == b"".join(TOKENS)
            both = await asyncio.gather(pieces(client, url), pieces(client, url))
            assert [b"".join(one) for one in both] == [b"".join(TOKENS)] * 2
            assert (await client.get(url)).content == b"".join(
                TOKENS
            )  # and for who does not gather

    asyncio.run(scenario())
    assert len(connections) == 2  # the second for two at once


def test_who_leaves_ends_the_connection_in_order() -> None:
    async def scenario() -> None:
        left = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + framed(*TOKENS))
            await reader.read()
            left.set()

        async with answering(serve) as (client, url):
            async with client.stream("GET", url) as response:
                gathered = Gathered(response)
                assert await anext(gathered) == b"".join(TOKENS)
                await gathered.aclose()
                await gathered.aclose()
            await asyncio.wait_for(left.wait(), 10)

    asyncio.run(scenario())


def test_one_that_was_never_read_closes_too() -> None:
    async def scenario() -> None:
        async with answering(at_once(HEAD + framed(*TOKENS, b""))) as (client, url):
            async with client.stream("GET", url) as response:
                await Gathered(response).aclose()
            assert b"".join(await pieces(client, url)) == b"".join(TOKENS)

    asyncio.run(scenario())


def test_a_cancellation_reaches_the_network() -> None:
    async def scenario() -> None:
        begun, left = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + framed(*TOKENS))
            await reader.read()
            left.set()

        async def read(client: httpx.AsyncClient, url: str) -> None:
            async with client.stream("GET", url) as response:
                gathered = Gathered(response)
                try:
                    async for _ in gathered:
                        begun.set()
                finally:
                    await gathered.aclose()

        async with answering(serve) as (client, url):
            task = asyncio.create_task(read(client, url))
            await begun.wait()
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(left.wait(), 10)

    asyncio.run(scenario())


def test_what_came_before_an_error_is_handed_on_first() -> None:
    async def scenario() -> None:
        serve = at_once(HEAD + framed(*TOKENS) + b"no length\r\n")
        async with answering(serve) as (client, url), client.stream("GET", url) as response:
            gathered = Gathered(response)
            assert await anext(gathered) == b"".join(TOKENS)
            for _ in range(2):
                with pytest.raises(httpx.RemoteProtocolError):
                    await anext(gathered)
            await gathered.aclose()

    asyncio.run(scenario())


def test_a_body_without_end_comes_in_pieces() -> None:
    """What never has to wait is handed on all the same: such a source has no network to be seen at."""

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b"x" * 1_000

    async def scenario() -> None:
        for extensions, size in (
            ({}, 1_000),
            ({"network_stream": Network()}, MOST // 1_000 * 1_000 + 1_000),
        ):
            gathered = Gathered(httpx.Response(200, stream=Endless(), extensions=extensions))
            assert [len(await anext(gathered)) for _ in range(3)] == [size] * 3
            await gathered.aclose()

    asyncio.run(scenario())


class Network:
    async def read(self, *_: Any) -> bytes:
        raise AssertionError("nobody reads it")


def test_what_was_packed_is_unpacked() -> None:
    """Plain bytes were asked for; there are servers that pack them all the same."""
    packed = gzip.compress(b"".join(TOKENS))
    head = HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")

    async def scenario() -> bytes:
        async with answering(at_once(head + framed(packed[:9], packed[9:], b""))) as (client, url):
            return b"".join(await pieces(client, url))

    assert asyncio.run(scenario()) == b"".join(TOKENS)
