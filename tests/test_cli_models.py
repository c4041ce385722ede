"""`agent-tui models`: a list, a model fetched with a bar, and an Ollama that is started when somebody
says so.

The Ollama is a program of that name on the path, with as much of a server as is asked here.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent_tui.agent.services import local_ollama
from agent_tui.providers import ollama
from agent_tui.providers.base import ProviderSetup
from tests.agent.driving import Place
from tests.test_cli_auth import environment
from tests.tui.pty_stage import Pty

OLLAMA = """#!{python}
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
home = os.path.dirname(__file__)
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        names = [line.strip() for line in open(home + "/models")]
        self.say(json.dumps({{"version": "0.12.6", "models": [{{"model": name}} for name in names]}}))
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/show":
            self.say(json.dumps({{"model_info": {{"x.context_length": 8192}}, "capabilities": ["tools"]}}))
        elif asked["model"] == "none":
            self.say(json.dumps({{"error": "pull model manifest: file does not exist"}}), 500)
        else:
            layer = {{"status": "pulling", "digest": "sha256:1", "total": 100}}
            parts = [{{"status": "pulling manifest"}}, *({{**layer, "completed": n}} for n in range(0, 101, 5))]
            self.say("".join(json.dumps(part) + "\\n" for part in [*parts, {{"status": "success"}}]))
            open(home + "/models", "a").write(asked["model"] + "\\n")
    def say(self, text, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *_): pass
assert sys.argv[1:] == ["serve"] and "MY_TOKEN" not in os.environ
open(home + "/pids", "a").write(str(os.getpid()) + "\\n")
host, port = os.environ["OLLAMA_HOST"].split(":")
print("it listens", flush=True)
ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
"""


@dataclass
class Machine:
    """A home, and an Ollama on the path that does not run yet."""

    home: Path
    address: str

    @property
    def pids(self) -> list[int]:
        path = self.home / "bin" / "pids"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    @property
    def given(self) -> dict[str, str]:
        path = f"{self.home / 'bin'}:{os.environ['PATH']}"
        return environment(
            self.home, PATH=path, OLLAMA_HOST=self.address, MY_TOKEN="not for others"
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "agent_tui", "models", *words]
        return subprocess.run(
            argv,
            env=self.given,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "models").write_text("small\n")
    program = tmp_path / "bin" / "ollama"
    program.write_text(OLLAMA.format(python=sys.executable))
    program.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = "{}:{}".format(*free.getsockname())
    found = Machine(tmp_path, address)
    yield found
    for pid in found.pids:
        os.kill(pid, signal.SIGKILL)


def test_a_model_is_fetched_by_a_server_that_is_started_and_stays(machine: Machine) -> None:
    done = machine.run("pull", "--yes", "ollama/big:8b")
    assert (done.returncode, done.stdout) == (0, "big:8b is ready: agent-tui -m ollama/big:8b\n")
    said = done.stderr.splitlines()
    assert said == ["starting `ollama serve` …", *(f"big:8b: {n} %" for n in range(0, 101, 10))]
    listed = machine.run("list", "ollama")
    assert listed.returncode == 0, "the server goes on without us"
    assert [line.split() for line in listed.stdout.splitlines()] == [
        ["ollama/small", "8k", "window"],
        ["ollama/big:8b", "8k", "window"],
    ]
    assert machine.run("pull", "again").returncode == 0 and len(machine.pids) == 1, (
        "one that runs is not started again"
    )
    assert "it listens" in (machine.home / "logs" / "ollama-serve.log").read_text()


def test_without_a_yes_nothing_is_started(machine: Machine) -> None:
    done = machine.run("pull", "big")
    assert (
        done.returncode == 1
        and "start it with `ollama serve`" in done.stderr
        and machine.pids == []
    )


@pytest.mark.parametrize(("answer", "code"), [("y\r", 0), ("\r", 1)])
def test_somebody_at_a_terminal_is_asked_and_sees_a_bar(
    machine: Machine, answer: str, code: int
) -> None:
    pty = Pty(["-m", "agent_tui", "models", "pull", "big"], machine.given)
    pty.until("[y/N]")
    assert machine.pids == []
    pty.type(answer)
    assert pty.wait(40) == code
    seen = pty.raw.decode()
    if code == 0:
        assert (
            "━" * 15 + "·" * 15 + "   50 %" in seen
            and "━" * 30 + "  100 %" in seen
            and "big is ready" in seen
        )
    assert len(machine.pids) == (1 if code == 0 else 0)
    pty.close()


def test_what_cannot_be_fetched_is_one_line(machine: Machine) -> None:
    done = machine.run("pull", "--yes", "none")
    assert done.returncode == 1 and "file does not exist" in done.stderr.splitlines()[-1]
    assert machine.run("pull", " ").returncode == 2


def test_the_models_of_one_provider_need_no_word_more(machine: Machine) -> None:
    assert machine.run("pull", "--yes", "small").returncode == 0
    shown = machine.run("ollama")
    assert (
        shown.returncode == 0
        and shown.stdout == machine.run("list", "ollama").stdout == machine.run().stdout
    )
    assert "ollama/small" in shown.stdout and machine.run("Ollama").stdout == shown.stdout
    done = machine.run("nosuch")
    assert (
        done.returncode == 2 and "nosuch: unknown provider; choose one of openai, " in done.stderr
    )
    done = machine.run("anthropic")
    assert (
        done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "needs a key" in done.stderr
    )


def test_of_one_provider_nothing_is_said_of_others(machine: Machine) -> None:
    """Neither runs here: only the one that was asked for is told of."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = "http://{}:{}/v1".format(*free.getsockname())
    (machine.home / "config.toml").write_text(f'[providers.mine]\nbase_url = "{address}"\n')
    mine, theirs = machine.run("mine"), machine.run("ollama")
    assert (mine.returncode, theirs.returncode) == (1, 1)
    assert [line.count(address) for line in mine.stderr.splitlines()] == [1]
    assert [machine.address in line for line in theirs.stderr.splitlines()] == [True]


def test_a_program_that_does_not_begin_is_said(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_ollama, "START_SECONDS", 0.3)
    (machine.home / "bin" / "ollama").write_text("#!/bin/sh\necho no such thing; exit 1\n")
    config = Place(machine.home).config("", environment={"PATH": machine.given["PATH"]})
    server = ollama.create("m", ProviderSetup(f"http://{machine.address}"))
    assert asyncio.run(local_ollama.is_startable(server, config))
    said = asyncio.run(local_ollama.start(server, config))
    assert "does not answer after 0.3 s" in said and str(config.folders.logs) in said
    assert "no such thing" in (config.folders.logs / local_ollama.LOG).read_text()
