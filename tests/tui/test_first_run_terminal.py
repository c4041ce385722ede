"""The first start without a model, in a real terminal: an address is typed, and the prompt is not
lost on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.tui.pty_stage import Pty
from tests.tui.test_holding_terminal import start
from tests.tui.test_setup_terminal import taken

PROMPT = "please say hello"
SENTENCE = "Hello from the server."


class Handler(BaseHTTPRequestHandler):
    """Speaks as much of Chat Completions as a turn needs."""

    def do_GET(self) -> None:
        found = self.path == "/v1/models"
        self._say(json.dumps({"data": [{"id": "small"}]} if found else {}), 200 if found else 404)

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(json.dumps(said["messages"]))  # type: ignore[attr-defined]
        parts = [
            {"delta": {"content": SENTENCE}, "index": 0},
            {"delta": {}, "finish_reason": "stop", "index": 0},
        ]
        lines = [json.dumps({"choices": [part]}) for part in parts]
        self._say(
            "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]")), 200, "text/event-stream"
        )

    def _say(self, text: str, status: int, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Nothing of it belongs into the output of the tests."""


@contextmanager
def serving() -> Iterator[tuple[str, list[str]]]:
    """The server's `host:port`, and what it is asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}", server.asked  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def asked_for_an_address(tmp_path: Path) -> Pty:
    """A prompt was sent without a model, and the form for an address is open."""
    pty = start(tmp_path)
    pty.until("No model yet")
    pty.type("\x1b")
    pty.until(lambda text: "No model yet" not in text)
    pty.type(f"{PROMPT}\r")
    pty.until(lambda text: "No model yet" in text and "Your prompt is kept" in text)
    pty.read(1.0)
    pty.type("\x1ba")
    pty.until("Address of the server")
    return pty


def test_an_address_leads_to_a_model_that_the_next_start_has_and_the_prompt_waits_for_the_person(
    tmp_path: Path,
) -> None:
    with serving() as (address, asked):
        pty = asked_for_an_address(tmp_path)
        try:
            pty.type(f"http://http://{address}\r")  # with its scheme twice it is understood
            taken(pty, "❯ small")
            taken(pty, "❯ in every project")
            shown = pty.until(lambda text: "compatible/small" in text and "Set up" not in text)
            assert PROMPT in shown and not asked
            pty.read(1.0)
            pty.type("\r")
            pty.until(SENTENCE)
            assert len(asked) == 1 and PROMPT in asked[0]
        finally:
            pty.close()
        pty = start(tmp_path)
        try:
            pty.until(lambda text: "compatible/small" in text and "No model yet" not in text)
        finally:
            pty.close()


def test_where_nobody_listens_is_said_once_and_the_kept_prompt_on_leaving(tmp_path: Path) -> None:
    with serving() as (address, _):
        pass
    pty = asked_for_an_address(tmp_path)
    try:
        pty.type(f"{address}\r")
        shown = pty.until("type its address")
        assert shown.count("no server answers there") == 1
        pty.read(1.0)
        pty.type("\x1b")
        pty.until(lambda text: "Address of the server" in text and address in text)
        pty.read(1.0)
        pty.type("\x1b")
        shown = pty.until("No model yet")
        assert shown.count("Ollama at ") == 1, "what was tried before is still there"
        assert "Your prompt is kept" in shown and PROMPT in shown
        pty.read(1.0)
        pty.type("\x1bq")
        pty.until("Enter quit")
        pty.read(0.5)
        pty.type("\r")
        assert pty.wait() == 0
        end = pty.raw.rpartition(b"\x1b[?1049l")[2].decode()
        assert f"Not sent, but saved: {PROMPT}\r\nContinue: agent-tui --resume " in end
    finally:
        pty.close()
