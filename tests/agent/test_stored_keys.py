"""A key that is kept is used, and turns up nowhere else: logs, errors, commands, the session. A
real server, the real engine."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent_tui.agent.services.stored_keys import fetch_keys, with_stored
from agent_tui.protocol.events import ErrorRaised, ModelChanged, Notice, ToolEnded
from agent_tui.protocol.ops import SetModel
from agent_tui.providers.choosing import keys
from agent_tui.safety import credentials
from agent_tui.settings.table import ProviderSettings, Settings
from tests import keyrings
from tests.agent.driving import Place
from tests.places import configured

KEY = "sk-abcdefghijklmnop0123"


class Echo(BaseHTTPRequestHandler):
    """Speaks Chat Completions, and tells the key it was sent in all that it says: asks for a
    command that tells every secret it can find, then says how that went, a letter at a time. Asked
    to refuse it does, and repeats the key."""

    seen: list[str]

    def do_GET(self) -> None:
        self._say(b'{"data": [{"id": "m"}]}', "application/json")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "")
        self.seen.append(key)
        if asked["messages"][-1]["content"] == "refuse":
            self._say(
                json.dumps({"error": {"message": f"no such key: {key}"}}).encode(),
                "application/json",
                401,
            )
            return
        if asked["messages"][-1]["role"] == "tool":
            self._chunks(
                [{"content": "done with "}, *({"content": piece} for piece in key)], "stop"
            )
            return
        folder = self.server.folder  # type: ignore[attr-defined]
        command = json.dumps({"command": f"env; cat {folder}/credentials.toml"})
        call = {
            "index": 0,
            "id": "c",
            "function": {"name": "run_shell_command", "arguments": command},
        }
        self._chunks(
            [{"reasoning_content": f"the key is {key}"}, {"tool_calls": [call]}], "tool_calls"
        )

    def _chunks(self, deltas: list[dict[str, Any]], reason: str) -> None:
        parts = [
            *({"delta": delta, "index": 0} for delta in deltas),
            {"delta": {}, "finish_reason": reason},
        ]
        lines = [f"data: {json.dumps({'choices': [part]})}\n\n" for part in parts]
        broken = (
            f"data: {self.headers['Authorization']} is no JSON\n\n"  # goes into the log, as it is
        )
        self._say(
            "".join([lines[0], broken, *lines[1:], "data: [DONE]\n\n"]).encode(),
            "text/event-stream",
        )

    def _say(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal of the tests."""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def server(place: Place) -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []
    handler = type("Handler", (Echo,), {"seen": seen})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.folder = place.home  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", seen
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("where", ["file", "keyring"])
def test_it_is_used_and_turns_up_nowhere(
    place: Place, server: tuple[str, list[str]], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, seen = server
    monkeypatch.setenv("TEST_KEYRING", str(place.root / "ring.json"))
    place.home.mkdir()
    (place.home / "credentials.toml").write_text(
        f'[keys]\ndeepseek = "{KEY}"\n'
    )  # one that no request needs
    backend = keyrings.FileKeyring()
    with keyrings.used(backend):
        if where == "file":
            (place.home / "credentials.toml").write_text(f'[keys]\nmoonshot = "{KEY}"\n')
        else:
            backend.set_password(credentials.SERVICE, "moonshot", KEY)
        with place.engine(
            "moonshot/m",
            mode="accept-all",
            sandbox="local",
            environment={"MOONSHOT_BASE_URL": address},
        ) as driver:
            assert driver.turn("show me").state == "completed"
            assert where == "keyring" or "[hidden:key:" in driver.all(ToolEnded)[0].content
            assert "[keys]" in driver.all(ToolEnded)[0].content
            assert driver.turn("refuse").state == "error"
            error = driver.all(ErrorRaised)[-1]
            told = repr(driver.events) + repr(driver.transcript())
    assert set(seen) == {f"Bearer {KEY}"}
    assert error.kind == "auth" and "auth set moonshot" in error.hint
    assert ("credentials.toml" if where == "file" else "the keyring") in error.hint
    assert KEY not in told
    kept = {path: path.read_bytes() for path in place.root.rglob("*") if path.is_file()}
    there = {path.name for path, content in kept.items() if KEY.encode() in content}
    assert there == ({"credentials.toml"} if where == "file" else {"ring.json", "credentials.toml"})
    assert any(path.suffix == ".log" and b"no JSON" in content for path, content in kept.items())


def test_a_key_that_is_kept_while_a_session_runs_is_used_and_hidden(
    place: Place, server: tuple[str, list[str]]
) -> None:
    address, seen = server
    script = place.script([{"text": "hello"}])
    with place.engine(
        script, mode="accept-all", sandbox="local", environment={"MOONSHOT_BASE_URL": address}
    ) as driver:
        credentials.save(place.home, "moonshot", KEY)
        driver.send(SetModel("moonshot/m"))
        driver.until(ModelChanged)
        assert driver.turn("show me").state == "completed"
        assert KEY not in repr(driver.events) and "[hidden:key:" in driver.all(ToolEnded)[0].content
    assert set(seen) == {f"Bearer {KEY}"}


def test_settings_and_variables_win(place: Place) -> None:
    credentials.save(place.home, "openai", KEY)
    kept = credentials.in_file(place.home)
    own = Settings(providers={"openai": ProviderSettings(api_key="mine")})
    assert keys.join_keys(configured(own), kept).settings.providers["openai"].api_key == "mine"
    assert (
        keys.join_keys(configured(environment={"OPENAI_API_KEY": "x"}), kept)
        .settings.providers["openai"]
        .api_key
        == ""
    )
    joined = keys.join_keys(configured(environment={"OPENAI_API_KEY": " "}), kept)
    own = joined.settings.providers["openai"]
    assert (own.api_key, own.key_from) == (KEY, "credentials.toml")
    assert (
        keys.join_keys(joined, credentials.Stored()).settings.providers["openai"].api_key == ""
    ), "what is gone is gone"
    assert KEY not in repr(joined) and KEY not in json.dumps(joined.settings.snapshot())


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (keyrings.OddKeyring(), "the keyring failed: BusError"),
        (keyrings.LockedKeyring(), "KeyringLocked"),
    ],
)
def test_a_keyring_that_fails_is_one_line(
    place: Place, server: tuple[str, list[str]], backend: keyrings.FileKeyring, said: str
) -> None:
    """What the file has is used then."""
    address, seen = server
    place.home.mkdir()
    (place.home / "credentials.toml").write_text(f'[keys]\nmoonshot = "{KEY}"\n')
    (place.home / "credentials.toml").chmod(0o600)
    options = {
        "mode": "accept-all",
        "sandbox": "local",
        "environment": {"MOONSHOT_BASE_URL": address},
    }
    with keyrings.used(backend), place.engine("moonshot/m", **options) as driver:
        driver.turn("hi")
        driver.send(SetModel("moonshot/n"))
        driver.until(ModelChanged)
        warned = [notice.text for notice in driver.all(Notice) if "keyring" in notice.text]
    assert len(warned) == 1 and said in warned[0] and {*seen} == {f"Bearer {KEY}"}


def test_nobody_waits_for_a_keyring_that_waits(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEYRING", str(place.root / "ring.json"))
    credentials.save(place.home, "openai", KEY)
    backend = keyrings.WaitingKeyring()

    async def ask() -> tuple[credentials.Stored, int]:
        with ThreadPoolExecutor(1) as pool:
            found = await fetch_keys(place.config("x"), pool, patience=0.05)
            backend.answered.set()
        config, _ = await with_stored(place.config("x"), ThreadPoolExecutor(1))
        return found, len(config.secrets)

    with keyrings.used(backend):
        found, count = asyncio.run(ask())
    assert found.keys["openai"].value == KEY and "did not answer within 0.05 s" in found.problems[0]
    assert count == 1
