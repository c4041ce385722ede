"""Models that refuse tools over Chat Completions are asked over Responses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from agent_tui.providers import openai
from agent_tui.providers.base import Provider, ProviderSetup, TextChunk
from tests.providers.cases import failed, finished, joined
from tests.providers.dialect_presets import VERSION, in_azure
from tests.providers.dialect_responses import RESPONSES
from tests.providers.servers import KEY, Connection, Received, played, serving, text

REFUSALS = (
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. "
    "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. "
    "Please use /v1/responses instead.",
)
Create = Callable[[str], Provider]


def at_openai(address: str, **options: Any) -> Provider:
    return openai.create(
        "gpt-5.6", ProviderSetup(f"{address}/v1", KEY, options={"api": "chat", **options})
    )


def at_azure(version: str, address: str, model: str = "gpt-5.6", **options: Any) -> Provider:
    return in_azure(version, address, options, model)


PLACES: Mapping[str, tuple[str, str, Create]] = {
    "openai": ("/v1/chat/completions", "/v1/responses", at_openai),
    "azure": ("/openai/v1/chat/completions", "/openai/v1/responses", partial(at_azure, "")),
    "azure-version": (
        f"/openai/deployments/gpt-5.6/chat/completions?api-version={VERSION}",
        "/openai/v1/responses",
        partial(at_azure, VERSION),
    ),
    "azure-whole": (
        f"/openai/deployments/gpt-5.6/chat/completions?api-version={VERSION}",
        "/openai/v1/responses",
        lambda address: at_azure(VERSION, f"{address}/openai/"),
    ),
}


def refusing(said: str) -> Callable[[Received, Connection], Any]:
    return lambda _, to: to.json({"error": {"message": said, "type": "invalid_request_error"}}, 400)


async def answering(_: Received, to: Connection) -> None:
    await to.stream(RESPONSES.parts([text("ok")], "stop"))


@pytest.mark.parametrize("said", REFUSALS)
@pytest.mark.parametrize("place", PLACES)
def test_who_refuses_tools_is_asked_over_responses_from_then_on(place: str, said: str) -> None:
    chat, responses, create = PLACES[place]

    async def scenario() -> None:
        async with serving({chat: refusing(said), responses: answering}) as server:
            provider = create(server.address)
            for _ in range(2):
                items = await played(provider)
                assert joined(items, TextChunk) == "ok" and finished(items).stop_reason == "stop"
            await provider.close()
            assert [one.path for one in server.received] == [chat, responses, responses]
            keys = ({"bearer " + KEY}, {KEY})[place != "openai"]
            header = "authorization" if place == "openai" else "api-key"
            assert {
                one.headers[header].replace("Bearer", "bearer") for one in server.received
            } == keys

    asyncio.run(scenario())


def test_another_refusal_stays_one() -> None:
    chat, responses, create = PLACES["azure"]

    async def scenario() -> None:
        said = "tools.0 is not supported"
        async with serving({chat: refusing(said), responses: answering}) as server:
            provider = create(server.address)
            assert (
                said in failed(await played(provider), "bad_request").text
                and len(server.received) == 1
            )
            await provider.close()

    asyncio.run(scenario())


def test_effort_goes_to_a_deployment_that_is_called_as_its_model() -> None:
    async def scenario() -> None:
        async with serving({"/openai/v1/chat/completions": refusing("no")}) as server:
            for model in ("gpt-5.4", "ours"):
                provider = at_azure("", server.address, model, think="high")
                await played(provider)
                await provider.close()
            assert [one.json.get("reasoning_effort") for one in server.received] == ["high", None]

    asyncio.run(scenario())
