"""A model server for the engine that speaks one dialect, refuses what is too long in its own words,
and counts what it could keep of a request, as the service's cache does."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agent_tui.settings.table import ProviderSettings
from benchmarks.dialects import DIALECTS, LISTS, Dialect
from tests.agent.driving import Driver, Place, running

Refusal = tuple[int, Any]
"""A status, and the body; a status of 200: the stream breaks off."""

REFUSALS: dict[str, Refusal] = {
    "Chat Completions": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 8192 tokens.",
                "type": "invalid_request_error",
                "code": "context_length_exceeded",
            }
        },
    ),
    "Responses": (
        400,
        {
            "error": {
                "message": "Your input exceeds the context window of this model.",
                "code": "context_length_exceeded",
            }
        },
    ),
    "Messages": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 210000 tokens > 200000 maximum",
            },
        },
    ),
    "Gemini": (
        400,
        {
            "error": {
                "code": 400,
                "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                "status": "INVALID_ARGUMENT",
            }
        },
    ),
    "Ollama": (400, {"error": "the input length exceeds the context length"}),
}


@dataclass
class DialectServer:
    """`answer` gives the words for a request, or a refusal; `bodies` are the requests."""

    dialect: Dialect
    answer: Callable[[str], str | Refusal]
    address: str = ""
    bodies: list[Any] = field(default_factory=list)

    def reply(self, to: BaseHTTPRequestHandler, raw: bytes) -> None:
        self.bodies.append(json.loads(raw))
        said, own = self.answer(raw.decode()), self.dialect
        if isinstance(said, str):
            _send(to, 200, own.kind, own.begin + own.token(said) + own.end)
        elif said[0] == 200:
            _send(to, 200, own.kind, own.begin)  # and nothing more: what it raised ended the stream
        else:
            _send(to, said[0], "application/json", json.dumps(said[1]).encode())


def _send(to: BaseHTTPRequestHandler, status: int, kind: str, body: bytes) -> None:
    to.send_response(status)
    to.send_header("Content-Type", kind)
    to.send_header("Content-Length", str(len(body)))
    to.end_headers()
    to.wfile.write(body)


@contextmanager
def serving(name: str, answer: Callable[[str], str | Refusal]) -> Iterator[DialectServer]:
    server = DialectServer(DIALECTS[name], answer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = LISTS.get(self.path.partition("?")[0])
            _send(self, 200 if data else 404, "application/json", json.dumps(data or {}).encode())

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == server.dialect.path:
                server.reply(self, raw)
            elif self.path.endswith("/count_tokens"):
                said = json.dumps({"input_tokens": count(json.loads(raw))}).encode()
                _send(self, 200, "application/json", said)
            else:  # what an Ollama knows of its model
                self.do_GET()

        def log_message(self, *_: object) -> None:
            """Nobody wants to hear of it."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


@contextmanager
def speaking(place: Place, server: DialectServer) -> Iterator[Driver]:
    """The engine with `server` as its model."""
    own = server.dialect
    basics = {"HOME": str(place.root / "user"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    variables = {**basics, **own.environment(server.address)}
    config = place.config(own.model, environment=variables)
    provider = {own.model.partition("/")[0]: ProviderSettings(options=dict(own.options))}
    settings = replace(config.settings, providers=provider)
    with running(replace(config, settings=settings)) as driver:
        yield driver


def count(body: Any) -> int:
    """The tokens of a request, as this server counts them."""
    return round(sum(len(text) for text, _ in _blocks(body)) / 3.3)


# -- what a cache could keep


def read_from_cache(first: Any, second: Any) -> float:
    """Which part of the first request the second one begins with: tools, then the system prompt,
    then the messages, as services keep them. Where marks say what is kept, only up to a mark of the
    first request, and only if a mark of the second stands at most 20 blocks behind it."""
    before, now = _blocks(first), _blocks(second)
    same = next(
        (
            at
            for at, (one, other) in enumerate(zip(before, now, strict=False))
            if one[0] != other[0]
        ),
        min(len(before), len(now)),
    )
    if any(marked for _, marked in before):
        kept = [at + 1 for at, (_, marked) in enumerate(before[:same]) if marked]
        looked = [at + 1 for at, (_, marked) in enumerate(now) if marked]
        same = max((k for k in kept if any(0 <= at - k <= 20 for at in looked)), default=0)
    return sum(len(text) for text, _ in before[:same]) / sum(len(text) for text, _ in before)


def _blocks(body: Any) -> list[tuple[str, bool]]:
    found = list[tuple[str, bool]]()

    def add(block: Any) -> None:
        plain = (
            {k: v for k, v in block.items() if k != "cache_control"}
            if isinstance(block, dict)
            else block
        )
        marked = isinstance(block, dict) and "cache_control" in block
        found.append((json.dumps(plain), marked))

    for name in (
        "tools",
        "system",
        "systemInstruction",
        "instructions",
        "messages",
        "input",
        "contents",
    ):
        for item in _listed(body.get(name)):
            parts = item.get("content") if isinstance(item, dict) else None
            if isinstance(parts, list):
                for part in parts:
                    add(part)
            else:
                add(item)
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
