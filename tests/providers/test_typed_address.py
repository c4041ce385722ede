"""Addresses as people type them: what is meant, and how it is said that nothing usable answers
there."""

from __future__ import annotations

import asyncio

import pytest

from agent_tui.providers.choosing.choose import choose, connect
from agent_tui.settings.table import ProviderSettings, Settings
from tests.places import configured
from tests.providers.servers import serving
from tests.providers.test_choose import openai_routes


async def said_of(address: str) -> list[tuple[str, str]]:
    choice = await connect(address, configured())
    if choice.provider is not None:
        await choice.provider.close()
    return [(tried.what, tried.result) for tried in choice.tried]


def test_a_scheme_that_is_typed_twice_counts_once() -> None:
    async def scenario() -> None:
        async with serving(openai_routes(["first"])) as server:
            port = server.address.rpartition(":")[2]
            for typed in (
                f"http://{server.address}",
                f"https://{server.address}/v1",
                f"http:/127.0.0.1:{port}",
            ):
                assert (await said_of(typed))[-1] == (
                    f"the server at {server.address}/v1",
                    "compatible/first",
                )

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "typed",
    [
        "ftp://127.0.0.1:8",
        "localhost:99999",
        "http://localhost:99999",
        "localhost:abc",
        "http://",
        "http://[",
    ],
)
def test_what_is_no_address_is_said_once(typed: str) -> None:
    assert asyncio.run(said_of(typed)) == [
        (typed, "is not an address; write it as http://host:port")
    ]


def test_a_server_that_is_something_else_is_not_told_to_start() -> None:
    async def scenario() -> None:
        async with serving({}) as server:
            assert await said_of(server.address) == [
                (f"Ollama at {server.address}", "the server there is not Ollama"),
                (f"the server at {server.address}/v1", "it has no /models; check the address"),
            ]

    asyncio.run(scenario())


def test_a_port_that_cannot_be_is_a_failure_in_words() -> None:
    async def scenario() -> None:
        settings = Settings(
            providers={"compatible": ProviderSettings(base_url="http://localhost:99999/v1")}
        )
        choice = await choose("", configured(settings, {}))
        assert choice.provider is None
        assert "is not an address: Port out of range" in choice.tried[0].result

    asyncio.run(scenario())
