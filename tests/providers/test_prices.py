"""Prices: whose they are, what they come to, and that none is made up."""

from __future__ import annotations

import asyncio
import re

import pytest

from agent_tui.agent.turn.accounts import Accounts, Budget
from agent_tui.protocol.messages import Usage
from agent_tui.providers.base import Finished, ProviderSetup
from agent_tui.providers.facts import presets, prices
from agent_tui.providers.facts.prices import FREE, Price, find_price
from tests.providers.servers import Connection, Received, chat_parts, played, request, serving, text

CLAUDE, GPT = "https://api.anthropic.com", "https://api.openai.com/v1"
MILLION = Usage(1_000_000, 1_000_000)


@pytest.mark.parametrize(
    ("provider", "model", "address", "dollars"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", CLAUDE, 28.5),  # a prompt over 200,000 tokens
        ("anthropic", "claude-haiku-4-5", CLAUDE, 6.0),
        ("openai", "gpt-5", GPT, 11.25),
        ("openai", "gpt-5-2025-08-07", GPT, 11.25),
        ("openai", "gpt-5-mini", GPT, 2.25),
        ("gemini", "models/gemini-2.5-flash", "https://generativelanguage.googleapis.com", 2.8),
    ],
)
def test_a_listed_model_has_its_price(
    provider: str, model: str, address: str, dollars: float
) -> None:
    price = find_price(provider, model, address, {})
    assert price is not None and price.cost(MILLION) == (dollars, False)


@pytest.mark.parametrize(
    ("provider", "model", "address"),
    [
        ("openai", "gpt-5-chat", GPT),  # another model that begins the same
        ("openai", "gpt-5", "http://127.0.0.1:4000/v1"),  # who passes it on has prices of their own
        ("openrouter", "openai/gpt-5", "https://openrouter.ai/api/v1"),
        ("azure", "gpt-5", "https://x.openai.azure.com"),
        ("compatible", "m", "http://127.0.0.1:8000/v1"),
        ("vllm", "m", "https://gpu.example.com/v1"),
        ("ollama", "gpt-oss:120b-cloud", "http://127.0.0.1:11434"),
    ],
)
def test_of_others_no_price_is_known(provider: str, model: str, address: str) -> None:
    assert find_price(provider, model, address, {}) is None


@pytest.mark.parametrize("provider", ["ollama", "lmstudio", "vllm", "llamacpp"])
def test_models_of_ones_own_machine_cost_nothing(provider: str) -> None:
    price = find_price(provider, "qwen3:8b", "http://127.0.0.1:11434", {})
    assert price == FREE and price.cost(MILLION) == (0.0, False)


def test_the_persons_own_prices_win() -> None:
    own = {"openai/gpt-5": {"input": 1.0, "output": 2.0}, "acme/*": {"input": 3.0, "output": 0.0}}
    mine, theirs = (
        find_price("openai", "gpt-5", GPT, own),
        find_price("acme", "any", "https://acme.example", own),
    )
    assert mine is not None and mine.cost(MILLION) == (3.0, False)
    assert theirs is not None and theirs.cost(MILLION) == (3.0, False)


def test_what_a_cache_read_and_wrote_has_its_own_price() -> None:
    price = Price(10, 20, 1, 12.5, sure=True)
    used = Usage(1_000_000, 0, cached_tokens=500_000, cache_write_tokens=100_000)
    assert price.cost(used) == (0.4 * 10 + 0.5 + 0.1 * 12.5, False)
    unknown = Price(10, 20, sure=True)
    assert unknown.cost(used) == (10.0, True)  # it may have been less


def test_a_count_that_cannot_be_costs_no_less_than_nothing() -> None:
    dollars, _ = Price(10, 20, 1, 12.5, sure=True).cost(
        Usage(10, 0, cached_tokens=50, cache_write_tokens=50)
    )
    assert dollars == round(10 * 1 / 1_000_000, 8)


def test_an_estimate_and_a_price_that_is_not_sure_are_told() -> None:
    assert Price(1, 1, sure=True).cost(Usage(5, 5, estimated=True))[1]
    assert Price(1, 1).cost(Usage(5, 5))[1]
    assert not FREE.cost(Usage(5, 5, estimated=True))[1]


def test_the_data_is_dated_and_whole() -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", prices.date())
    for name, service in prices._listed().items():
        assert service["hosts"] and service["source"].startswith("https://"), name
        for model, data in service["models"].items():
            assert set(data) <= {"input", "output", "cached", "cache_write", "sure", "over"}, model
            price = prices.parse_price(data)
            assert 0 < price.input <= price.output and (price.cached or 0) < price.input, model
            assert price.over is None or price.over[1].input > price.input, model


LIST = [
    {
        "id": "maker/a",
        "pricing": {
            "prompt": "0.000003",
            "completion": "0.000015",
            "input_cache_read": "0.0000003",
        },
    },
    {"id": "maker/b:free", "pricing": {"prompt": "0", "completion": "0"}},
    {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
    {"id": "odd/1", "pricing": {"prompt": "much", "completion": "1e-6"}},
    {"id": "odd/2", "pricing": 7},
    {"id": 3},
    4,
]


async def listing(_: Received, to: Connection) -> None:
    await to.json({"data": LIST})


def test_a_list_that_tells_prices_is_read_beside_the_first_answer() -> None:
    async def answer(_: Received, to: Connection) -> None:
        await to.stream(chat_parts([text("hi")], "stop"))

    async def scenario() -> None:
        async with serving({"/v1/models": listing, "/v1/chat/completions": answer}) as server:
            setup = ProviderSetup(f"{server.address}/v1", "key")
            provider = presets.create("openrouter", "maker/a", setup)
            assert prices.price_of(provider, {}) is None
            for _ in range(2):
                assert isinstance((await played(provider))[-1], Finished)
            price = prices.price_of(provider, {})
            assert price is not None and price.cost(Usage(1_000_000, 1_000_000, 500_000)) == (
                16.65,
                True,
            )
            free = prices.price_of(provider.with_model("maker/b:free"), {})
            assert free is not None and free.cost(MILLION) == (0.0, False)
            for model in ("openrouter/auto", "odd/1", "odd/2", "unknown"):
                assert prices.price_of(provider.with_model(model), {}) is None
            own = prices.price_of(provider, {"openrouter/*": {"input": 1.0, "output": 1.0}})
            assert own is not None and own.cost(MILLION) == (2.0, False)
            assert [one.path for one in server.received].count("/v1/models") == 1
            await provider.close()

    asyncio.run(scenario())


def test_a_budget_asks_for_the_list_before_the_first_request() -> None:
    async def scenario() -> None:
        async with serving({"/v1/models": listing}) as server:
            provider = presets.create(
                "openrouter", "maker/a", ProviderSetup(f"{server.address}/v1", "key")
            )
            accounts = Accounts({}, Budget(1.0, 0))
            assert await accounts.exceeded_limit(provider, "openrouter/maker/a", request()) is None
            await provider.close()

    asyncio.run(scenario())


def test_a_list_that_does_not_come_costs_no_answer_and_is_asked_for_once() -> None:
    async def answer(_: Received, to: Connection) -> None:
        await to.stream(chat_parts([text("hi")], "stop"))

    async def scenario() -> None:
        async with serving({"/v1/chat/completions": answer}) as server:
            provider = presets.create(
                "openrouter", "maker/a", ProviderSetup(f"{server.address}/v1", "key")
            )
            for _ in range(2):
                assert isinstance((await played(provider))[-1], Finished)
            assert [one.path for one in server.received].count("/v1/models") == 1
            await provider.close()

    asyncio.run(scenario())
