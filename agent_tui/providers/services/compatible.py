"""The services that speak OpenAI's Chat Completions, and any other server that does: a row for
each.

How hard a model shall think is said by service, and by the names of its models, because a model
that knows no such field may refuse the whole request. Taken from the services' own documentation in
November 2026 (DashScope "Deep thinking", DeepSeek "Thinking Mode", Kimi "Models", Mistral
"Reasoning", Together "Reasoning", Z.AI "Thinking mode", OpenRouter "Reasoning Tokens").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent_tui.providers.services.base import (
    THREE,
    Fields,
    Known,
    Quirks,
    Service,
    Words,
    nearest_level,
)
from agent_tui.settings.table import ANY
from agent_tui.settings.values import SWITCH, Setting

BUDGETS: Final[Mapping[str, int]] = {
    "none": 256, "minimal": 1_024, "low": 4_096, "medium": 8_192, "high": 16_384, "xhigh": 32_768,
}  # fmt: skip
"""Tokens to think with, where a service counts them; the most that the model can for what is not
here."""


def _among(*levels: str) -> Words:
    return lambda wanted: {"reasoning_effort": nearest_level(wanted, levels)}


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
    return (
        {"enable_thinking": False}
        if wanted == "none"
        else {"enable_thinking": True, **_budget(wanted)}
    )


def _openrouter(wanted: str) -> Fields:
    return {
        "reasoning": {"enabled": False}
        if wanted == "none"
        else {"effort": nearest_level(wanted, THREE)}
    }


def _together(wanted: str) -> Fields:
    return {"reasoning": {"enabled": wanted != "none"}}


def _nothing(_: str) -> Fields:
    return {}


_N: Final = r"(\d+(?:\.\d+)?)"
"""A version."""
_HOSTED: Final = Quirks(typed=True, worded=True)
_NEAR: Final = Quirks(typed=True, turns=True)
"""The templates of local servers often want a person and a model to take turns."""
_KIMI: Final = r"kimi-k2\.[5-9]|kimi-k2-thinking|kimi-k([3-9]|\d\d)"
_DEEPSEEK: Final = r"deepseek-(flash|pro|v([4-9]|\d\d))"

CACHE_MARKS: Final = Setting(
    SWITCH,
    False,
    "Whether requests mark what the server should keep in its cache.",
    "`true`: requests mark what the server should keep in its cache (`cache_control`), which a proxy such as LiteLLM "
    "hands on to Claude; other servers may refuse it. Default `false`",
)
COMPATIBLE: Final = Service(
    "compatible",
    "your server",
    "compatible",
    role="found",
    options={**ANY, "cache_marks": CACHE_MARKS},
    rank=80,
)
"""Any other server, known by its address alone."""
SERVICES: Final = (
    Service(
        "moonshot",
        "Moonshot",
        "compatible",
        ("MOONSHOT_API_KEY",),
        ("MOONSHOT_BASE_URL",),
        prefixes=("moonshot-", "kimi-"),
        short=("kimi",),
        model="kimi-k3",
        families=(f"kimi-k{_N}(?:-pro)?",),
        base_url="https://api.moonshot.ai/v1",
        quirks=_HOSTED,
        gen_ai="moonshot_ai",
        wants_thoughts=(_KIMI,),
        known={
            r"kimi-k[3-9]": Known(1_048_576, True),
            r"kimi-k2\.[56]": Known(262_144, True),
            r"kimi-k2": Known(262_144, False),
            r"moonshot-v1-8k": Known(8_192, False),
            r"moonshot-v1-32k": Known(32_768, False),
            r"moonshot-v1-128k": Known(131_072, False),
        },
        effort={
            r"kimi-k([3-9]|\d\d)": _among("low", "high", "max"),
            r"kimi-k2\.[56](?!.*code)": _switched,  # the others always think, or never
        },
    ),
    Service(
        "qwen",
        "Qwen",
        "compatible",
        ("DASHSCOPE_API_KEY",),
        ("DASHSCOPE_BASE_URL",),
        prefixes=("qwen", "qwq"),
        model="qwen3.8-max",
        families=(f"qwen{_N}-max", f"qwen{_N}-plus"),
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        quirks=_HOSTED,
        known={
            r"qwen3-coder-(plus|flash)": Known(1_000_000, False),
            r"qwen3\.8-max": Known(1_000_000, True),
            r"qwen3-max": Known(262_144, False),
            r"qwen-(plus|flash|turbo)": Known(131_072, False),
            r"qwen-max": Known(32_768, False),
            r"qwq": Known(131_072, False),
        },
        effort={
            r"qwq|.*-thinking": _budget,  # they always think
            r"qwen3-coder|.*-instruct|qwen-max|qwen2|qwen1": _nothing,
            r"qwen(3|-plus|-flash|-turbo|-long)": _qwen,
        },
    ),
    Service(
        "zhipu",
        "Zhipu",
        "compatible",
        ("ZAI_API_KEY", "ZHIPUAI_API_KEY"),
        ("ZAI_BASE_URL",),
        prefixes=("glm-",),
        short=("glm",),
        model="glm-5.3",
        families=(f"glm-{_N}",),
        base_url="https://api.z.ai/api/paas/v4",
        quirks=_HOSTED,
        known={
            r"glm-4\.\dv": Known(65_536, True),
            r"glm-5\.[23]": Known(1_000_000, False),
            r"glm-4\.[67]|glm-5": Known(200_000, False),
            r"glm-4\.5": Known(131_072, False),
        },
        effort={
            r"glm-5\.([3-9]|\d\d)": _among("low", "high", "max"),  # they always think
            r"glm-(4\.[5-9]|[5-9])": _switched,
        },
    ),
    Service(
        "deepseek",
        "DeepSeek",
        "compatible",
        ("DEEPSEEK_API_KEY",),
        ("DEEPSEEK_BASE_URL",),
        prefixes=("deepseek-",),
        model="deepseek-flash",
        families=("deepseek-flash", f"deepseek-v{_N}-flash"),
        base_url="https://api.deepseek.com/v1",
        quirks=_HOSTED,
        wants_thoughts=(_DEEPSEEK,),
        known={
            r"deepseek-flash": Known(1_000_000, True),
            r"deepseek-v4": Known(1_000_000, False),
            r"deepseek-(chat|reasoner)": Known(131_072, False),
        },
        effort={
            r"deepseek-(chat|reasoner)$": _nothing,  # the name itself says whether it thinks
            r"deepseek": _deepseek,
        },
    ),
    Service(
        "mistral",
        "Mistral",
        "compatible",
        ("MISTRAL_API_KEY",),
        ("MISTRAL_BASE_URL",),
        model="mistral-large-latest",
        base_url="https://api.mistral.ai/v1",
        gen_ai="mistral_ai",
        quirks=Quirks(typed=True, worded=True, spoken=True, short_ids=True, usage_asked=False),
        known={
            r"mistral-(large|medium)|devstral|ministral|codestral|mistral-small": Known(131_072),
        },
        effort={
            r"mistral-(small-(latest|2603)|medium-3-5)": _among("none", "high"),
            r"mistral-large-4": _among(*THREE),
        },
    ),
    Service(
        "openrouter",
        "OpenRouter",
        "compatible",
        ("OPENROUTER_API_KEY",),
        ("OPENROUTER_BASE_URL",),
        model="openrouter/auto",
        base_url="https://openrouter.ai/api/v1",
        quirks=_HOSTED,
        told_prices=True,
        wants_thoughts=(_KIMI, _DEEPSEEK),
        effort={"": _openrouter},
    ),
    Service(
        "together",
        "Together",
        "compatible",
        ("TOGETHER_API_KEY",),
        ("TOGETHER_BASE_URL",),
        base_url="https://api.together.xyz/v1",
        quirks=_HOSTED,
        effort={
            r"gpt-oss": _among(*THREE),
            r"glm-5\.([3-9]|\d\d)": _among("low", "medium", "high", "max"),
            r"deepseek-v(3\.[1-9]|[4-9])|glm-(4\.[5-9]|5)|kimi-k2\.[56]|qwen3\.[5-9]|cogito": _together,
        },
    ),
    Service(
        "lmstudio",
        "LM Studio",
        "compatible",
        ("LMSTUDIO_API_KEY",),
        ("LMSTUDIO_BASE_URL",),
        near=True,
        base_url="http://127.0.0.1:1234/v1",
        quirks=_NEAR,
        rank=60,
    ),
    Service(
        "vllm",
        "vLLM",
        "compatible",
        ("VLLM_API_KEY",),
        ("VLLM_BASE_URL",),
        near=True,
        base_url="http://127.0.0.1:8000/v1",
        quirks=_NEAR,
        rank=60,
    ),
    Service(
        "llamacpp",
        "llama.cpp",
        "compatible",
        ("LLAMACPP_API_KEY",),
        ("LLAMACPP_BASE_URL",),
        near=True,
        base_url="http://127.0.0.1:8080/v1",
        quirks=_NEAR,
        rank=60,
    ),
    COMPATIBLE,
)
