"""Pastes through the whole program in a real terminal: an image reaches a server of models, a kill
loses nothing."""

from __future__ import annotations

import json
import os
import signal
import struct
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.tui.pty_stage import ROOT, Pty

LONG = "\r".join(f"line {number} of it" for number in range(120))
PASTE = f"\x1b[200~{LONG}\x1b[201~"


def png(width: int, height: int) -> bytes:
    def part(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(width) for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


class Echo(BaseHTTPRequestHandler):
    """A model that says what it was sent."""

    requests: list[dict[str, Any]]

    def do_GET(self) -> None:
        self._send(json.dumps({"data": [{"id": "echo"}]}).encode(), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).requests.append(body)
        content = body["messages"][-1]["content"]
        parts = (
            [content]
            if isinstance(content, str)
            else [part.get("text", "a picture") for part in content]
        )
        said = f"I was sent {len(parts)} parts of {sum(map(len, parts))} characters"
        delta = {"choices": [{"delta": {"content": said}, "finish_reason": "stop"}]}
        self._send(f"data: {json.dumps(delta)}\n\ndata: [DONE]\n\n".encode(), "text/event-stream")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing beside the test's own words."""


@pytest.fixture
def echo() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    requests: list[dict[str, Any]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Echo,), {"requests": requests}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", requests
    server.shutdown()
    thread.join()
    server.server_close()


def start(place: Path, address: str, *arguments: str, **environment: str) -> Pty:
    (place / "work").mkdir(exist_ok=True)
    env = {
        "AGENT_TUI_HOME": str(place / "home"),
        "HOME": str(place),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "OPENAI_BASE_URL": address,
        "OPENAI_API_KEY": "none",
        "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
        **environment,
    }
    argv = ["-m", "agent_tui", "-m", "openai/echo", "--cwd", str(place / "work"), *arguments]
    return Pty(argv, env, (100, 30))


def test_the_path_of_an_image_is_pasted_and_the_model_sees_it(
    tmp_path: Path, echo: tuple[str, list[Any]]
) -> None:
    shot = tmp_path / "my shot.png"
    shot.write_bytes(png(64, 32))
    pty = start(tmp_path, echo[0])
    try:
        pty.until("openai/echo")
        pty.type("what is ")
        pty.type(f"\x1b[200~'{shot}'\x1b[201~")
        pty.until("[Image #1 · my")
        pty.type("?\r")
        pty.until("I was sent 2 parts")
    finally:
        pty.close()
    text, picture = echo[1][0]["messages"][-1]["content"]
    assert text["text"].startswith("what is @")
    head, _, data = picture["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert len(data) > 80
    kept = [
        path
        for path in (tmp_path / "home").rglob("*")
        if path.is_file() and path.read_bytes() == png(64, 32)
    ]
    assert kept
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_a_kill_keeps_what_a_chip_stands_for(tmp_path: Path, echo: tuple[str, list[Any]]) -> None:
    pty = start(tmp_path, echo[0])
    try:
        pty.until("openai/echo")
        pty.type("look: ")
        pty.type(PASTE)
        pty.until("[Pasted text #1 · 120 lines]")
        pty.until(lambda _: _saved(tmp_path))
        pty.signal(signal.SIGKILL)
        pty.wait()
    finally:
        pty.close()
    again = start(tmp_path, echo[0], "--continue")
    try:
        again.until("look: [Pasted text #1 · 120 lines]")
        again.type("\r")
        again.until("I was sent 1 parts")
    finally:
        again.close()
    sent = echo[1][0]["messages"][-1]["content"]
    assert sent.startswith("look: line 0 of it\nline 1 of it\n")
    assert "line 119 of it" in sent


def _saved(place: Path) -> bool:
    return any(
        "line 119" in path.read_text("utf-8", "replace")
        for path in (place / "home").rglob("*.jsonl")
    )


def test_text_that_comes_as_keys_sends_nothing(tmp_path: Path, echo: tuple[str, list[Any]]) -> None:
    pty = start(tmp_path, echo[0])
    try:
        pty.until("openai/echo")
        pty.type("one\rtwo\rthree\r")
        pty.until(lambda text: "two" in text and "three" in text)
        pty.type("\x1b[200~" + "".join(map(chr, range(32))) + "\x7f\x9b31m\x1b[200~ end\x1b[201~")
        pty.until("end")
    finally:
        pty.close()
    assert not echo[1]


def test_a_clipboard_tool_that_hangs_blocks_nothing(
    tmp_path: Path, echo: tuple[str, list[Any]]
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "xclip").write_text("#!/bin/sh\nexec sleep 60\n")
    (tools / "xclip").chmod(0o755)
    pty = start(tmp_path, echo[0], PATH=f"{tools}:{os.environ['PATH']}", DISPLAY=":9")
    try:
        pty.until("openai/echo")
        pty.type("\x16")
        pty.type("typed meanwhile")
        pty.until("typed meanwhile")
        pty.until("did not end within 2 s")
    finally:
        pty.close()
