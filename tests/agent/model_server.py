"""A server of Chat Completions in a thread of its own: each request gets the next answer of a list.

An answer is a function that writes: a stream that ends or is cut, a status. The engine talks to it
over HTTP.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agent_tui.settings.table import AgentSettings, ProviderSettings
from tests.agent.driving import Driver, Place, running

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class ModelServer:
    answers: list[Answer]
    address: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    """When each request came."""
    keys: list[str] = field(default_factory=list)
    """What each request had in its header `Authorization`."""
    listed: list[str] = field(default_factory=lambda: ["m"])
    window: int = 0
    """Tokens of context that it says its models have; 0: it does not say."""

    @property
    def messages(self) -> list[Any]:
        return [body["messages"] for body in self.bodies]


def status(code: int, text: str, **headers: str) -> Answer:
    def answer(to: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"error": {"message": text}}).encode()
        to.send_response_only(code)
        told = {"Date": to.date_time_string(), **headers}  # a response has one date
        for name, value in {
            **told,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }.items():
            to.send_header(name.replace("_", "-"), value)
        to.end_headers()
        to.wfile.write(body)

    return answer


def streamed(
    *deltas: dict[str, Any], end: str = "stop", model: str = "", used: tuple[int, int] | None = None
) -> Answer:
    """`deltas` as a stream; without an `end` it is cut in the middle. `model`: who the server says has
    answered.
    `used`: tokens of the prompt and of the answer."""

    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.send_header("Content-Type", "text/event-stream")
        to.end_headers()
        for delta in deltas:
            told = {
                **({"model": model} if model else {}),
                "choices": [{"index": 0, "delta": delta}],
            }
            to.wfile.write(f"data: {json.dumps(told)}\n\n".encode())
        if end:
            last: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]}
            if used:
                last["usage"] = {"prompt_tokens": used[0], "completion_tokens": used[1]}
            to.wfile.write(f"data: {json.dumps(last)}\n\ndata: [DONE]\n\n".encode())

    return answer


def said(text: str, end: str = "stop") -> Answer:
    return streamed({"content": text}, end=end)


def call(name: str, arguments: str, id: str = "c1") -> dict[str, Any]:
    return {
        "tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]
    }


class Always(list[Answer]):
    """An endless list: each answer is worked out from the request that it is for."""

    def __init__(self, server: ModelServer, of: Callable[[dict[str, Any]], Answer]) -> None:
        super().__init__()
        self._server, self._of = server, of

    def pop(self, _at: Any = -1) -> Answer:
        return self._of(self._server.bodies[-1])


@contextmanager
def model_server(*answers: Answer) -> Iterator[ModelServer]:
    server = ModelServer(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            more = {"max_model_len": server.window} if server.window else {}
            body = json.dumps({"data": [{"id": name, **more} for name in server.listed]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            server.at.append(time.monotonic())
            server.keys.append(self.headers.get("Authorization", ""))
            server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            server.answers.pop(0)(self)

        def log_message(self, *_: object) -> None:
            """Nobody wants to hear of it."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


@contextmanager
def engine(
    place: Place, server: ModelServer, agent: AgentSettings | None = None, **more: Any
) -> Iterator[Driver]:
    """The engine with `server` as its model, and `others` beside it; in `folder`, if not in the
    place's own. `scratch`: the folder of a session that is off the record."""
    scratch: Path | None = more.pop("scratch", None)
    others: dict[str, ModelServer] = more.pop("others", {})
    changed: dict[str, Any] = more.pop("settings", {})
    folder: Path | None = more.pop("folder", None)
    config = place.config(more.pop("model_name", "compatible/m"), agent=agent, **more)
    if folder is not None:
        config = replace(config, cwd=folder.resolve())
    if scratch is not None:
        config = replace(config, otr=True, scratch=scratch)
    providers = {"compatible": server, **others}
    settings = replace(
        config.settings,
        providers={name: ProviderSettings(one.address) for name, one in providers.items()},
        **changed,
    )
    config = replace(config, settings=settings)
    with running(config) as driver:
        yield driver
