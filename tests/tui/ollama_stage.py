"""An Ollama for journeys on the screen: it has some models, and a pull comes in parts when the test
lets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

from tests.tui.pty_stage import ROOT, Pty

DIGEST = {"status": "pulling", "digest": "sha256:1", "total": 100}
PATIENCE = 30.0


class Ollama:
    """`parts` takes what the pull says next: percents, a sentence that refuses it, or None for its
    end."""

    def __init__(self, *models: str) -> None:
        self.models = list(models)
        self.parts: Queue[int | str | None] = Queue()
        self.broken: Queue[str] = Queue()
        """Which pull lost its reader."""
        self.address = ""


@contextmanager
def serving(*models: str) -> Iterator[Ollama]:
    ollama = Ollama(*models)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say({"version": "0.12.6", "models": [{"model": name} for name in ollama.models]})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/api/pull":
                self._pull(asked["model"])
            elif self.path == "/api/show" and asked["model"] in ollama.models:
                self._say(
                    {
                        "model_info": {"x.context_length": 8192},
                        "capabilities": ["completion", "tools"],
                    }
                )
            else:
                self._say({"error": f"model '{asked['model']}' not found"}, 404)

        def _pull(self, name: str) -> None:
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                self._line({"status": "pulling manifest"})
                while (part := ollama.parts.get(timeout=PATIENCE)) is not None:
                    self._line(
                        {**DIGEST, "completed": part} if isinstance(part, int) else {"error": part}
                    )
                ollama.models.append(name)
                self._line({"status": "success"})
            except OSError:
                ollama.broken.put(name)

        def _line(self, part: dict[str, object]) -> None:
            self.wfile.write(json.dumps(part).encode() + b"\n")
            self.wfile.flush()

        def _say(self, data: object, status: int = 200) -> None:
            body = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing of it belongs into the output of the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    ollama.address = f"127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield ollama
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def screen(home: Path, address: str, config: str = "") -> Iterator[Pty]:
    """The program on a screen, ready, with the Ollama at `address`."""
    place, project = home / "place", home / "project"
    place.mkdir(mode=0o700)
    project.mkdir()
    (place / "config.toml").write_text(config)
    env = {
        "AGENT_TUI_HOME": str(place),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "OLLAMA_HOST": address,
        "OPENAI_API_KEY": "",
        "ANTHROPIC_API_KEY": "",
        "LC_ALL": "C.UTF-8",
    }
    pty = Pty(["-m", "agent_tui", "--cwd", str(project)], env, (100, 40))
    try:
        pty.until("Enter send")
        yield pty
    finally:
        pty.close()
