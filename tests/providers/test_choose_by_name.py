"""Choosing a model by its name alone: whose it is, aliases, what Ollama has first, and what is said
of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agent_tui.providers.choosing.choose import KEY_VARIABLES, collect_offers, make
from agent_tui.providers.facts import presets
from agent_tui.safety.process.environment import child_environment
from agent_tui.safety.secrets.scrubber import known_secrets
from agent_tui.settings.table import ProviderSettings, Settings
from tests.places import configured
from tests.providers.servers import free_address, serving
from tests.providers.test_choose import (
    TOOLS,
    chosen,
    name_of,
    ollama_server,
    openai_routes,
    settings,
)

pytestmark = pytest.mark.usefixtures("nobody_outside")

KEYS = {service.keys[0]: f"key-of-{name}" for name, service in presets.SERVICES.items()}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("claude-opus-5-5", "anthropic/claude-opus-5-5"),
        ("gpt-5-mini", "openai/gpt-5-mini"),
        ("o1", "openai/o1"),
        ("o3-mini", "openai/o3-mini"),
        ("o4-mini", "openai/o4-mini"),
        ("gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("moonshot-v1-32k", "moonshot/moonshot-v1-32k"),
        ("kimi-k2", "moonshot/kimi-k2"),
        ("qwen-max", "qwen/qwen-max"),
        ("qwq-plus", "qwen/qwq-plus"),
        ("Qwen3-Max", "qwen/Qwen3-Max"),
        ("glm-4.6", "zhipu/glm-4.6"),
        ("deepseek-chat", "deepseek/deepseek-chat"),
        ("kimi", "moonshot/kimi-k3"),
        ("glm", "zhipu/glm-5.3"),
        ("deepseek", "deepseek/deepseek-flash"),
        ("gpt", "openai/gpt-6.1-sol"),
        ("mistral/mistral-small-latest", "mistral/mistral-small-latest"),
        ("openrouter/qwen/qwen3-coder", "openrouter/qwen/qwen3-coder"),
    ],
)
@pytest.mark.parametrize("runs", [True, False], ids=["ollama runs", "ollama does not"])
def test_whose_model_a_name_is(wanted: str, expected: str, runs: bool) -> None:
    async def scenario() -> None:
        if runs:
            async with ollama_server() as (_, environment):
                choice = await chosen(wanted, Settings(), {**environment, **KEYS})
        else:
            choice = await chosen(wanted, Settings(), {**KEYS, "OLLAMA_HOST": await free_address()})
        assert name_of(choice) == expected
        assert choice.info is not None and choice.info.window > 0
        by_prefix = presets.of_name(wanted) and "/" not in wanted
        assert (expected in choice.info.note) == bool(by_prefix), choice.info
        assert choice.tried[-1].what == expected

    asyncio.run(scenario())


def test_the_demo_needs_no_second_word_and_no_server() -> None:
    async def scenario() -> None:
        choice = await chosen("demo", Settings(), {"OLLAMA_HOST": await free_address()})
        assert name_of(choice) == "demo/tour"

    asyncio.run(scenario())


def test_a_name_alone_finds_the_server_of_ones_own_that_lists_it() -> None:
    async def scenario() -> None:
        async with serving(openai_routes(["toy-large", "toy-small"])) as server:
            nowhere = {"OLLAMA_HOST": await free_address()}
            own = settings(
                gone=ProviderSettings(base_url=f"http://{await free_address()}/v1"),
                lab=ProviderSettings(base_url=f"{server.address}/v1"),
            )
            choice = await chosen("toy-small", own, nowhere)
            assert name_of(choice) == "lab/toy-small"
            assert choice.info is not None and "using lab/toy-small" in choice.info.note
            missing = await chosen("toy-huge", own, nowhere)
            assert (
                missing.provider is None and "write it as gone/toy-huge" in missing.tried[-1].result
            )
        async with ollama_server() as (_, environment):
            assert (
                "or write gone/toy-huge"
                in (await chosen("toy-huge", own, environment)).tried[-1].result
            )

    asyncio.run(scenario())


@pytest.mark.parametrize("name", ["llama3.3", "mistral", "phi4", "gemma3", "mixtral", "codellama"])
def test_open_models_are_ollamas(name: str) -> None:
    async def scenario() -> None:
        async with ollama_server([(f"{name}:latest", "2026-01-01T00:00:00Z", TOOLS)]) as (
            _,
            environment,
        ):
            assert name_of(await chosen(name, Settings(), environment)) == f"ollama/{name}:latest"
            choice = await chosen(f"{name}:70b", Settings(), {**environment, **KEYS})
            assert (
                choice.provider is None and f"`ollama pull {name}:70b`" in choice.tried[-1].result
            )
        choice = await chosen(
            f"{name}:70b", Settings(), {"OLLAMA_HOST": await free_address(), **KEYS}
        )
        assert (
            "a model of Ollama" in choice.tried[-1].result
            and "ollama serve" in choice.tried[-1].result
        )

    asyncio.run(scenario())


def test_what_the_local_ollama_has_wins() -> None:
    async def scenario() -> None:
        has = [
            ("qwen3:8b", "2026-01-01T00:00:00Z", TOOLS),
            ("gpt-oss:20b", "2026-01-01T00:00:00Z", TOOLS),
        ]
        async with ollama_server(has) as (_, environment):
            choice = await chosen("qwen3:8b", Settings(), {**environment, **KEYS})
            assert name_of(choice) == "ollama/qwen3:8b"
            assert choice.info is not None and "qwen/qwen3:8b asks Qwen instead" in choice.info.note
            choice = await chosen("gpt-oss:20b", Settings(), environment)
            assert name_of(choice) == "ollama/gpt-oss:20b"
            assert (
                choice.info is not None and choice.info.note == ""
            )  # no key: nothing else was possible
            assert (
                name_of(await chosen("qwen/qwen3:8b", Settings(), {**environment, **KEYS}))
                == "qwen/qwen3:8b"
            )

    asyncio.run(scenario())


def test_without_a_key_it_is_said_which() -> None:
    async def scenario() -> None:
        nowhere = {"OLLAMA_HOST": await free_address()}
        for wanted in ("kimi-k2", "moonshot/kimi-k2", "moonshot"):
            choice = await chosen(wanted, Settings(), nowhere)
            assert choice.provider is None
            (said,) = choice.tried
            assert "MOONSHOT_API_KEY" in said.result and "[providers.moonshot]" in said.result
            assert "\n" not in said.result
        for wanted in ("Moonshot/kimi-k2", "Moonshot"):
            assert "MOONSHOT_API_KEY" in (await chosen(wanted, Settings(), nowhere)).tried[0].result
        own = settings(moonshot=ProviderSettings(api_key="sk-own"))
        assert name_of(await chosen("MoonShot/kimi-k2", own, nowhere)) == "moonshot/kimi-k2"
        assert name_of(await chosen("kimi-k2", own, nowhere)) == "moonshot/kimi-k2"
        async with ollama_server() as (_, environment):
            choice = await chosen("glm-4.6", Settings(), environment)
        assert (
            "ZAI_API_KEY" in choice.tried[0].result
            and "`ollama pull glm-4.6`" in choice.tried[0].result
        )

    asyncio.run(scenario())


def test_a_provider_that_is_none_is_said_to_be_none() -> None:
    async def scenario() -> None:
        async with ollama_server() as (_, environment):
            said = (await chosen("acme/x", Settings(), environment)).tried[-1].result
        assert "there is no provider 'acme': set base_url under [providers.acme] to add it" in said
        assert "`ollama pull acme/x`" in said and "write <provider>" not in said

    asyncio.run(scenario())


def test_a_provider_that_is_none_names_those_with_a_name_like_it() -> None:
    async def scenario() -> None:
        nowhere = {"OLLAMA_HOST": await free_address()}
        said = (await chosen("mistrel/x", Settings(), nowhere)).tried[-1].result
        assert said.startswith(
            "there is no provider 'mistrel'; the closest name is mistral. Ollama was asked too: "
        )
        other = (await chosen("nosuch/x", Settings(), nowhere)).tried[-1].result
        assert (
            other.startswith("there is no provider 'nosuch'. Ollama was asked too: ")
            and len(other) < 150
        )

    asyncio.run(scenario())


def test_aliases() -> None:
    async def scenario() -> None:
        given = Settings(
            aliases={
                "fast": "kimi-k2",
                "f": "fast",
                "round": "about",
                "about": "round",
                "gpt": "deepseek/deepseek-chat",
            }
        )
        environment = {**KEYS, "OLLAMA_HOST": await free_address()}
        for wanted, expected in (
            ("fast", "moonshot/kimi-k2"),
            ("f", "moonshot/kimi-k2"),
            ("gpt", "deepseek/deepseek-chat"),
        ):
            choice = await chosen(wanted, given, environment)
            assert name_of(choice) == expected
            assert choice.info is not None and choice.info.note.startswith(
                f"{wanted} is {expected}."
            )
        nowhere = await chosen("round", given, environment)
        assert (
            nowhere.provider is None and "never lead to a model" in nowhere.tried[-1].result
        )  # and it ends

    asyncio.run(scenario())


def test_a_server_of_the_persons_own() -> None:
    async def scenario() -> None:
        async with serving(openai_routes(["first", "second"])) as server:
            environment = {"OLLAMA_HOST": await free_address()}
            own = ProviderSettings(
                base_url=f"{server.address}/v1", api_key="sk-acme", options={"window": 9_000}
            )
            given = settings(acme=own)
            choice = await chosen("acme/second", given, environment)
            assert name_of(choice) == "acme/second"
            assert choice.info is not None and choice.info.window == 9_000
            assert name_of(await chosen("acme", given, environment)) == "acme/first"
            found, _ = await collect_offers(configured(given, environment))
            assert [model.name for model in found] == ["acme/first", "acme/second"]
            assert server.received[-1].headers["authorization"] == "Bearer sk-acme"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("acme/coder-xl", ""),
        ("acme/dated", ""),
        ("acme/tagged", ""),
        (
            "acme/codr-xl",
            "acme/codr-xl is not on its server's list: the closest name is acme/coder-xl.",
        ),
        (
            "acme/coder",
            "acme/coder is not on its server's list: the closest name is acme/coder-xl.",
        ),
        ("acme/zzzz", "acme/zzzz is not on its server's list; /models lists the models."),
    ],
)
def test_a_model_that_its_server_does_not_list_is_taken_and_said_to_be_none_of_them(
    name: str, said: str
) -> None:
    async def scenario() -> None:
        async with serving(
            openai_routes(["coder-xl", "dated-2026-01-31", "tagged:latest"])
        ) as server:
            own = settings(acme=ProviderSettings(base_url=f"{server.address}/v1"))
            choice = await chosen(name, own, {"OLLAMA_HOST": await free_address()})
            assert name_of(choice) == name
            assert choice.info is not None and choice.info.note == said
        async with serving(openai_routes([])) as server:
            own = settings(acme=ProviderSettings(base_url=f"{server.address}/v1"))
            choice = await chosen(name, own, {"OLLAMA_HOST": await free_address()})
            assert choice.info is not None and choice.info.note == "", "no list says nothing"

    asyncio.run(scenario())


def test_where_nothing_is_known_of_a_model() -> None:
    async def scenario() -> None:
        environment = {"OLLAMA_HOST": await free_address()}
        own = settings(acme=ProviderSettings(base_url="https://acme.example/v1"))
        choice = await chosen("acme/x", own, environment)
        assert choice.info is not None and (choice.info.window, choice.info.window_max) == (
            128_000,
            0,
        )
        assert choice.info.window_assumed, "nobody told"
        own = settings(
            acme=ProviderSettings(base_url="https://acme.example/v1", options={"window": 128_000})
        )
        choice = await chosen("acme/x", own, environment)
        assert choice.info is not None and not choice.info.window_assumed, "the person told"

    asyncio.run(scenario())


def test_a_key_in_the_environment_brings_its_service() -> None:
    async def scenario() -> None:
        nowhere = {"OLLAMA_HOST": await free_address()}
        choice = await chosen("", Settings(), {**nowhere, "DEEPSEEK_API_KEY": "sk-x"})
        assert name_of(choice) == "deepseek/deepseek-flash"
        async with serving(openai_routes(["theirs"])) as server:
            elsewhere = {
                **nowhere,
                "TOGETHER_API_KEY": "sk-x",
                "TOGETHER_BASE_URL": f"{server.address}/v1",
            }
            assert name_of(await chosen("", Settings(), elsewhere)) == "together/theirs"
            found, tried = await collect_offers(configured(Settings(), elsewhere))
            assert [model.name for model in found] == ["together/theirs"]
            assert [each.what for each in tried] == [f"Ollama at {nowhere['OLLAMA_HOST']}"]
        async with serving(openai_routes(["theirs", "gpt-5.2", "gpt-6", "gpt-6-nano"])) as server:
            elsewhere = {**nowhere, "OPENAI_BASE_URL": f"{server.address}/v1"}
            assert name_of(await chosen("", Settings(), elsewhere)) == "openai/gpt-6", (
                "the usual one, where it is listed"
            )

    asyncio.run(scenario())


def test_azure() -> None:
    async def scenario() -> None:
        environment: dict[str, Any] = {
            "OLLAMA_HOST": await free_address(),
            "AZURE_OPENAI_API_KEY": "k",
        }
        choice = await chosen("azure/mine", Settings(), environment)
        assert choice.provider is None and "AZURE_OPENAI_ENDPOINT" in choice.tried[0].result
        environment["AZURE_OPENAI_ENDPOINT"] = "https://us.openai.azure.com/"
        provider = make("azure/my dep", configured(Settings(), environment))
        assert getattr(provider, "base_url", "") == "https://us.openai.azure.com/openai/v1"
        environment["AZURE_OPENAI_API_VERSION"] = "2024-10-21"
        provider = make("azure/my dep", configured(Settings(), environment))
        assert (
            getattr(provider, "base_url", "")
            == "https://us.openai.azure.com/openai/deployments/my%20dep"
        )

    asyncio.run(scenario())


def test_no_key_reaches_a_command() -> None:
    every = {
        name: f"secret-{name}" for service in presets.SERVICES.values() for name in service.keys
    }
    assert set(KEY_VARIABLES) <= set(every)
    assert child_environment({**every, "PATH": "/bin"}, ("*",)) == {"PATH": "/bin"}
    assert set(known_secrets(every)) == set(every.values())
