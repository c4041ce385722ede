"""`agent-tui doctor`: says what is wrong and how to mend it, and always ends."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from agent_tui.agent.services import doctor
from agent_tui.agent.worker import work_pool
from tests.agent.driving import Place
from tests.test_cli_auth import environment
from tests.tui.pty_stage import Pty

KEY = "sk-abcdefghijklmnop0123"
NOWHERE = {"OLLAMA_HOST": "127.0.0.1:1"}


class Listing(BaseHTTPRequestHandler):
    """A server that lists two models for the right key, and repeats a wrong one."""

    def do_GET(self) -> None:
        given = self.headers.get("Authorization", "")
        right = given == f"Bearer {KEY}"
        body = (
            {"data": [{"id": "a"}, {"id": "b"}]}
            if right
            else {"error": {"message": f"bad key {given}"}}
        )
        content = json.dumps(body).encode()
        self.send_response(200 if right else 401)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal of the tests."""


@contextmanager
def listing() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listing)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def run(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    home.chmod(0o700)
    argv = [sys.executable, "-m", "agent_tui", "doctor", *words]
    given = environment(home, **more)
    return subprocess.run(
        argv,
        env=given,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


def told(done: subprocess.CompletedProcess[str], area: str) -> dict[str, tuple[str, str]]:
    """What was said of `area`: its state and the fix."""
    checks: list[dict[str, Any]] = json.loads(done.stdout)["checks"]
    return {
        check["said"]: (check["state"], check["fix"]) for check in checks if check["area"] == area
    }


def test_all_is_well(tmp_path: Path) -> None:
    with listing() as address:
        done = run(tmp_path, MOONSHOT_BASE_URL=address, MOONSHOT_API_KEY=KEY)
    assert done.returncode == 0, done.stdout
    assert f"ok    moonshot at {address}: answers, 2 models" in done.stdout
    assert "ok    moonshot: from MOONSHOT_API_KEY" in done.stdout and done.stdout.endswith(
        "no problems\n"
    )
    assert KEY not in done.stdout + done.stderr


def test_commands_after_an_edit_are_listed(tmp_path: Path) -> None:
    settings = '[hooks.after_edit]\n"*.py" = ["ruff format {file}", "ruff check {file}"]\n'
    (tmp_path / "config.toml").write_text(settings)
    with listing() as address:
        done = run(tmp_path, MOONSHOT_BASE_URL=address, MOONSHOT_API_KEY=KEY)
    said = "ok    after an edit of *.py: ruff format {file}; ruff check {file}\n"
    assert said in done.stdout


def test_a_repository_of_which_not_all_is_held_is_noted(tmp_path: Path) -> None:
    home = tmp_path.resolve()
    subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    with listing() as address:
        given = {"MOONSHOT_BASE_URL": address, "MOONSHOT_API_KEY": KEY}
        assert "delete of the history" not in run(home, **given).stdout
        (home / ".git/objects/info/alternates").write_text("/elsewhere\n")
        done = run(home, **given)
    assert done.returncode == 0 and "delete of the history" in done.stdout
    assert f"{home}/.git/objects/info/alternates names other folders" in done.stdout


def test_a_refused_key_names_where_it_is_from(tmp_path: Path) -> None:
    (tmp_path / "credentials.toml").write_text('[keys]\nmoonshot = "sk-another-key-0123"\n')
    (tmp_path / "credentials.toml").chmod(0o644)
    with listing() as address:
        done = run(tmp_path, "--json", MOONSHOT_BASE_URL=address, **NOWHERE)
    assert done.returncode == 1 and json.loads(done.stdout)["ok"] is False
    servers = told(done, "servers")
    refused = next(
        fix
        for said, (state, fix) in servers.items()
        if "refused the key (401)" in said and state == "bad"
    )
    assert (
        refused
        == "the key is from credentials.toml; `agent-tui auth set moonshot` saves another one"
    )
    assert any(
        "no server answers there" in said and "OLLAMA_HOST" in fix
        for said, (_, fix) in servers.items()
    )
    assert "no server offers a model" in servers
    path = tmp_path / "credentials.toml"
    assert told(done, "permissions")[f"{path}: others have access (0644)"] == (
        "bad",
        f"chmod 600 {path}",
    )
    assert "sk-another-key-0123" not in done.stdout + done.stderr


@pytest.mark.parametrize("model", ["openai/gpt-5", "OpenAI/gpt-5", "best"])
def test_the_key_that_the_model_lacks_is_named(tmp_path: Path, model: str) -> None:
    (tmp_path / "config.toml").write_text(f'model = "{model}"\n[aliases]\nbest = "openai/gpt-5"\n')
    servers = told(run(tmp_path, "--json", **NOWHERE), "servers")
    state, fix = servers[f"{model}, your configured model: OpenAI needs a key"]
    assert state == "bad" and fix.startswith(
        "`agent-tui auth set openai` saves one, or set OPENAI_API_KEY"
    )
    servers = told(
        run(
            tmp_path, "--json", **NOWHERE, OPENAI_API_KEY=KEY, OPENAI_BASE_URL="http://127.0.0.1:1"
        ),
        "servers",
    )
    assert not any("the model that is set" in said for said in servers)


def test_folders_that_others_see_or_that_cannot_be_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "logs").mkdir(mode=0o755)
    (home / "cache").write_text("a file")
    (home / "config.toml").write_text("mode = 3\n")
    (home / "config.toml").chmod(0o600)
    done = run(home, "--json", **NOWHERE)
    permissions = told(done, "permissions")
    assert permissions[f"{home / 'logs'}: others have access (0755)"] == (
        "bad",
        f"chmod 700 {home / 'logs'}",
    )
    assert permissions[f"{home / 'cache'}: not of the expected kind"][0] == "bad"
    assert permissions[f"{home}: only you have access"][0] == "ok"
    assert any(
        "mode" in said and state == "bad" for said, (state, _) in told(done, "settings").items()
    )


def test_commands_are_run_and_see_no_key(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", MOONSHOT_API_KEY=KEY, MOONSHOT_BASE_URL="http://127.0.0.1:1/v1")
    said = told(done, "commands")
    assert said["commands cannot read your API keys"][0] == "ok"
    assert [said[line][0] for line in said if "the read-only sandbox works" in line] == ["ok"]
    url = "http://127.0.0.1:1/v1"
    done = run(tmp_path, "--json", MOONSHOT_API_KEY=KEY, MOONSHOT_BASE_URL=url, CC=KEY)
    assert told(done, "commands")["commands cannot read your API keys"][0] == "ok"
    plain = "words-that-look-like-none"
    done = run(tmp_path, "--json", MOONSHOT_API_KEY=plain, MOONSHOT_BASE_URL=url, CC=plain)
    assert told(done, "commands")["commands can read an API key"][0] == "bad"


@pytest.mark.parametrize(("term", "state"), [("xterm-256color", "ok"), ("dumb", "bad")])
def test_the_terminal(tmp_path: Path, term: str, state: str) -> None:
    tmp_path.chmod(0o700)
    pty = Pty(["-m", "agent_tui", "doctor"], {**environment(tmp_path), "TERM": term})
    assert pty.wait(30) == 1
    mark = {"ok": "ok    TERM=xterm-256color", "bad": "BAD   TERM is dumb"}[state]
    assert mark in pty.raw.decode()
    pty.close()


def test_a_server_that_never_answers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "SERVER_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "http://{}:{}/v1".format(*silent.getsockname())
        given = {
            "MOONSHOT_BASE_URL": address,
            "MOONSHOT_API_KEY": KEY,
            "OLLAMA_HOST": address.removesuffix("/v1"),
        }
        config = Place(tmp_path).config("", environment=given)
        found = asyncio.run(doctor.examine(config, work_pool(), {0: False}))
    said = [check.said for check in found if check.area == "servers"]
    assert sum("did not answer within 0.2 s" in line for line in said) == 2
    assert not any(check.area == "servers" and check.state == "ok" for check in found)


def test_nothing_else_is_taken(tmp_path: Path) -> None:
    done = run(tmp_path, "now")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "exit codes: 0" in run(tmp_path, "--help").stdout
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - looking changes nothing
