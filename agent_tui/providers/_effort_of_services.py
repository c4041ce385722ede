"""How hard a model thinks, in the fields of the services that speak Chat Completions: by service, and by the names of
its models, because a model that knows no such field may refuse the whole request.

Taken from the services' own documentation in November 2026 (DashScope "Deep thinking", DeepSeek "Thinking Mode", Kimi
"Models", Mistral "Reasoning", Together "Reasoning", Z.AI "Thinking mode", OpenRouter "Reasoning Tokens").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_tui.protocol.ops import EFFORTS
from agent_tui.providers._anthropic_models import facts as claude
from agent_tui.providers._effort import THREE, nearest
from agent_tui.providers._gemini_thinking import thinks
from agent_tui.providers._models import reasons

Fields = dict[str, Any]
Words = Callable[[str], Fields]
"""What a request says for one of `EFFORTS`."""

BUDGETS: Final[Mapping[str, int]] = {
    "none": 256, "minimal": 1_024, "low": 4_096, "medium": 8_192, "high": 16_384, "xhigh": 32_768,
}  # fmt: skip
"""Tokens to think with, where a service counts them; the most that the model can for what is not here."""


def _among(*levels: str) -> Words:
    return lambda wanted: {"reasoning_effort": nearest(wanted, levels)}


def _switched(wanted: str) -> Fields:
    return {"thinking": {"type": "disabled" if wanted == "none" else "enabled"}}


def _deepseek(wanted: str) -> Fields:
    """Its own table makes a medium effort a high one."""
    if wanted == "none":
        return _switched(wanted)
    level = {"minimal": "low", "low": "low", "max": "max"}.get(wanted, "high")
    return {**_switched(wanted), "reasoning_effort": level}


def _budget(wanted: str) -> Fields:
    return {"thinking_budget": BUDGETS[wanted]} if wanted in BUDGETS else {}


def _qwen(wanted: str) -> Fields:
    return {"enable_thinking": False} if wanted == "none" else {"enable_thinking": True, **_budget(wanted)}


def _openrouter(wanted: str) -> Fields:
    return {"reasoning": {"enabled": False} if wanted == "none" else {"effort": nearest(wanted, THREE)}}


def _together(wanted: str) -> Fields:
    return {"reasoning": {"enabled": wanted != "none"}}


def _nothing(_: str) -> Fields:
    return {}


_TABLE: Final[Mapping[str, Mapping[str, Words]]] = {
    "openrouter": {"": _openrouter},
    "zhipu": {
        r"glm-5\.([3-9]|\d\d)": _among("low", "high", "max"),  # they always think
        r"glm-(4\.[5-9]|[5-9])": _switched,
    },
    "deepseek": {
        r"deepseek-(chat|reasoner)$": _nothing,  # the name itself says whether it thinks
        r"deepseek": _deepseek,
    },
    "moonshot": {
        r"kimi-k([3-9]|\d\d)": _among("low", "high", "max"),
        r"kimi-k2\.[56](?!.*code)": _switched,  # the others always think, or never
    },
    "mistral": {
        r"mistral-(small-(latest|2603)|medium-3-5)": _among("none", "high"),
        r"mistral-large-4": _among(*THREE),
    },
    "qwen": {
        r"qwq|.*-thinking": _budget,  # they always think
        r"qwen3-coder|.*-instruct|qwen-max|qwen2|qwen1": _nothing,
        r"qwen(3|-plus|-flash|-turbo|-long)": _qwen,
    },
    "together": {
        r"gpt-oss": _among(*THREE),
        r"glm-5\.([3-9]|\d\d)": _among("low", "medium", "high", "max"),
        r"deepseek-v(3\.[1-9]|[4-9])|glm-(4\.[5-9]|5)|kimi-k2\.[56]|qwen3\.[5-9]|cogito": _together,
    },
}  # fmt: skip


def of_service(name: str, model: str, wanted: str) -> Fields:
    """The fields that tell the service `name` how hard its `model` shall think; none where it has no word for it."""
    if wanted not in EFFORTS:
        return {}
    family = model.rpartition("/")[2].lower()
    rows = _TABLE.get(name, {}).items()
    return next((words(wanted) for pattern, words in rows if re.match(pattern, family)), {})


def heeds(name: str, model: str) -> bool:
    """Whether it makes a difference to say it to the model of a provider; true where nobody knows."""
    match name:
        case "openai" | "azure":
            return reasons(model)
        case "anthropic":
            return claude(model).thinks != "never"
        case "gemini":
            return thinks(model)
        case "ollama" | "demo" | "scripted":
            return True
        case _:
            return bool(of_service(name, model, "high"))
