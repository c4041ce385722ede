"""Real model servers on real ports, for the conformance table: a raw HTTP/1.1 server and the
dialects it speaks.

It writes bytes as it is told, so that streams can be cut, dribbled and broken, in the event loop of
the test.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from agent_tui.protocol.messages import Request, UserMessage
from agent_tui.providers import compatible, ollama, openai
from agent_tui.providers.base import Provider, ProviderSetup, StreamItem


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """What a route writes to. `gone` is set when the client has closed its side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def head(
        self, status: int = 200, headers: dict[str, str] | None = None, length: int | None = None
    ) -> None:
        lines = {
            "Content-Type": "application/octet-stream",
            "Connection": "close",
            **(headers or {}),
        }
        lines |= (
            {"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": str(length)}
        )
        text = "".join(f"{k}: {v}\r\n" for k, v in lines.items())
        self._writer.write(f"HTTP/1.1 {status} Whatever\r\n{text}\r\n".encode())
        await self._writer.drain()

    async def chunk(self, data: bytes) -> None:
        self._writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def stream(
        self, chunks: Sequence[bytes], content_type: str = "text/event-stream"
    ) -> None:
        await self.head(headers={"Content-Type": content_type})
        for data in chunks:
            await self.chunk(data)
        await self.end()

    async def json(
        self, data: Any, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        body = json.dumps(data).encode() if not isinstance(data, bytes) else data
        await self.head(status, {"Content-Type": "application/json", **(headers or {})}, len(body))
        self._writer.write(body)
        await self._writer.drain()

    async def until_client_leaves(self) -> None:
        while await self._reader.read(1024):
            pass


Route = Callable[[Received, Connection], Awaitable[None]]


@dataclass
class Server:
    """`routes` by path; `received` is every request, `left` the paths whose client closed while the
    route waited."""

    routes: dict[str, Route]
    address: str = ""
    received: list[Received] = field(default_factory=list)
    left: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    def bodies(self, path: str) -> list[bytes]:
        return [r.body for r in self.received if r.path == path]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            method, path, _ = first.split(" ")
            headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            received = Received(method, path, headers, body)
            self.received.append(received)
            connection, route = Connection(reader, writer), self.routes.get(path)
            if route is None:
                await connection.json({"error": "404 page not found"}, 404)
            else:
                await route(received, connection)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has what it wanted
        finally:
            writer.close()


@asynccontextmanager
async def serving(routes: dict[str, Route]) -> AsyncIterator[Server]:
    server, tasks = Server(routes), set[asyncio.Task[None]]()
    # Tasks of our own: asyncio's are logged when they are cancelled.
    listener = await asyncio.start_server(
        lambda *pair: tasks.add(asyncio.create_task(server.serve(*pair))), "127.0.0.1", 0
    )
    server.address = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def free_address() -> str:
    """An address where nobody listens."""
    async with serving({}) as server:
        return server.address


@dataclass(frozen=True)
class Said:
    """One part of an answer, in no dialect: `kind` is text, thinking or call."""

    kind: str
    text: str
    name: str = ""
    id: str = ""


def text(value: str) -> Said:
    return Said("text", value)


def thinking(value: str) -> Said:
    return Said("thinking", value)


def call(name: str, arguments: str, id: str = "") -> Said:
    return Said("call", arguments, name, id)


@dataclass(frozen=True)
class Dialect:
    """How one provider's server talks. A new provider joins the table with one more of these."""

    name: str
    path: str
    content_type: str
    create: Callable[[str, Mapping[str, Any]], Provider]
    """Of an address and the provider's options."""
    parts: Callable[[Sequence[Said], str], list[bytes]]
    """Payload bytes of an answer: its parts and its stop reason; the last payloads are the end."""
    bad: bytes
    """A payload that is no JSON."""
    beside: dict[str, Route] = field(default_factory=dict)
    """Other routes that the provider asks."""
    prompt: Callable[[Any], str] = lambda body: str(body["messages"][-1]["content"])
    """The newest words of the person in a request."""
    kept: Callable[[bytes], bytes] = lambda body: body.removesuffix(b"]}")
    """What of a request's bytes a longer conversation has to start with."""
    roles: Callable[[Any], list[str]] = lambda body: [
        message["role"] for message in body["messages"]
    ]
    """Whose words the parts of a request's conversation are: `tool` for results."""
    raw_call: Callable[[bytes, bytes], list[bytes]] = lambda arguments, prompt: chat_raw_call(
        arguments, prompt
    )
    """An answer that calls `ls` with JSON `arguments` as they stand, the prompt having had `prompt`
    tokens."""
    error: Callable[[bytes], bytes] = lambda data: b"data: " + data + b"\n\n"
    """A payload that is an error."""
    hello: int = 2
    """How many of the parts of an answer tell its first words."""
    refusal: str = "content_filter"
    """The stop reason of an answer that the model or its server will not give; empty where there is
    none."""

    @asynccontextmanager
    async def server(self, route: Route, **options: Any) -> AsyncIterator[tuple[Server, Provider]]:
        async with serving({**self.beside, self.path: route}) as server:
            provider = self.create(server.address, options)
            try:
                yield server, provider
            finally:
                await provider.close()

    @asynccontextmanager
    async def answering(self, chunks: Sequence[bytes]) -> AsyncIterator[tuple[Server, Provider]]:
        async def route(_: Received, connection: Connection) -> None:
            await connection.stream(chunks, self.content_type)

        async with self.server(route) as pair:
            yield pair


PROMPT, COMPLETION, ANSWERED = 11, 7, "m-2026-09-29"
"""Tokens that every server here reports, and the model that it says has answered."""


def sse(data: Any) -> bytes:
    return (
        b"data: "
        + (data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode())
        + b"\n\n"
    )


def chat_parts(said: Sequence[Said], stop: str) -> list[bytes]:
    def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
        return sse(
            {
                "id": "x",
                "model": ANSWERED,
                "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
            }
        )

    found, index = [event({"role": "assistant", "content": ""})], 0
    for part in said:
        if part.kind == "call":
            first = {
                "id": part.id,
                "type": "function",
                "function": {"name": part.name, "arguments": ""},
            }
            found.append(event({"tool_calls": [{"index": index, **first}]}))
            for start in range(0, len(part.text), 5):
                more = {"index": index, "function": {"arguments": part.text[start : start + 5]}}
                found.append(event({"tool_calls": [more]}))
            index += 1
        else:
            found.append(
                event({"content" if part.kind == "text" else "reasoning_content": part.text})
            )
    usage = {
        "prompt_tokens": PROMPT,
        "completion_tokens": COMPLETION,
        "prompt_tokens_details": {"cached_tokens": 3},
    }
    return [*found, event({}, stop), sse({"choices": [], "usage": usage}), sse(b"[DONE]")]


def chat_raw_call(arguments: bytes, prompt: bytes) -> list[bytes]:
    entry = b'{"index":0,"id":"a1","function":{"name":"ls","arguments":' + arguments + b"}}"
    usage = b'{"prompt_tokens":' + prompt + b',"completion_tokens":3}'
    choice = b'{"delta":{"tool_calls":[' + entry + b']},"finish_reason":"tool_calls"}'
    return [sse(b'{"choices":[' + choice + b'],"usage":' + usage + b"}")]


def ollama_raw_call(arguments: bytes, prompt: bytes) -> list[bytes]:
    call = b'{"function":{"name":"ls","arguments":' + arguments + b"}}"
    return [
        b'{"message":{"tool_calls":[' + call + b']},"done":false}\n',
        b'{"done":true,"prompt_eval_count":' + prompt + b',"eval_count":3}\n',
    ]


def ollama_parts(said: Sequence[Said], stop: str) -> list[bytes]:
    def line(data: dict[str, Any]) -> bytes:
        return json.dumps({"model": ANSWERED, **data}, ensure_ascii=False).encode() + b"\n"

    found = []
    for part in said:
        message: dict[str, Any] = {"role": "assistant", "content": ""}
        if part.kind == "call":
            message["tool_calls"] = [
                {"function": {"name": part.name, "arguments": json.loads(part.text)}}
            ]
        else:
            message["content" if part.kind == "text" else "thinking"] = part.text
        found.append(line({"message": message, "done": False}))
    end = {"message": {"role": "assistant", "content": ""}, "done": True}
    end |= {
        "done_reason": stop.replace("tool_calls", "stop"),
        "prompt_eval_count": PROMPT,
        "eval_count": COMPLETION,
    }
    return [*found, line(end)]


def shows(
    capabilities: Sequence[str] = ("completion", "tools", "thinking"), length: int = 40_960
) -> Route:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(
            {"model_info": {"qwen3.context_length": length}, "capabilities": list(capabilities)}
        )

    return route


KEY = "sk-test-0123"


def _ollama(address: str, options: Mapping[str, Any]) -> Provider:
    return ollama.create("m", ProviderSetup(base_url=address, api_key=KEY, options=options))


def _compatible(address: str, options: Mapping[str, Any]) -> Provider:
    return compatible.create(
        "m", ProviderSetup(base_url=f"{address}/v1", api_key=KEY, options=options)
    )


def _openai(address: str, options: Mapping[str, Any]) -> Provider:
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{address}/v1"}
    return openai.create("m", ProviderSetup(environment=environment, options=options))


DIALECTS = (
    Dialect(
        "ollama",
        "/api/chat",
        "application/x-ndjson",
        _ollama,
        ollama_parts,
        b'{"message": {"content": "lo\n',
        {"/api/show": shows()},
        raw_call=ollama_raw_call,
        error=lambda data: data + b"\n",
        hello=1,
        refusal="",
    ),
    Dialect(
        "compatible",
        "/v1/chat/completions",
        "text/event-stream",
        _compatible,
        chat_parts,
        b'data: {"choices": [{"delta": {"cont\n\n',
    ),
    Dialect(
        "openai",
        "/v1/chat/completions",
        "text/event-stream",
        _openai,
        chat_parts,
        b"data: {broken\n\n",
    ),
)
"""Every provider that has a wire."""


def request(prompt: str = "hello") -> Request:
    return Request("You are a test.", (UserMessage(prompt),))


async def played(provider: Provider, sent: Request | None = None) -> list[StreamItem]:
    return [item async for item in provider.stream(sent or request())]
