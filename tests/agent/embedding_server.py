"""A server that makes vectors of texts: each word is a direction, and words for one thing are the
same. It stands for an embedding model as far as the mechanism goes, not for how good one is."""

from __future__ import annotations

import json
import math
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAME = (
    "deploy deployments ship shipping release rollout",
    "tuesdays weekday when day",
    "dog puppy hound pet",
    "key keys password token",
)
SIZE = 512


@dataclass
class EmbeddingServer:
    address: str = ""
    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    """Path and texts of each request."""
    keys: list[str] = field(default_factory=list)
    turned: int = 0
    """Another model of the same name: its directions are turned by so many."""
    delay: float = 0.0
    status: int = 200
    longest: int = 0
    """Characters of a text that it takes; 0: any."""
    answer: Any = None
    """What is answered instead of vectors."""

    @property
    def texts(self) -> list[str]:
        return [text for _, texts in self.asked for text in texts]

    def vector(self, text: str) -> list[float]:
        found = [0.0] * SIZE
        for word in text.lower().replace("-", " ").replace("?", " ").replace(".", " ").split():
            group = next((n for n, words in enumerate(SAME) if word in words.split()), None)
            place = len(SAME) + zlib.crc32(word.encode()) % (SIZE - len(SAME))
            found[(place if group is None else group) - self.turned] += 3.0 if group == 0 else 1.0
        return found if any(found) else [1.0] * SIZE

    def told(self, path: str, texts: list[str]) -> Any:
        if self.answer is not None:
            return self.answer
        vectors = [self.vector(text) for text in texts]
        if path.startswith("/api/"):
            return {"embeddings": [[x / math.hypot(*one) for x in one] for one in vectors]}
        entries = [{"index": n, "embedding": one} for n, one in enumerate(vectors)]
        return {"data": entries[::-1]}


@contextmanager
def embedding_server(path: str = "/v1") -> Iterator[EmbeddingServer]:
    """`path`: of the base of its API."""
    server = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append((self.path, body["input"]))
            server.keys.append(self.headers.get("Authorization", ""))
            if server.delay:
                time.sleep(server.delay)
            made = json.dumps(server.told(self.path, body["input"])).encode()
            too_long = server.longest and max(map(len, body["input"])) > server.longest
            if too_long:
                made = b'{"error": {"message": "input is too large to process"}}'
            self.send_response(500 if too_long else server.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(made)))
            self.end_headers()
            self.wfile.write(made)

        def log_message(self, *_: object) -> None:
            """Nobody wants to hear of it."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                """Who asked has left."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    server.address = f"http://127.0.0.1:{httpd.server_address[1]}{path}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
