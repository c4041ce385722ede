"""The bytes of an answer as the network brought them: what came with one read is one piece.

A server sends a chunk of HTTP for every token. httpx hands on each of them by itself, and what every one costs on its
way through all that waits for it is more than reading it. So the chunks that are there already are taken together, up
to the moment at which the connection would be read again. That moment is seen at the stream of the network, which httpx
shows (`network_stream`); where it shows none, every chunk is a piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from types import coroutine
from typing import Any, Final

from agent_tui import registry

with registry.late(warm=False):
    import httpx

MOST: Final = 65_536
"""Bytes in a piece, hardly more: what is there without an end is handed on all the same."""
_DRY: Final = object()


@coroutine
def _dry() -> Generator[object, None, None]:
    """Tells the one that takes the steps that there is nothing more without waiting."""
    yield _DRY


class _Left(Exception):
    """Nobody wants the rest."""


class Gathered:
    """The body of `response`, piece by piece. Who is done with it closes it, and the response afterwards."""

    def __init__(self, response: httpx.Response) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._steps: Coroutine[Any, Any, None] = self._filled(_decoded(response))
        self._open, self._begun, self._left, self._stepping = True, False, False, False
        self._error: httpx.HTTPError | None = None
        network = response.extensions.get("network_stream") if response.http_version.startswith("HTTP/1") else None
        self._network: Any = network if hasattr(network, "__dict__") else None
        if self._network is not None:
            self._network.read = self._watched(self._network.read)

    def __aiter__(self) -> Gathered:
        return self

    @coroutine
    def __anext__(self) -> Generator[Any, Any, bytes]:
        step: Callable[[Any], Any] = self._steps.send
        given: Any = None
        while self._open:
            self._open = False  # what breaks off in the midst of a step, or while it waits, is over
            self._stepping = self._begun = True
            try:
                waits_for = step(given)
            except StopIteration:
                break
            except httpx.HTTPError as error:
                self._error = error  # what came before it is handed on first
                break
            finally:
                self._stepping = False
            if waits_for is _DRY:
                self._open = True
                break
            try:
                given, step = (yield waits_for), self._steps.send
            except asyncio.CancelledError as error:  # it is for the one that waits
                given, step = error, self._steps.throw
            self._open = True
        if self._parts:
            return self._taken()
        raise self._error or StopAsyncIteration

    def _taken(self) -> bytes:
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return data

    async def _filled(self, chunks: AsyncIterator[bytes]) -> None:
        async for data in chunks:
            self._parts.append(data)
            self._size += len(data)
            if self._size >= MOST or self._network is None:
                await _dry()
                if self._left:
                    return

    def _watched(self, read: Callable[..., Awaitable[bytes]]) -> Callable[..., Awaitable[bytes]]:
        """`read` of the network; before it, what came with the last one is handed on."""

        async def reading(max_bytes: int, timeout: float | None = None) -> bytes:
            if self._parts and self._stepping:  # another answer may be read here, once this one has let go
                await _dry()
                if self._left:
                    raise _Left
            return await read(max_bytes, timeout)

        return reading

    async def aclose(self) -> None:
        self._left = True
        self._parts.clear()
        if self._open and self._begun:
            with suppress(_Left, StopAsyncIteration, httpx.HTTPError):
                await anext(self)
        self._steps.close()
        if self._network is not None:
            vars(self._network).pop("read", None)


def _decoded(response: httpx.Response) -> AsyncIterator[bytes]:
    """Plain bytes were asked for; where they come, httpx has nothing to decode."""
    plain = response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
    return aiter(response.stream) if plain else response.aiter_bytes()  # type: ignore[arg-type]
