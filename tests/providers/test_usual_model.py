"""The model that is taken where none is named: the newest that the service itself lists, since
names are given up."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from agent_tui.agent.services.setup import first_of
from agent_tui.providers import services
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.choosing import names
from agent_tui.providers.facts import presets
from agent_tui.settings import schema
from agent_tui.settings.table import ProviderSettings, Settings
from tests.providers.servers import Connection, Received, Route, free_address, serving
from tests.providers.test_choose import chosen, name_of, openai_routes, settings


@pytest.mark.parametrize(
    ("name", "listed", "usual"),
    [
        (
            "openai",
            ["gpt-5.5", "gpt-5.6-sol", "gpt-6.2-sol", "gpt-6.10-sol", "gpt-7-luna", "o3"],
            "gpt-6.10-sol",
        ),
        ("openai", ["gpt-5", "gpt-5.5", "gpt-5.5-pro", "gpt-4o"], "gpt-5.5"),
        ("moonshot", ["kimi-k2.6", "kimi-k2.7-code", "moonshot-v1-8k"], "kimi-k2.6"),
        ("moonshot", ["kimi-k2.6", "kimi-k3.1", "kimi-k3"], "kimi-k3.1"),
        ("moonshot", ["kimi-k3", "kimi-k3.1-pro", "kimi-k3.1-pro-highspeed"], "kimi-k3.1-pro"),
        ("qwen", ["qwen3.6-plus", "qwen3.8-max", "qwen3.9-flash", "qwen-vl-plus"], "qwen3.8-max"),
        ("qwen", ["qwen3.6-plus", "qwen3.7-plus"], "qwen3.7-plus"),
        ("zhipu", ["glm-4.6", "glm-5.1", "glm-5-turbo", "glm-5.3-flash"], "glm-5.1"),
        ("deepseek", ["deepseek-v4-flash", "deepseek-flash", "deepseek-v4-pro"], "deepseek-flash"),
        ("deepseek", ["deepseek-v4-flash", "deepseek-v5-flash"], "deepseek-v5-flash"),
        ("deepseek", ["nothing-known"], "nothing-known"),
        ("moonshot", [], "kimi-k3"),
        ("gemini", ["gemini-3.8-flash", "gemini-pro-latest"], "gemini-pro-latest"),
        ("together", ["a/b", "c/d"], "a/b"),
        ("together", [], ""),
    ],
)
def test_the_newest_of_its_family_is_taken(name: str, listed: list[str], usual: str) -> None:
    assert presets.SERVICES[name].usual_model(listed) == usual
    assert first_of(name, tuple(f"{name}/{one}" for one in listed)) == (
        f"{name}/{usual}" if usual else ""
    )


async def silent(_: Received, to: Connection) -> None:
    await to.until_client_leaves()


async def has_none(_: Received, to: Connection) -> None:
    await to.json({"error": "there is no such page"}, 404)


@pytest.mark.parametrize(
    ("route", "usual"),
    [
        (openai_routes(["kimi-k2.6", "kimi-k3.2", "kimi-k3"])["/v1/models"], "moonshot/kimi-k3.2"),
        (openai_routes([])["/v1/models"], "moonshot/kimi-k3"),
        (has_none, "moonshot/kimi-k3"),
    ],
    ids=["lists some", "lists none", "has no list"],
)
def test_a_service_by_itself_is_asked_what_it_has(
    route: Route, usual: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with serving({"/v1/models": route}) as server:
            here = replace(services.service_of("moonshot"), base_url=f"{server.address}/v1")
            monkeypatch.setitem(schema.services(), "moonshot", here)
            environment = {"OLLAMA_HOST": await free_address(), "MOONSHOT_API_KEY": "k"}
            assert name_of(await chosen("kimi", Settings(), environment)) == usual
            own = settings(moonshot=ProviderSettings(options={"model": "kimi-k2.6"}))
            assert name_of(await chosen("kimi", own, environment)) == "moonshot/kimi-k2.6"
            assert (
                name_of(await chosen("kimi-k2.5", Settings(), environment)) == "moonshot/kimi-k2.5"
            )

    asyncio.run(scenario())


def test_a_service_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with serving({"/v1/models": silent}) as server:
            provider = presets.create(
                "moonshot", "kimi-k3", ProviderSetup(f"{server.address}/v1", "k")
            )
            found = await names._usual(presets.SERVICES["moonshot"], provider)
            assert found.model == "kimi-k3" and len(server.received) == 1
            await found.close()

    monkeypatch.setattr(names, "LOOKING", 0.05)
    asyncio.run(scenario())
