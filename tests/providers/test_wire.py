"""The connection: addresses near and far, proxies, keys and secrets."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_tui.providers import compatible
from agent_tui.providers.base import Failed, Finished, ProviderError, ProviderSetup
from agent_tui.providers.wire.failures import Place, from_exception
from agent_tui.providers.wire.http import Patience, is_loopback, is_near, shown_address
from tests.providers.asking import COMPATIBLE, OLLAMA, ollama_at
from tests.providers.servers import (
    Connection,
    Received,
    chat_parts,
    ollama_parts,
    played,
    serving,
    text,
)


def test_an_address_that_is_none_fails_in_one_line() -> None:
    for provider in (
        ollama_at("box:port"),
        compatible.create("m", ProviderSetup(base_url="http://box:port/v1")),
    ):
        end = asyncio.run(played(provider))[-1]
        assert isinstance(end, Failed)
        assert end.kind == "bad_request" and "box:port" in end.text and end.hint


def test_a_key_that_no_header_can_carry_is_a_refused_key() -> None:
    async def route(received: Received, connection: Connection) -> None:
        assert "authorization" not in received.headers
        await connection.json({"error": "no key"}, 401)

    async def scenario() -> None:
        async with serving({"/v1/chat/completions": route}) as server:
            setup = ProviderSetup(base_url=f"{server.address}/v1", api_key="sk\nX-Evil: 1")
            end = (await played(compatible.create("m", setup)))[-1]
            assert isinstance(end, Failed) and end.kind == "auth" and "characters" in end.hint

    asyncio.run(scenario())


def test_a_secret_in_an_address_is_not_shown() -> None:
    assert shown_address("http://me:pw@box:1/x") == "http://box:1/x"
    end = asyncio.run(
        played(compatible.create("m", ProviderSetup(base_url="http://me:pw@127.0.0.1:1/v1")))
    )[-1]
    assert isinstance(end, Failed) and "pw" not in end.text + end.hint


@pytest.mark.parametrize(
    ("url", "loopback", "near"),
    [
        ("http://localhost:1", True, True),
        ("http://127.0.0.1:1", True, True),
        ("http://[::1]:1", True, True),
        ("http://192.168.1.9:1", False, True),
        ("http://nas:1", False, True),
        ("http://nas.local", False, True),
        ("https://api.openai.com/v1", False, False),
        ("http://8.8.8.8", False, False),
        ("http://[", False, False),
    ],
)
def test_near_and_far(url: str, loopback: bool, near: bool) -> None:
    assert (is_loopback(url), is_near(url)) == (loopback, near)
    patience = Patience.for_address(url)
    assert (patience.first is None) == near
    assert patience.between is not None and (patience.between == 60.0) == (not near)
    assert Patience.for_address(url, 0) == Patience(None, None)
    assert Patience.for_address(url, 5) == Patience(5.0, 5.0)


def test_a_proxy_of_the_environment_is_not_asked_on_loopback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    async def scenario() -> None:
        for dialect, parts in ((OLLAMA, ollama_parts), (COMPATIBLE, chat_parts)):
            async with dialect.answering(parts([text("ok")], "stop")) as (_, provider):
                assert isinstance((await played(provider))[-1], Finished)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "socks9://127.0.0.1:1"), ("NO_PROXY", "a,fe80::/10")]
)
def test_a_proxy_that_cannot_be_used_is_a_failure_and_no_crash(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    far = "http://example.invalid"
    for provider in (ollama_at(far), compatible.create("m", ProviderSetup(base_url=far))):
        end = asyncio.run(played(provider))[-1]
        assert isinstance(end, Failed)
        assert name in end.hint and far in end.text


def test_a_connection_waits_while_the_machine_is_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.stream(chat_parts([text("here")], "stop"))

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        connect = loop.sock_connect

        async def held_up(sock: socket.socket, to: Any) -> None:
            time.sleep(1.2)  # nothing runs: neither we nor the server
            await connect(sock, to)

        monkeypatch.setattr(loop, "sock_connect", held_up)
        async with serving({"/v1/chat/completions": route}) as server:
            provider = compatible.create("m", ProviderSetup(base_url=f"{server.address}/v1"))
            assert isinstance((await played(provider))[-1], Finished)

    asyncio.run(scenario())


def test_a_server_that_lets_nobody_in_may_be_asked_again() -> None:
    for where in ("http://127.0.0.1:1/v1", "https://api.example.org"):
        failed = from_exception(
            Place("the server", where, "m", local=True), httpx.ConnectTimeout("late")
        )
        assert failed.kind == "unreachable" and failed.may_pass and "no answer" in failed.text


def test_a_payload_without_end_is_given_up_and_not_kept() -> None:
    """More than would be held: what follows the limit is never asked for."""

    async def route(_: Received, connection: Connection) -> None:
        await connection.head(headers={"Content-Type": "text/event-stream"})
        await connection.chunk(b"data: ")
        while True:
            await connection.chunk(b"x" * 4_000_000)

    async def scenario() -> None:
        async with serving({"/v1/chat/completions": route, "/v1/models": route}) as server:
            provider = compatible.create("m", ProviderSetup(base_url=f"{server.address}/v1"))
            end = (await played(provider))[-1]
            assert isinstance(end, Failed)
            assert (end.kind, end.may_pass) == ("malformed", False) and server.address in end.text
            with pytest.raises(ProviderError, match="not JSON"):
                await provider.models()
            await provider.close()

    asyncio.run(scenario())


PREPARED = """
import asyncio, sys
from tests.providers.dialects import DIALECTS
from tests.providers.servers import played, text
from agent_tui.providers.base import Finished

async def main(dialect):
    async with dialect.answering(dialect.parts([text("hi")], "stop")) as (server, provider):
        await provider.prepare()
        asked, there = len(server.received), set(sys.modules)
        assert isinstance((await played(provider))[-1], Finished)
        print(asked, sorted(set(sys.modules) - there))
        await provider.close()
        await provider.prepare()

asyncio.run(main(next(one for one in DIALECTS if one.name == sys.argv[1])))
"""


@pytest.mark.parametrize(
    "name", ["ollama", "compatible", "openai-responses", "anthropic", "gemini"]
)
def test_what_was_prepared_loads_nothing_more_for_a_request(name: str) -> None:
    """In a process of its own: a module is loaded once."""
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", PREPARED, name], cwd=root, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "0 []"


def test_httpx_comes_without_its_command_line() -> None:
    code = (
        "import sys; from agent_tui.providers.wire import http; http.httpx.AsyncClient;"
        " print('httpx' in sys.modules, sorted({'click', 'rich', 'pygments'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "True []"
