"""Changing the model while a session runs: real servers, the real engine."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agent_tui.agent.services.models import Models
from agent_tui.agent.session.record import Record
from agent_tui.agent.worker import Worker
from agent_tui.cli import replay
from agent_tui.protocol.events import (
    Answered,
    ErrorRaised,
    Event,
    ModelChanged,
    Notice,
    Restored,
    SessionStarted,
    UsageReported,
)
from agent_tui.protocol.ops import Pull, Query, SetModel, Submit
from agent_tui.sessions.log.store import Store
from agent_tui.settings.table import ProviderSettings, Settings
from tests.agent.driving import Place, running
from tests.agent.model_server import engine, model_server
from tests.agent.model_server import said as hello

UNKNOWN = "pull model manifest: file does not exist"
REFUSED = {"none": UNKNOWN, "gone": UNKNOWN, "full": "no space left on device"}


class FakeOllama(BaseHTTPRequestHandler):
    """Enough of Ollama for choosing and fetching: it has `small`, and gets `big` by a pull."""

    models: list[str]

    def do_GET(self) -> None:
        self._say(
            {"version": "0.12.6"}
            if "version" in self.path
            else {"models": [{"model": m} for m in self.models]}
        )

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/pull":
            if asked["model"] in REFUSED:
                said = json.dumps({"error": REFUSED[asked["model"]]}).encode()
                self._send(
                    said, 500 if asked["model"] == "none" else 200
                )  # the status of one that had begun
                return
            layer = {"status": "pulling", "digest": "sha256:1", "total": 100}
            parts = [{**layer, "completed": n} for n in range(0, 101, 10)]
            self._lines([{"status": "pulling manifest"}, *parts, {"status": "success"}])
            self.models.append(asked["model"])
        elif asked["model"] in self.models:
            self._say(
                {"model_info": {"x.context_length": 8192}, "capabilities": ["completion", "tools"]}
            )
        else:
            self._say({"error": f"model '{asked['model']}' not found"}, 404)

    def _say(self, data: object, status: int = 200) -> None:
        self._send(json.dumps(data).encode(), status)

    def _lines(self, parts: list[dict[str, object]]) -> None:
        self._send(b"".join(json.dumps(part).encode() + b"\n" for part in parts), 200)

    def _send(self, body: bytes, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal of the tests."""


@pytest.fixture
def ollama() -> Iterator[str]:
    handler = type("Handler", (FakeOllama,), {"models": ["small"]})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_local_server_is_found_by_itself(place: Place, ollama: str) -> None:
    with place.engine("", environment={"OLLAMA_HOST": ollama}) as driver:
        started = driver.events[0]
        assert (getattr(started, "model", ""), getattr(started, "window", 0)) == (
            "ollama/small",
            8192,
        )


def test_a_model_is_fetched_and_used(place: Place, ollama: str) -> None:
    with place.engine("", environment={"OLLAMA_HOST": ollama}) as driver:
        driver.send(Pull("ollama/big"))
        assert driver.until(ModelChanged).model == "ollama/big"
        assert [notice.text for notice in driver.all(Notice)] == ["big is downloaded."]
        told = [
            (event.data.state, event.data.percent)
            for event in driver.all(Answered)
            if event.kind == "pull"
        ]
        assert told == [("pulling", 0), *(("pulling", n) for n in range(0, 101, 10)), ("done", 100)]
        sizes = [
            event.data.done
            for event in driver.all(Answered)
            if event.kind == "pull" and event.data.total
        ]
        assert sizes == sorted(sizes) and len(sizes) == 11


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        (
            "none",
            "Ollama's library has no model 'none' (pull model",
            "https://ollama.com/library lists the models",
        ),
        (
            "gone",
            "Ollama's library has no model 'gone' (pull model",
            "https://ollama.com/library lists the models",
        ),
        ("full", "stopped with an error: no space left on device", "try again"),
    ],
)
def test_a_model_that_cannot_be_fetched_changes_nothing(
    place: Place, ollama: str, name: str, text: str, hint: str
) -> None:
    with place.engine("", environment={"OLLAMA_HOST": ollama}) as driver:
        driver.send(Pull(name))
        raised = driver.until(ErrorRaised)
        assert text in raised.text and raised.hint == hint
        assert driver.transcript().model == "ollama/small"


def test_an_unknown_model_is_one_line_and_keeps_the_one_in_use(place: Place, ollama: str) -> None:
    with place.engine("", environment={"OLLAMA_HOST": ollama}) as driver:
        driver.send(SetModel("ollama/other"))
        error = driver.until(ErrorRaised)
        assert "other" in error.text and ollama in error.text and "\n" not in error.text
        assert driver.transcript().model == "ollama/small"


