"""What only Ollama has: its fields, its windows, its addresses, its package."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from agent_tui.providers import ollama
from agent_tui.providers.base import Failed, ProviderError, ProviderSetup
from tests.providers.asking import HISTORY, OLLAMA, ollama_at, sent
from tests.providers.servers import (
    Connection,
    Received,
    free_address,
    played,
    serving,
    shows,
)


def test_ollama_sends_what_it_must() -> None:
    body = asyncio.run(sent(OLLAMA, ollama_at, HISTORY))
    assert body["truncate"] is False and body["shift"] is False and body["stream"] is True
    assert body["options"] == {"num_ctx": 32_768, "num_predict": 99}
    assert body["think"] is True
    assert body["tools"][0]["function"]["name"] == "ls"
    _, _, answer, *results = body["messages"]
    assert answer["thinking"] == "because"
    assert [c["function"]["arguments"] for c in answer["tool_calls"]] == [
        {"b": 1, "a": 2},
        {"malformed_arguments": "{"},
    ]
    assert list(answer["tool_calls"][0]["function"]["arguments"]) == ["b", "a"]
    assert [(r["role"], r["tool_name"], r["content"][:5]) for r in results] == [
        ("tool", "ls", "a.py"),
        ("tool", "ls", "Error"),
    ]
    assert "authorization" not in body["headers"]


@pytest.mark.parametrize(
    ("length", "num_ctx", "expected"),
    [(8_192, 0, 8_192), (262_144, 0, 32_768), (262_144, 65_536, 65_536), (0, 0, 32_768)],
)
def test_the_window_is_the_setting_or_the_smaller_of_maximum_and_default(
    length: int, num_ctx: int, expected: int
) -> None:
    show = {"/api/show": shows(("completion",), length)}
    body = asyncio.run(sent(OLLAMA, lambda a: ollama_at(a, num_ctx=num_ctx), HISTORY, show))
    assert body["options"]["num_ctx"] == expected
    assert "think" not in body  # the model cannot

    async def told() -> None:
        async with serving(show) as server:
            info = await ollama_at(server.address, num_ctx=num_ctx).info()
            assert (info.name, info.window, info.window_max) == ("ollama/m", expected, length)
            assert (info.tools, info.thinking) == (False, False)

    asyncio.run(told())


def test_ollama_without_a_description_of_its_model_still_answers() -> None:
    async def lists(_: Received, connection: Connection) -> None:
        await connection.json({"models": [{"model": "m", "modified_at": "2026-01-01T00:00:00Z"}]})

    async def scenario() -> None:
        async with serving({"/api/tags": lists}) as server:
            info = await ollama_at(server.address).info()
            assert (info.window, info.window_max, info.tools) == (32_768, 0, None)
        async with serving({}) as server:
            with pytest.raises(ProviderError) as raised:
                await ollama_at(server.address).info()
            assert raised.value.failed.kind == "unknown_model"

    asyncio.run(scenario())


def test_ollama_tells_which_questions_failed() -> None:
    async def scenario() -> None:
        shaped = {
            "error": {"message": "no such\nthing", "type": "not_found"}
        }  # as imitations of Ollama send it
        async with serving({"/api/show": lambda _, c: c.json(shaped, 500)}) as server:
            with pytest.raises(ProviderError) as raised:
                await ollama_at(server.address).info()
            assert (
                raised.value.failed.kind == "server" and "no such thing" in raised.value.failed.text
            )
        async with serving({"/api/tags": lambda _, c: c.json({"models": 7})}) as server:
            with pytest.raises(ProviderError) as raised:
                await ollama_at(server.address).names()
            assert (
                raised.value.failed.kind == "malformed"
                and server.address in raised.value.failed.text
            )
        nowhere = await free_address()
        with pytest.raises(ProviderError) as raised:
            await ollama_at(nowhere).models()
        assert raised.value.failed.kind == "unreachable"
        assert nowhere in raised.value.failed.text
        assert raised.value.failed.hint == "start the server there, or correct the address"

    asyncio.run(scenario())


def test_a_model_that_cannot_call_tools_says_so() -> None:
    async def route(_: Received, connection: Connection) -> None:
        await connection.json(
            {"error": 'registry.ollama.ai/library/m "m" does not support tools'}, 400
        )

    async def scenario() -> None:
        async with OLLAMA.server(route) as (_, provider):
            end = (await played(provider))[-1]
            assert isinstance(end, Failed)
            assert end.kind == "bad_request" and "tools" in end.hint and "/model" in end.hint

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        ("box:1234", "http://box:1234"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:99", "http://127.0.0.1:99"),
        ("http://0.0.0.0:99/", "http://127.0.0.1:99"),
        (":1234", "http://127.0.0.1:1234"),
        ("http://example.com", "http://example.com:80"),
        ("https://example.com/ollama/", "https://example.com:443/ollama"),
        ("[::1]", "http://[::1]:11434"),
        ("[::]:80", "http://[::1]:80"),
        ("::1", "http://[::1]:11434"),
        (' "10.0.0.7:11434" ', "http://10.0.0.7:11434"),
        ("HTTPS://Example.com:5", "https://example.com:5"),
        ("box:port", "http://box:port"),
        ("http://me:pw@box:99", "http://me:pw@box:99"),
        ("me:pw@::1", "http://me:pw@[::1]:11434"),
    ],
)
def test_ollama_host_in_all_its_forms(given: str, expected: str) -> None:
    assert ollama.address(given) == expected
    assert (
        ollama.create("m", ProviderSetup(environment={"OLLAMA_HOST": given})).base_url == expected
    )


LOAD = """
import asyncio, os, sys
from agent_tui.providers import ollama
from agent_tui.providers.base import ProviderSetup
provider = ollama.create("m", ProviderSetup(base_url=sys.argv[1]))
print(asyncio.run(provider.info()).window, os.environ[sys.argv[2]])
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks9://127.0.0.1:1"),
        ("OLLAMA_HOST", "box:port"),
        ("SSL_CERT_FILE", "/no/such/file"),
        ("NO_PROXY", "10.0.0.0/8,fe80::/10"),
    ],
)
def test_an_odd_environment_does_not_keep_from_the_local_ollama(name: str, value: str) -> None:
    """In a process of its own: the package reads the environment once, when it is loaded."""

    async def scenario() -> str:
        async with serving({"/api/show": shows()}) as server:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                LOAD,
                server.address,
                name,
                env={**os.environ, name: value},
                stdout=PIPE,
                stderr=STDOUT,
            )
            out, _ = await process.communicate()
            return out.decode().strip()

    assert asyncio.run(scenario()) == f"32768 {value}"


@pytest.mark.parametrize(
    ("installed", "host", "says"),
    [
        (True, "127.0.0.1:1", "start it with `ollama serve`, or correct OLLAMA_HOST"),
        (False, "127.0.0.1:1", "install it from https://ollama.com, or correct OLLAMA_HOST"),
        (False, "", "install it from https://ollama.com, or set OLLAMA_HOST to where it runs"),
        (False, "192.0.2.1:1", "start the server there, or correct OLLAMA_HOST"),
    ],
)
def test_where_nobody_answers_it_is_known_whether_it_is_installed(
    tmp_path: Path, installed: bool, host: str, says: str
) -> None:
    if installed:
        (tmp_path / "ollama").write_text("#!/bin/sh\n")
        (tmp_path / "ollama").chmod(0o755)
    server = ollama.create(
        "m", ProviderSetup(environment={"PATH": str(tmp_path), "OLLAMA_HOST": host})
    )
    assert server._wire.place.unreachable == says
    asyncio.run(server.close())
