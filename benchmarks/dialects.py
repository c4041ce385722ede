"""A local server that speaks every dialect of the providers, for `providers.py`: what it answers is
said by the last
`stream COUNT@RATE` in a request (a rate of 0: as fast as it is read), each token with the moment at
which it is sent
where `stamped` stands behind that.

`GET /arrived` tells when each request for an answer arrived. All moments are `time.perf_counter`,
which on Linux is one
clock for all processes. Prints its base URL, then serves until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from subprocess import PIPE, Popen
from typing import Any, Final

from benchmarks.common import ROOT
from benchmarks.server import BATCH, TOKENS, chunk, sign

ASKED: Final = re.compile(rb"stream (\d+)@(\d+)( stamped)?")
STAMP: Final = re.compile(rb"<(\d+\.\d{6})>")
END: Final = sign(3)
"""The last word of every answer."""


def _sse(data: Any, name: str = "") -> bytes:
    return (
        (f"event: {name}\n" if name else "").encode()
        + b"data: "
        + json.dumps(data).encode()
        + b"\n\n"
    )


def _typed(kind: str, **fields: Any) -> bytes:
    return _sse({"type": kind, **fields}, kind)


def _line(data: Any) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _choice(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _sse(
        {"id": "x", "object": "chat.completion.chunk", "model": "bench", "choices": [choice]}
    )


def _candidate(text: str, **beside: Any) -> bytes:
    content = {"role": "model", "parts": [{"text": text}]}
    return _sse(
        {"candidates": [{"content": content, "index": 0, **beside}], "modelVersion": "bench"}
    )


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one wire is spoken. `model` is how the program names its model, `variables` say where it
    is (`{}` is the server), `options` are settings of its provider; `body` asks for an answer
    without the program."""

    name: str
    path: str
    model: str
    variables: Mapping[str, str]
    begin: bytes
    token: Callable[[str], bytes]
    end: bytes
    options: Mapping[str, str]
    body: Callable[[str], Any]
    kind: str = "text/event-stream"

    def environment(self, url: str) -> dict[str, str]:
        return {name: value.replace("{}", url) for name, value in self.variables.items()}


def _messages(prompt: str) -> dict[str, Any]:
    return {"model": "bench", "stream": True, "messages": [{"role": "user", "content": prompt}]}


_ITEM: Final = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "content": [],
    "status": "in_progress",
}
_DONE: Final = {"object": "response", "id": "r", "status": "completed", "output": [],
                "usage": {"input_tokens": 9, "output_tokens": 9}}  # fmt: skip

