"""What each level of effort comes to, in words: as many as the model tells apart, and as its
requests say."""

from __future__ import annotations

from itertools import combinations

import pytest

from agent_tui.protocol.ops import EFFORTS
from agent_tui.providers.facts.effort import cycle, levels, of_service


def meanings(provider: str, model: str, thinks: bool | None = None) -> dict[str, str]:
    return {one.shown.level: one.shown.about for one in levels(provider, model, thinks)}


@pytest.mark.parametrize(
    ("provider", "model", "level", "about"),
    [
        ("openai", "o3", "none", "thinks with effort low: it cannot turn thinking off"),
        ("openai", "o3", "high", "thinks with effort high"),
        ("openai", "o3", "max", "thinks with effort high, the closest level that it has"),
        ("anthropic", "claude-opus-4-6", "max", "thinks with effort max"),
        ("anthropic", "claude-sonnet-4-5", "low", "thinks with up to 2,048 tokens"),
        ("anthropic", "claude-sonnet-4-5", "none", "is not asked to think"),
        (
            "gemini",
            "gemini-3-pro",
            "medium",
            "thinks with effort low, the closest level that it has",
        ),
        ("gemini", "gemini-3.1-pro", "medium", "thinks with effort medium"),
        (
            "gemini",
            "gemini-3.1-flash-lite",
            "none",
            "thinks with effort minimal: it cannot turn thinking off",
        ),
        ("azure", "gpt-5.4", "max", "thinks with effort xhigh, the closest level that it has"),
        ("gemini", "gemini-2.5-flash", "none", "does not think"),
        ("gemini", "gemini-2.5-flash", "high", "thinks with up to 24,576 tokens"),
        (
            "ollama",
            "gpt-oss:20b",
            "xhigh",
            "thinks with effort high, the closest level that it has",
        ),
        ("ollama", "qwen3", "low", "thinks by its own default"),
        ("openrouter", "x/y", "none", "does not think"),
        ("zhipu", "glm-5.3", "medium", "thinks with effort low, the closest level that it has"),
        ("qwen", "qwen-plus", "low", "thinks with up to 4,096 tokens"),
        ("qwen", "qwq-plus", "none", "thinks with up to 256 tokens: it cannot turn thinking off"),
        ("qwen", "qwen-plus", "max", "thinks by its own default"),
        ("mistral", "mistral-small-latest", "low", "does not think, the closest level that it has"),
        ("together", "moonshotai/Kimi-K2.6", "high", "thinks by its own default"),
    ],
)
def test_each_level_has_its_meaning(provider: str, model: str, level: str, about: str) -> None:
    assert meanings(provider, model)[level] == about


@pytest.mark.parametrize(
    ("provider", "model", "thinks"),
    [
        ("openai", "gpt-4.1", None),
        ("anthropic", "claude-3-haiku-2024", None),
        ("gemini", "gemini-2.0-flash", None),
        ("deepseek", "deepseek-chat", None),
        ("acme", "m", None),
        ("azure", "ours", None),
        ("vllm", "m", True),
        ("ollama", "llama3", False),
        ("openrouter", "x/y", False),
        ("scripted", "a.json", True),
        ("demo", "tour", None),
    ],
)
def test_who_cannot_be_told_has_no_levels(provider: str, model: str, thinks: bool | None) -> None:
    assert levels(provider, model, thinks) == () and cycle(()) == ()


@pytest.mark.parametrize(
    ("provider", "model", "goes"),
    [
        ("openai", "o3", ("low", "medium", "high")),
        ("gemini", "gemini-2.5-flash", ("none", "low", "medium", "high")),
        ("ollama", "qwen3", ("none", "high")),
        ("mistral", "mistral-small-latest", ("none", "high")),
        ("moonshot", "kimi-k3", ("low", "high", "max")),
        ("deepseek", "deepseek-v4-pro", ("none", "low", "high", "max")),
        (
            "qwen",
            "qwen-plus",
            ("low", "medium", "high"),
        ),  # it tells seven apart: too many for a key
    ],
)
def test_the_key_goes_through_what_differs(
    provider: str, model: str, goes: tuple[str, ...]
) -> None:
    assert cycle(levels(provider, model)) == goes


def test_levels_mean_the_same_where_they_send_the_same() -> None:
    for provider, model in (
        ("zhipu", "glm-5.3"),
        ("qwen", "qwen-plus"),
        ("deepseek", "deepseek-v4-pro"),
    ):
        told = meanings(provider, model)
        words = {
            level: about.partition(", the closest")[0].partition(":")[0]
            for level, about in told.items()
        }
        for one, other in combinations(EFFORTS, 2):
            same = of_service(provider, model, one) == of_service(provider, model, other)
            assert same == (words[one] == words[other]), (model, one, other)
