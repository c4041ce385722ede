"""What only Anthropic's Messages has: its fields and headers, lists of models, counts."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from agent_tui.protocol.messages import ModelInfo, Request, ToolSpec, UserMessage
from agent_tui.providers import anthropic
from agent_tui.providers.base import Failed, ProviderError, ProviderSetup
from tests.providers.asking import HISTORY, sent
from tests.providers.dialect_anthropic import ANTHROPIC
from tests.providers.servers import KEY, played, request, serving


def at(address: str, model: str = "claude-opus-5-5", **options: Any) -> anthropic.AnthropicProvider:
    return anthropic.create(model, ProviderSetup(base_url=address, api_key=KEY, options=options))


def asked(
    history: Request = HISTORY, model: str = "claude-opus-5-5", **options: Any
) -> dict[str, Any]:
    """What a server gets of `history`."""
    return asyncio.run(sent(ANTHROPIC, lambda address: at(address, model, **options), history))


def test_it_sends_what_it_must() -> None:
    body = asked()
    assert (body["model"], body["max_tokens"], body["stream"]) == ("claude-opus-5-5", 99, True)
    assert (body["headers"]["x-api-key"], body["headers"]["anthropic-version"]) == (
        KEY,
        "2023-06-01",
    )
    assert body["system"] == [
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    ]
    assert [tool["name"] for tool in body["tools"]] == ["ls"]
    user, answer, results = body["messages"]
    assert user["content"][0]["text"] == "go"
    assert [block["input"] for block in answer["content"]] == [
        {"b": 1, "a": 2},
        {"malformed_arguments": "{"},
    ]
    assert [block["tool_use_id"] for block in results["content"]] == ["call_1", "call_2"]
    assert [block.get("is_error", False) for block in results["content"]] == [False, True]
    assert (
        list(body)[-2] == "messages"
    )  # only the headers, which the test put there, stand behind them


ONE = Request("", (UserMessage("hello"),))


@pytest.mark.parametrize(
    ("model", "asks"),
    [
        ("claude-sonnet-4-5", True),
        ("claude-opus-4-1", True),
        ("claude-opus-4-6", False),  # it does so by itself
        ("claude-3-7-sonnet-latest", False),
        ("claude-opus-5-5", False),
        ("m", False),
    ],
)
def test_a_model_is_asked_to_think_between_calls_where_a_header_does_that(
    model: str, asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def own(address: str) -> anthropic.AnthropicProvider:
        monkeypatch.setattr(anthropic, "ANTHROPIC", replace(anthropic.ANTHROPIC, base_url=address))
        return at(address, model)

    headers = asyncio.run(sent(ANTHROPIC, own, ONE))["headers"]
    assert (headers.get("anthropic-beta") == "interleaved-thinking-2025-05-14") is asks
    assert "anthropic-beta" not in asked(ONE, model)["headers"], "another server may not know it"


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (
            "claude-opus-5-5",
            {},
            {"thinking": {"type": "adaptive", "display": "summarized"}, "max_tokens": 32_000},
        ),
        ("claude-sonnet-4-6", {}, {"thinking": {"type": "adaptive"}, "max_tokens": 32_000}),
        (
            "claude-opus-4-6",
            {"think": "low"},
            {
                "thinking": {"type": "adaptive"},
                "output_config": {"effort": "low"},
                "max_tokens": 32_000,
            },
        ),
        ("claude-opus-4-6", {"think": False}, {"max_tokens": 32_000}),
        (
            "claude-opus-5",
            {"think": False},
            {"thinking": {"type": "disabled"}, "max_tokens": 32_000},
        ),
        (
            "claude-opus-5-5",
            {"think": False},
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
                "max_tokens": 32_000,
            },
        ),
        (
            "claude-haiku-4-5-20251001",
            {"max_tokens": 9_000},
            {"thinking": {"type": "enabled", "budget_tokens": 6_750}, "max_tokens": 9_000},
        ),
        (
            "claude-opus-4-20250514",
            {"think": 5_000},
            {"thinking": {"type": "enabled", "budget_tokens": 5_000}, "max_tokens": 32_000},
        ),
        (
            "claude-3-7-sonnet-20250219",
            {"think": "max"},
            {"thinking": {"type": "enabled", "budget_tokens": 24_000}, "max_tokens": 32_000},
        ),
        ("claude-3-5-haiku-20241022", {"think": True}, {"max_tokens": 8_192}),
        ("claude-3-opus-20240229", {}, {"max_tokens": 4_096}),
        ("claude-haiku-4-5", {"max_tokens": 1_500}, {"max_tokens": 1_500}),
        ("glm-5", {}, {"max_tokens": 4_096}),
        (
            "glm-5",
            {"think": True},
            {"thinking": {"type": "enabled", "budget_tokens": 3_072}, "max_tokens": 4_096},
        ),
    ],
)
def test_how_each_model_is_asked_to_think(
    model: str, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    body = asked(ONE, model, **options)
    assert {
        key: body[key] for key in ("thinking", "output_config", "max_tokens") if key in body
    } == expected


def test_a_turn_of_another_model_goes_on_without_thinking_with_a_budget() -> None:
    history = Request("", HISTORY.messages)
    assert "thinking" not in asked(history, "claude-haiku-4-5")
    assert "thinking" in asked(history, "claude-opus-5-5")  # it may begin to think at any time


@pytest.mark.parametrize(
    ("config", "environment", "expected"),
    [
        ("", {"ANTHROPIC_API_KEY": "k-env"}, {"x-api-key": "k-env"}),
        (
            "k-own",
            {"ANTHROPIC_API_KEY": "k-env", "ANTHROPIC_AUTH_TOKEN": "t"},
            {"x-api-key": "k-own"},
        ),
        (
            "",
            {"ANTHROPIC_API_KEY": "k-env", "ANTHROPIC_AUTH_TOKEN": " t "},
            {"authorization": "Bearer t"},
        ),
        ("", {"ANTHROPIC_API_KEY": "bad\nkey"}, {}),
        ("", {}, {}),
    ],
)
def test_whose_key_is_sent(
    config: str, environment: dict[str, str], expected: dict[str, str]
) -> None:
    def provider(address: str) -> anthropic.AnthropicProvider:
        return anthropic.create("m", ProviderSetup(address, config, environment=environment))

    headers = asyncio.run(sent(ANTHROPIC, provider, ONE))["headers"]
    assert {k: v for k, v in headers.items() if k in ("x-api-key", "authorization")} == expected


@pytest.mark.parametrize(
    ("environment", "hint"),
    [
        ({}, "set ANTHROPIC_API_KEY"),
        ({"ANTHROPIC_API_KEY": KEY}, "check ANTHROPIC_API_KEY"),
        ({"ANTHROPIC_AUTH_TOKEN": KEY}, "check ANTHROPIC_AUTH_TOKEN"),
        (
            {"ANTHROPIC_API_KEY": "bad\nkey"},
            "check ANTHROPIC_API_KEY: it has characters that cannot be sent",
        ),
    ],
)
def test_what_to_do_about_a_key(environment: dict[str, str], hint: str) -> None:
    async def scenario() -> None:
        async with serving(
            {"/v1/messages": lambda _, c: c.json({"error": {"message": "who?"}}, 401)}
        ) as server:
            provider = anthropic.create("m", ProviderSetup(server.address, environment=environment))
            (refused,) = await played(provider)
            await provider.close()
            assert isinstance(refused, Failed) and (refused.kind, refused.hint) == ("auth", hint)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("config", "variable", "expected"),
    [
        ("", "", "https://api.anthropic.com"),
        ("", "https://gate.example/anthropic/", "https://gate.example/anthropic"),
        ("http://127.0.0.1:9/v1", "https://gate.example", "http://127.0.0.1:9"),
        ("127.0.0.1:9/v1/messages", "", "http://127.0.0.1:9"),
    ],
)
def test_where_the_server_is(config: str, variable: str, expected: str) -> None:
    environment = {"ANTHROPIC_BASE_URL": variable, "ANTHROPIC_API_KEY": KEY}
    provider = anthropic.create("claude-opus-5-5", ProviderSetup(config, environment=environment))
    assert provider.base_url == provider.with_model("claude-haiku-4-5").base_url == expected


def test_anthropic_itself_is_not_asked_before_the_first_prompt() -> None:
    info = asyncio.run(anthropic.create("claude-haiku-4-5", ProviderSetup(api_key=KEY)).info())
    assert info == ModelInfo("anthropic/claude-haiku-4-5", 200_000, 200_000, True, True, True)


def test_the_list_is_read_to_its_end() -> None:
    able = {"thinking": {"supported": False}, "image_input": {"supported": True}}
    first = [
        {"id": "claude-opus-5-5", "max_input_tokens": 900_000, "capabilities": able},
        {"nonsense": 1},
        {"id": "a&b"},
    ]
    pages = {
        "/v1/models?limit=1000": {"data": first, "has_more": True, "last_id": "a&b"},
        "/v1/models?limit=1000&after_id=a%26b": {
            "data": [{"id": "claude-haiku-4-5"}],
            "has_more": True,
        },
        "/v1/models?limit=1000&after_id=claude-haiku-4-5": {
            "data": [{"id": "claude-haiku-4-5"}],
            "has_more": True,
        },
    }

    def page(data: Any) -> Any:
        return lambda _, connection: connection.json(data)

    async def scenario() -> None:
        async with serving({path: page(data) for path, data in pages.items()}) as server:
            opus, other, haiku = await at(server.address).models()
            assert opus == ModelInfo(
                "anthropic/claude-opus-5-5", 900_000, 900_000, True, False, True
            )
            assert other == ModelInfo("anthropic/a&b")
            assert (haiku.window, haiku.thinking) == (200_000, True)
            assert (await at(server.address).info()) == opus
            assert (await at(server.address, "claude-x", window=99).info()).window == 99
        async with serving({}) as server:  # no list at all: the model may be there anyway
            assert (await at(server.address, "m").info()).name == "anthropic/m"
        async with serving({"/v1/models?limit=1000": page([])}) as server:
            with pytest.raises(ProviderError, match="no list of models"):
                await at(server.address).models()

    asyncio.run(scenario())


def test_tokens_are_counted_by_the_server() -> None:
    async def counted(answer: Any, status: int = 200) -> tuple[int, Any]:
        path = "/v1/messages/count_tokens"
        async with serving({path: lambda _, c: c.json(answer, status)}) as server:
            provider = at(server.address)
            tools = (ToolSpec("ls", "List.", {"type": "object"}),)
            try:
                count = await provider.count_tokens(Request("s", request().messages, tools))
            finally:
                await provider.close()
            return count, json.loads(server.bodies(path)[0])

    count, body = asyncio.run(counted({"input_tokens": 2095}))
    assert count == 2095
    assert set(body) == {"model", "thinking", "tools", "system", "messages"}
    none = ([], 200, "not a valid JSON object")
    for answer, status, said in (({"error": "no"}, 500, "failed"), ({}, 200, "cannot count"), none):
        with pytest.raises(ProviderError, match=said):
            asyncio.run(counted(answer, status))