DIALECTS: Final[Mapping[str, Dialect]] = {
    each.name: each
    for each in (
        Dialect(
            "Chat Completions",
            "/v1/chat/completions",
            "openai/bench",
            {"OPENAI_BASE_URL": "{}/v1", "OPENAI_API_KEY": "none"},
            _choice({"role": "assistant", "content": ""}),
            lambda text: _choice({"content": text}),
            _choice({}, "stop") + b"data: [DONE]\n\n",
            {},
            _messages,
        ),
        Dialect(
            "Responses",
            "/v1/responses",
            "openai/bench",
            {"OPENAI_BASE_URL": "{}/v1", "OPENAI_API_KEY": "none"},
            _typed("response.output_item.added", output_index=0, item=_ITEM),
            lambda text: _typed(
                "response.output_text.delta",
                item_id="m",
                output_index=0,
                content_index=0,
                delta=text,
            ),
            _typed("response.completed", response=_DONE),
            {"api": "responses"},
            _messages,
        ),
        Dialect(
            "Messages",
            "/v1/messages",
            "anthropic/bench",
            {"ANTHROPIC_BASE_URL": "{}", "ANTHROPIC_API_KEY": "none"},
            _typed(
                "message_start",
                message={"role": "assistant", "usage": {"input_tokens": 9, "output_tokens": 1}},
            )
            + _typed("content_block_start", index=0, content_block={"type": "text", "text": ""}),
            lambda text: _typed(
                "content_block_delta", index=0, delta={"type": "text_delta", "text": text}
            ),
            _typed("content_block_stop", index=0)
            + _typed("message_delta", delta={"stop_reason": "end_turn"}, usage={})
            + _typed("message_stop"),
            {},
            _messages,
        ),
        Dialect(
            "Gemini",
            "/v1beta/models/bench:streamGenerateContent?alt=sse",
            "gemini/bench",
            {"GOOGLE_GEMINI_BASE_URL": "{}", "GEMINI_API_KEY": "none"},
            _sse({"usageMetadata": {"promptTokenCount": 9}}),
            _candidate,
            _candidate("", finishReason="STOP"),
            {},
            lambda prompt: {"contents": [{"role": "user", "parts": [{"text": prompt}]}]},
        ),
        Dialect(
            "Ollama",
            "/api/chat",
            "ollama/bench",
            {"OLLAMA_HOST": "{}"},
            _line(
                {"model": "bench", "message": {"role": "assistant", "content": ""}, "done": False}
            ),
            lambda text: _line(
                {"model": "bench", "message": {"role": "assistant", "content": text}, "done": False}
            ),
            _line(
                {
                    "model": "bench",
                    "message": {"role": "assistant", "content": ""},
                    "done": True,
                    "done_reason": "stop",
                }
            ),
            {},
            _messages,
            "application/x-ndjson",
        ),
    )
}
LISTS: Final[Mapping[str, Any]] = {
    "/v1/models": {"data": [{"id": "bench"}]},
    "/v1beta/models": {
        "models": [{"name": "models/bench", "supportedGenerationMethods": ["generateContent"]}]
    },
    "/api/tags": {"models": [{"name": "bench", "model": "bench"}]},
    "/api/version": {"version": "0.12.0"},
    "/api/show": {
        "model_info": {"x.context_length": 32_768},
        "capabilities": ["completion", "tools"],
    },
}


class Service:
    def __init__(self) -> None:
        self._arrived: list[float] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            now = time.perf_counter()
            length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(length[1])) if length else b""
            path = head.split(" ", 2)[1]
            found = next((one for one in DIALECTS.values() if one.path == path), None)
            if found is None:
                self._told(path.partition("?")[0], writer)
            else:
                self._arrived.append(now)
                head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {found.kind}\r\n"
                writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
                await answer(found, body, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client has gone
        finally:
            writer.close()

    def _told(self, path: str, writer: asyncio.StreamWriter) -> None:
        data = self._arrived if path == "/arrived" else LISTS.get(path)
        body = json.dumps({"error": "not found"} if data is None else data).encode()
        status = "404 Not Found" if data is None else "200 OK"
        head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n"
        writer.write(head.encode() + body)


async def answer(dialect: Dialect, body: bytes, writer: asyncio.StreamWriter) -> None:
    asked = ASKED.findall(body)
    count, rate, stamped = asked[-1] if asked else (b"1", b"0", b"")
    writer.write(chunk(dialect.begin))
    async for part in told(dialect, int(count), int(rate), bool(stamped)):
        writer.write(part)
        await writer.drain()
    writer.write(chunk(dialect.token(f"\n\n{END}")) + chunk(dialect.end) + chunk(b""))


async def told(dialect: Dialect, count: int, rate: int, stamped: bool) -> AsyncIterator[bytes]:
    tokens = islice(cycle(TOKENS), count)
    if not rate:
        while batch := list(islice(tokens, BATCH)):
            yield b"".join(_chunk(dialect.name, text) for text in batch)
        return
    begin = time.monotonic()
    for sent, text in enumerate(tokens):
        await asyncio.sleep(max(0.0, begin + sent / rate - time.monotonic()))
        yield (
            chunk(dialect.token(f"<{time.perf_counter():.6f}> "))
            if stamped
            else _chunk(dialect.name, text)
        )


@cache
def _chunk(name: str, text: str) -> bytes:
    """The tokens repeat, so the server costs next to nothing beside what it feeds."""
    return chunk(DIALECTS[name].token(text))


async def main() -> None:
    listening = await asyncio.start_server(Service().serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    async with listening:
        await listening.serve_forever()


@contextmanager
def served() -> Iterator[str]:
    """This server in a process of its own; yields its base URL."""
    with Popen(
        [sys.executable, "-m", "benchmarks.dialects"], cwd=ROOT, stdout=PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


if __name__ == "__main__":
    asyncio.run(main())
