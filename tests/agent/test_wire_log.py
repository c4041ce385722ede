"""`--debug-wire`: everything that goes over the wire, and no key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.worker import Worker
from agent_tui.protocol.events import Notice, SessionStarted
from agent_tui.providers.wire.http import client_options
from agent_tui.settings.table import ProviderSettings
from tests.agent.driving import Driver, Place
from tests.agent.model_server import ModelServer, model_server, said, status

KEY = "sk-abcdefghij0123456789"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def turns(place: Place, server: ModelServer, count: int, **changed: Any) -> Driver:
    """An engine that has run `count` turns with `server`."""
    config = place.config("compatible/m")
    settings = replace(
        config.settings, providers={"compatible": ProviderSettings(server.address, KEY)}
    )
    driver = Driver(Worker(replace(config, settings=settings, **changed)), config)
    driver.worker.start(lambda: None)
    try:
        driver.until(SessionStarted)
        for _ in range(count):
            driver.turn("my prompt")
    finally:
        driver.worker.stop(10)
    return driver


def echo(to: BaseHTTPRequestHandler) -> None:
    """An answer that says the key, in two pieces."""
    to.send_response(200)
    to.send_header("Content-Type", "text/event-stream")
    to.send_header("Set-Cookie", "session=abcdefgh")
    to.end_headers()
    delta = json.dumps(
        {"choices": [{"index": 0, "delta": {"content": f"key {KEY}!"}, "finish_reason": "stop"}]}
    )
    text = f"data: {delta}\n\ndata: [DONE]\n\n"
    middle = text.index(KEY) + 9
    for piece in (text[:middle], text[middle:]):
        to.wfile.write(piece.encode())
        to.wfile.flush()


def test_requests_and_answers_are_written_down_for_the_owner_alone_and_without_keys(
    place: Place,
) -> None:
    with model_server(echo, status(401, f"bad key {KEY}"), said("more")) as server:
        driver = turns(place, server, 2, debug_wire=True)
    [path] = (place.home / "logs").glob("wire-*.jsonl")
    assert path.stem == f"wire-{driver.events[0].session}"
    assert path.stat().st_mode & 0o777 == 0o600
    assert any(str(path) in notice.text for notice in driver.all(Notice))
    text = path.read_text()
    records = [json.loads(line) for line in text.splitlines()]
    asked = [
        record for record in records if record["kind"] == "request" and record["method"] == "POST"
    ]
    assert len(asked) == 2 and json.loads(asked[0]["body"])["messages"][1]["content"].startswith(
        "my prompt"
    )
    assert asked[0]["headers"]["authorization"] == "[hidden]"
    answer = [record for record in records if record["id"] == asked[0]["id"]]
    assert [record["kind"] for record in answer[:2]] == ["request", "response"]
    assert answer[1]["headers"]["set-cookie"] == "[hidden]" and answer[-1]["kind"] == "end"
    assert "key [hidden:key:" in "".join(
        record["text"] for record in answer if record["kind"] == "data"
    )
    refused = [record for record in records if record["id"] == asked[1]["id"]]
    assert refused[1]["status"] == 401 and "bad key [hidden:key:" in refused[2]["text"]
    assert KEY not in text and "abcdefgh" not in text


def test_without_the_flag_and_off_the_record_nothing_is_written(place: Place) -> None:
    with model_server(said("one"), said("two")) as server:
        turns(place, server, 1)
        turns(place, server, 1, debug_wire=True, otr=True)
    assert not list(place.home.rglob("wire-*"))
    assert client_options("http://127.0.0.1:1/v1")["event_hooks"] == {}


def test_the_flag_reaches_the_log(place: Place) -> None:
    place.cwd.mkdir()
    with model_server(said("hello")) as server:
        kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        environment = {
            **kept,
            "HOME": str(place.root),
            "AGENT_TUI_HOME": str(place.home),
            "VLLM_API_KEY": KEY,
        }
        done = subprocess.run(
            [sys.executable, "-m", "agent_tui", "run", "hi", "-m", "vllm/m", "--debug-wire"],
            cwd=place.cwd,
            env={**environment, "VLLM_BASE_URL": server.address},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (0, "hello\n"), done.stderr
        assert "All traffic with model servers is written to " in done.stderr, (
            "there is no screen that says it"
        )
        both = subprocess.run(
            [sys.executable, "-m", "agent_tui", "run", "hi", "--debug-wire", "--otr"],
            cwd=place.cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert both.returncode == 2 and "--debug-wire" in both.stderr
    [path] = place.home.rglob("wire-*.jsonl")
    assert "hello" in path.read_text() and KEY not in path.read_text()