def test_without_a_model_a_prompt_comes_back_and_the_server_can_be_named(
    place: Place, ollama: str
) -> None:
    with place.engine("", environment={"OLLAMA_HOST": "127.0.0.1:1"}) as driver:
        told = driver.until(Answered, lambda event: event.kind == "models").data
        assert told.model == "" and "127.0.0.1:1" in str(told.tried)
        assert "OPENAI_API_KEY" in told.variables
        driver.send(Submit("do not lose me"))
        driver.until(Answered, lambda event: event.kind == "models")
        driver.send(SetModel("", base_url=ollama))
        assert driver.until(ModelChanged).model == "ollama/small"
        assert driver.transcript().draft == "do not lose me"


def test_a_wrong_address_leaves_the_reasons_of_before_on_the_list(place: Place) -> None:
    with place.engine("", environment={"OLLAMA_HOST": "127.0.0.1:1"}) as driver:
        before = driver.until(Answered, lambda event: event.kind == "models").data.tried
        shown = before
        for address in ("http://127.0.0.1:9", "http://127.0.0.1:9", "http://127.0.0.1:10"):
            driver.send(SetModel("", base_url=address))
            shown = driver.until(Answered, lambda event: event.kind == "models").data.tried
        assert [one.what for one in shown[:2]] == ["http://127.0.0.1:10", "http://127.0.0.1:9"]
        assert before and shown[2:] == before


def test_what_the_servers_offer(place: Place, ollama: str) -> None:
    with place.engine("", environment={"OLLAMA_HOST": ollama}) as driver:
        driver.send(Query("q", "models"))
        data = driver.until(Answered, lambda event: event.id == "q").data
        offered, unset = data.offered, {one.name: one for one in data.unset}
        assert (
            unset["openai"].said.startswith("OpenAI needs a key")
            and unset["azure"].needs == "address"
        )
        assert "ollama" not in unset and "vllm" not in unset
        where = f"Ollama at http://{ollama}"
        [small] = [one for one in offered if one.name == "ollama/small"]
        assert (small.window, small.tools, small.where) == (8192, True, where)
    less = Settings(providers={"ollama": ProviderSettings(num_ctx=4096)})
    with running(
        replace(place.config("", environment={"OLLAMA_HOST": ollama}), settings=less)
    ) as driver:
        driver.send(Query("q", "models"))
        [small] = driver.until(Answered, lambda event: event.id == "q").data.offered
        assert (small.window_max, small.window) == (8192, 4096), (
            "what it could hold, and what it will"
        )


HOSTED = {"OLLAMA_HOST": "127.0.0.1:1", "OPENAI_API_KEY": "sk-x", "ANTHROPIC_API_KEY": "sk-y"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai/gpt-5", []),
        ("anthropic/claude-x", []),
        (
            "openai/gtp-5",
            ["openai/gtp-5 is not on its server's list: the closest name is openai/gpt-5."],
        ),
    ],
)
def test_a_hosted_model_is_looked_for_in_the_list_that_is_known(
    place: Place, name: str, said: list[str]
) -> None:
    """Its server is not asked for that; of one whose list nobody has seen, nothing is said."""
    told: list[Event | Restored] = []
    models = Models(place.config("", environment=HOSTED))
    models.offered = ("openai/gpt-5", "openai/gpt-5-mini", "ollama/small")
    record = Record("s", Store.create(place.home, "s", kept=False), told.append)

    async def scenario() -> None:
        await models.change(record, name, "")
        await models.close()

    asyncio.run(scenario())
    record.store.close()
    assert (
        models.info.name == name
        and [event.text for event in told if isinstance(event, Notice)] == said
    )
    [changed] = [event for event in told if isinstance(event, ModelChanged)]
    assert changed.window_assumed == (name != "openai/gpt-5"), "of the others nothing is known"


def test_a_window_that_nobody_told_is_called_assumed_in_all_that_is_on_record(place: Place) -> None:
    with model_server(hello("hi")) as server, engine(place, server) as driver:
        driver.turn("hello")
        began, used = driver.all(SessionStarted)[0], driver.all(UsageReported)[0]
        assert (
            (began.window, used.window) == (128_000, 128_000)
            and began.window_assumed
            and used.window_assumed
        )
        assert driver.transcript().window_assumed
        assert " of ≈128,000 tokens" in replay.describe_record(
            [one for one in driver.events if one.n], used.n
        )


def test_a_server_that_never_answers_does_not_hold_the_end(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "{}:{}".format(*silent.getsockname())
        worker = Worker(place.config("ollama/x", environment={"OLLAMA_HOST": address}))
        worker.start(lambda: None)
        connection, _ = silent.accept()
        worker.stop(60)
        assert worker.is_alive  # its session is still being opened, and nobody waits for that
        connection.close()
    worker.stop(60)
