"""A provider is set up in a real terminal, against a real server: from the first screen to an
answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.test_cli_auth import environment
from tests.tui.pty_stage import Pty

KEY = "sk-right-key-abcdefghijkl"
WRONG = "sk-wrong-key-mnopqrstuvwx"
SENTENCE = "Hello from the second model."


class Server:
    """What it is asked, and whether it answers yet."""

    def __init__(self) -> None:
        self.prompts: list[tuple[str, str]] = []
        self.answers = Event()
        self.answers.set()
        self.address = ""


@contextmanager
def serving() -> Iterator[Server]:
    """Chat Completions for the right key; a wrong one is repeated in the refusal."""
    of = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            of.answers.wait(30)
            given = self.headers.get("Authorization", "")
            if given != f"Bearer {KEY}":
                self._say({"error": {"message": f"no such key: {given}"}}, 401)
            else:
                self._say({"data": [{"id": "first"}, {"id": "second"}]})

        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            of.prompts.append((said["model"], json.dumps(said["messages"][-1])))
            parts = [
                {"delta": {"content": SENTENCE}, "index": 0},
                {"delta": {}, "finish_reason": "stop", "index": 0},
            ]
            lines = [json.dumps({"choices": [part]}) for part in parts]
            self._send(
                "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]")),
                200,
                "text/event-stream",
            )

        def _say(self, data: object, status: int = 200) -> None:
            self._send(json.dumps(data), status, "application/json")

        def _send(self, text: str, status: int, kind: str) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())
            except OSError:
                return  # who asked has left

        def log_message(self, *_: object) -> None:
            """Nothing of it belongs into the output of the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    of.address = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield of
    finally:
        of.answers.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def first_run(
    home: Path, address: str, size: tuple[int, int] = (100, 30), *words: str
) -> Iterator[Pty]:
    """The program without a model; Moonshot is asked at `address`."""
    home.chmod(0o700)
    (home / "project").mkdir()
    given = environment(
        home, MOONSHOT_BASE_URL=address, OLLAMA_HOST="127.0.0.1:9", TERM="xterm-256color"
    )
    pty = Pty(["-m", "agent_tui", "--cwd", str(home / "project"), *words], given, size)
    try:
        pty.until("No model yet")
        pty.read(0.5)  # a key that comes at once is meant for the prompt
        pty.type("k")
        pty.until("Whose models do you want")
        yield pty
    finally:
        pty.close()


def taken(pty: Pty, seen: str, key: str = "\r") -> str:
    """Press `key`, on purpose, once `seen` is there."""
    shown = pty.until(seen)
    pty.read(0.5)  # so soon after a sheet came by itself no Enter counts
    pty.type(key)
    return shown


def having(home: Path, text: str) -> set[str]:
    return {
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    }


@pytest.mark.parametrize("size", [(100, 30), (60, 20)])
def test_a_wrong_key_then_the_right_one_a_model_and_an_answer(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with serving() as server, first_run(tmp_path, server.address, size, "--debug-wire") as pty:
        taken(pty, "needs a key")
        pty.until("Key for Moonshot: hidden as you type")
        pty.type(WRONG)
        pty.until("•" * len(WRONG))
        pty.type("\r")
        refused = pty.until("refused the key (401)")
        assert "[hidden:key:" in refused and not having(tmp_path, KEY)
        taken(pty, "Key for Moonshot: hidden as you type", f"\x1b[200~{KEY}\n\x1b[201~")
        pty.until("•" * len(KEY))
        pty.type("\r")
        assert "second" in taken(pty, "offers 2 models", "\x1b[B")
        taken(pty, "❯ second")
        assert "credentials.toml" in taken(pty, "in every project")
        pty.until(lambda text: "moonshot/second" in text and "Set up" not in text)
        pty.type("are you there?\r")
        pty.until(SENTENCE)
        assert [model for model, _ in server.prompts] == [
            "second"
        ] and "are you there?" in server.prompts[0][1]
        assert KEY.encode() not in pty.raw and WRONG.encode() not in pty.raw
        pty.type("\x04")
        assert pty.wait() == 0
    assert having(tmp_path, KEY) == {"credentials.toml"} and not having(tmp_path, WRONG)
    assert (tmp_path / "credentials.toml").stat().st_mode & 0o777 == 0o600
    assert 'model = "moonshot/second"' in (tmp_path / "config.toml").read_text()
    wire = list(tmp_path.rglob("wire-*.jsonl"))
    assert wire and "no such key: Bearer [hidden:key:" in wire[0].read_text()


def test_esc_stops_a_test_that_gets_no_answer_and_nothing_is_kept(tmp_path: Path) -> None:
    with serving() as server, first_run(tmp_path, server.address) as pty:
        taken(pty, "needs a key", "\x1bOQ")
        pty.until("Key for Moonshot: hidden as you type")
        server.answers.clear()
        pty.type(f"{KEY}\r")
        pty.until("asking ")
        pty.type("\x1b")
        pty.until("Key for Moonshot: hidden as you type")
        pty.type("\x1b")
        pty.until("Whose models do you want")
        pty.type("\x1b")
        pty.until("No model yet")
    assert not having(tmp_path, KEY) and not (tmp_path / "config.toml").exists()


def test_in_lines_too_the_key_is_unseen(tmp_path: Path) -> None:
    with serving() as server:
        tmp_path.chmod(0o700)
        given = environment(
            tmp_path,
            MOONSHOT_BASE_URL=server.address,
            OLLAMA_HOST="127.0.0.1:9",
            TERM="xterm-256color",
        )
        pty = Pty(["-m", "agent_tui", "chat", "--cwd", str(tmp_path)], given, (100, 60))
        try:
            pty.until("Type k, a, r, d or q")
            pty.type("k\r")
            pty.until("1: Moonshot, needs a key")
            pty.type("k 1\r")
            pty.until("Key for Moonshot: hidden as you type")
            pty.until(lambda text: text.rstrip().endswith(">"))
            pty.type(f"{WRONG}\r")
            pty.until("refused the key (401)")
            pty.until(lambda text: text.rstrip().endswith(">"))
            pty.type(f"{KEY}\r")
            pty.until("2: second")
            pty.type("2\r")
            pty.until("1: in every project")
            pty.type("1\r")
            pty.until("moonshot/second is your model now")
            pty.type("are you there?\r")
            pty.until(SENTENCE)
            assert KEY.encode() not in pty.raw and WRONG.encode() not in pty.raw
        finally:
            pty.close()
    assert having(tmp_path, KEY) == {"credentials.toml"}
