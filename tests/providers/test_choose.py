"""Choosing a model: names, what is there, addresses typed by hand; over a fake Ollama and a fake
Chat Completions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest

from agent_tui.providers.choosing.choose import (
    NO_KEYS,
    Choice,
    Tried,
    choose,
    collect_offers,
    connect,
    make,
)
from agent_tui.settings.table import ProviderSettings, Settings
from tests.places import configured
from tests.providers.servers import Connection, Received, Route, Server, free_address, serving

pytestmark = pytest.mark.usefixtures("nobody_outside")

Model = tuple[str, str, tuple[str, ...]]
"""Name, when it was modified, what it can."""
TOOLS = ("completion", "tools")
MODELS: Sequence[Model] = (
    ("old:1b", "2025-01-01T00:00:00Z", TOOLS),
    ("talker:8b", "2026-05-01T00:00:00Z", ("completion",)),
    ("new:8b", "2026-04-01T00:00:00Z", TOOLS),
    ("qwen3:latest", "2025-06-01T00:00:00Z", (*TOOLS, "thinking")),
    ("far-cloud", "2026-06-01T00:00:00Z", TOOLS),
)


def ollama_routes(models: Sequence[Model] = MODELS, loaded: Sequence[str] = ()) -> dict[str, Route]:
    able = {name: capabilities for name, _, capabilities in models}

    async def show(received: Received, connection: Connection) -> None:
        name = received.json["model"]
        if name not in able:
            await connection.json({"error": f"model '{name}' not found"}, 404)
        else:
            await connection.json(
                {"model_info": {"x.context_length": 8192}, "capabilities": list(able[name])}
            )

    listed = [{"name": n, "model": n, "modified_at": at} for n, at, _ in models]
    running = [{"name": n, "model": n, "context_length": 4096} for n in loaded]
    return {
        "/api/version": lambda _, c: c.json({"version": "0.12.6"}),
        "/api/tags": lambda _, c: c.json({"models": listed}),
        "/api/ps": lambda _, c: c.json({"models": running}),
        "/api/show": show,
    }


def openai_routes(names: Sequence[str], prefix: str = "/v1") -> dict[str, Route]:
    return {f"{prefix}/models": lambda _, c: c.json({"data": [{"id": n} for n in names]})}


def settings(model: str = "", **providers: ProviderSettings) -> Settings:
    return Settings(model=model, providers=providers)


async def chosen(wanted: str, given: Settings, environment: Mapping[str, str]) -> Choice:
    choice = await choose(wanted, configured(given, environment))
    if choice.provider is not None:
        await choice.provider.close()
    return choice


def name_of(choice: Choice) -> str:
    assert choice.provider is not None, choice.tried
    assert (
        choice.info is not None
        and choice.info.name == f"{choice.provider.name}/{choice.provider.model}"
    )
    return choice.info.name


@asynccontextmanager
async def ollama_server(
    models: Sequence[Model] = MODELS, loaded: Sequence[str] = ()
) -> AsyncIterator[tuple[Server, dict[str, str]]]:
    async with serving(ollama_routes(models, loaded)) as server:
        yield server, {"OLLAMA_HOST": server.address}


def test_nothing_said_takes_the_newest_model_of_ollama_that_can_call_tools() -> None:
    async def scenario() -> None:
        async with ollama_server() as (_, environment):
            choice = await chosen("", Settings(), environment)
            assert name_of(choice) == "ollama/new:8b"
            assert choice.info is not None
            assert (choice.info.window, choice.info.tools, choice.info.thinking) == (
                8192,
                True,
                False,
            )
        async with ollama_server(loaded=["old:1b"]) as (_, environment):
            assert name_of(await chosen("", Settings(), environment)) == "ollama/old:1b"
        async with ollama_server(loaded=["talker:8b"]) as (_, environment):
            assert name_of(await chosen("", Settings(), environment)) == "ollama/new:8b"

    asyncio.run(scenario())


def test_a_key_is_taken_where_no_ollama_is() -> None:
    async def scenario() -> None:
        nowhere = {"OLLAMA_HOST": await free_address()}
        choice = await chosen("", Settings(), {**nowhere, "OPENAI_API_KEY": "sk-x"})
        assert name_of(choice) == "openai/gpt-6.1-sol"
        assert nowhere["OLLAMA_HOST"] in choice.tried[0].what + choice.tried[0].result
        own = settings(openai=ProviderSettings(options={"model": "gpt-mini"}))
        assert (
            name_of(await chosen("", own, {**nowhere, "OPENAI_API_KEY": "sk-x"}))
            == "openai/gpt-mini"
        )
        async with serving(openai_routes(["local-1", "local-2"])) as server:
            elsewhere = {**nowhere, "OPENAI_BASE_URL": f"{server.address}/v1"}
            assert name_of(await chosen("", Settings(), elsewhere)) == "openai/local-1"

    asyncio.run(scenario())


def test_nothing_there_says_what_was_tried() -> None:
    async def scenario() -> None:
        nowhere = await free_address()
        choice = await chosen("", Settings(), {"OLLAMA_HOST": nowhere})
        assert choice.provider is None and choice.info is None
        first, second = choice.tried
        assert nowhere in first.what and "ollama serve" in first.result
        assert "ANTHROPIC_API_KEY" in second.what and second.result == "not set"
        assert all("\n" not in t.what + t.result for t in choice.tried)

    asyncio.run(scenario())


def test_an_ollama_without_usable_models_says_so() -> None:
    async def scenario() -> None:
        async with ollama_server([MODELS[1]]) as (_, environment):
            assert (
                "none of its 1 models"
                in (await chosen("", Settings(), environment)).tried[0].result
            )
        async with ollama_server([]) as (_, environment):
            assert "ollama pull" in (await chosen("", Settings(), environment)).tried[0].result

    asyncio.run(scenario())


def test_names_that_are_wanted() -> None:
    async def scenario() -> None:
        async with ollama_server() as (server, environment):
            assert (
                name_of(await chosen("ollama/old:1b", Settings(), environment)) == "ollama/old:1b"
            )
            assert name_of(await chosen("old:1b", Settings(), environment)) == "ollama/old:1b"
            assert name_of(await chosen("qwen3", Settings(), environment)) == "ollama/qwen3:latest"
            assert name_of(await chosen("", settings("old:1b"), environment)) == "ollama/old:1b"
            assert (
                name_of(await chosen("new:8b", settings("old:1b"), environment)) == "ollama/new:8b"
            )
            for wrong in ("ollama/nope", "nope", "hf.co/who/nope"):
                choice = await chosen(wrong, Settings(), environment)
                assert choice.provider is None
                said = choice.tried[-1]
                assert said.what == wrong and server.address in said.result
                assert f"ollama pull {wrong.removeprefix('ollama/')}" in said.result

    asyncio.run(scenario())


def test_a_wanted_model_of_a_server_that_is_not_there() -> None:
    async def scenario() -> None:
        nowhere = await free_address()
        environment = {"OLLAMA_HOST": nowhere}
        for wanted in ("ollama/qwen3", "qwen3"):
            choice = await chosen(wanted, Settings(), environment)
            assert choice.provider is None
            assert nowhere in choice.tried[0].result and "ollama serve" in choice.tried[0].result
        choice = await chosen("compatible/x", Settings(), environment)
        assert "base_url" in choice.tried[0].result

    asyncio.run(scenario())


def test_a_configured_server_comes_before_what_happens_to_run() -> None:
    async def scenario() -> None:
        async with ollama_server() as (_, environment), serving(openai_routes(["mine"])) as server:
            given = settings(compatible=ProviderSettings(base_url=f"{server.address}/v1"))
            assert name_of(await chosen("", given, environment)) == "compatible/mine"
            assert (
                name_of(await chosen("compatible/other", given, environment)) == "compatible/other"
            )
            elsewhere = settings(
                ollama=ProviderSettings(base_url=environment["OLLAMA_HOST"], num_ctx=2048)
            )
            choice = await chosen("", elsewhere, {})
            assert choice.info is not None and choice.info.window == 2048

    asyncio.run(scenario())


def test_an_address_typed_by_hand() -> None:
    async def connected(address: str) -> Choice:
        choice = await connect(address, configured())
        if choice.provider is not None:
            await choice.provider.close()
        return choice

    async def scenario() -> None:
        async with ollama_server() as (server, _):
            for typed in (
                server.address,
                server.address.removeprefix("http://"),
                f" {server.address}/ ",
            ):
                assert name_of(await connected(typed)) == "ollama/new:8b"
        async with serving(openai_routes(["first", "second"])) as server:
            for typed in (
                server.address,
                f"{server.address}/v1",
                f"{server.address}/v1/chat/completions",
            ):
                assert name_of(await connected(typed)) == "compatible/first"
        async with serving(openai_routes(["deep"], "/api/x")) as server:
            assert name_of(await connected(f"{server.address}/api/x")) == "compatible/deep"
        nowhere = await free_address()
        choice = await connected(nowhere)
        assert choice.provider is None
        said = "no server answers there; start the server there, or correct the address"
        assert choice.tried == (Tried(nowhere, said),)
        assert "http://host:port" in (await connected("two words")).tried[0].result
        assert (await connected("  ")).tried[0].result == "nothing was typed"
        assert (await connected("http://[")).provider is None

    asyncio.run(scenario())


def test_a_key_does_not_go_to_another_address() -> None:
    async def scenario() -> None:
        async with serving(openai_routes(["m"])) as mine, serving(openai_routes(["m"])) as other:
            given = settings(
                compatible=ProviderSettings(base_url=f"{mine.address}/v1", api_key="sk-mine")
            )
            environment = {"OPENAI_API_KEY": "sk-open"}
            for server in (mine, other):
                await connect(server.address, configured(given, environment))
            assert mine.received[-1].headers["authorization"] == "Bearer sk-mine"
            assert all("authorization" not in r.headers for r in other.received)

    asyncio.run(scenario())


def test_what_is_offered_is_what_can_be_reached() -> None:
    async def scenario() -> None:
        async with ollama_server() as (_, environment), serving(openai_routes(["mine"])) as server:
            given = settings(compatible=ProviderSettings(base_url=f"{server.address}/v1"))
            found, tried = await collect_offers(configured(given, environment))
            assert [m.name for m in found] == [
                "ollama/far-cloud",
                "ollama/talker:8b",
                "ollama/new:8b",
                "ollama/qwen3:latest",
                "ollama/old:1b",
                "compatible/mine",
            ]
            assert [m.tools for m in found] == [True, False, True, True, True, None]
            assert tried == (), "nobody waits for a key of OpenAI"
        nowhere = await free_address()
        given = settings(compatible=ProviderSettings(base_url=f"{nowhere}/v1"))
        found, tried = await collect_offers(configured(given, {"OLLAMA_HOST": nowhere}))
        assert found == ()
        assert [each.what for each in tried] == [
            f"Ollama at {nowhere}",
            f"the server at {nowhere}/v1",
        ]
        assert all(nowhere not in each.result for each in tried)
        for only, place in (
            ("ollama", f"Ollama at {nowhere}"),
            ("compatible", f"the server at {nowhere}/v1"),
        ):
            found, tried = await collect_offers(configured(given, {"OLLAMA_HOST": nowhere}), only)
            assert (found, [each.what for each in tried]) == ((), [place]), "nobody else is asked"
        _, tried = await collect_offers(configured(Settings(), {"OLLAMA_HOST": nowhere}))
        assert [each.what for each in tried] == [f"Ollama at {nowhere}", NO_KEYS.what]

    asyncio.run(scenario())


def test_making_a_provider_by_name() -> None:
    def made(name: str, base_url: str = "") -> str:
        return f"{(provider := make(name, configured(), base_url)).name}/{provider.model}"

    assert made("ollama/hf.co/who/what:q4") == "ollama/hf.co/who/what:q4"
    assert made("compatible/x", "http://127.0.0.1:1/v1") == "compatible/x"
    for wrong, hint in (
        ("qwen3", "ollama/qwen3"),
        ("nope/x", "ollama"),
        ("ollama/", "<provider>"),
        ("compatible/x", "base_url"),
    ):
        with pytest.raises(LookupError) as raised:
            made(wrong)
        assert hint in str(raised.value.args[0])
