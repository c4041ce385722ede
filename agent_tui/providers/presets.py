"""The services that are known by name: where each is, which variables hold its key, how its models are called.

Those with a `base_url` here speak Chat Completions and need no file of their own; the rest have one in this folder.
Models come and go: the one that is taken where none is named is looked for in the service's own list first. The names
that stand here were compared with the makers' own pages on 2026-11-22.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_tui.providers import compatible
from agent_tui.providers._openrouter import OpenRouterProvider
from agent_tui.providers._quirks import PLAIN, Quirks
from agent_tui.providers.base import ProviderSetup
from agent_tui.providers.wire import is_near


@dataclass(frozen=True, slots=True)
class Service:
    """`keys` and `urls` are variables, the first that is set counts; `prefixes` begin the names of its models. Where no
    model is named the newest of `families` is taken that the service lists (patterns of names, the version a group),
    else `model`, else the first that is listed."""

    label: str
    keys: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    model: str = ""
    base_url: str = ""
    quirks: Quirks = PLAIN
    families: tuple[str, ...] = ()

    def key(self, environment: Mapping[str, str]) -> str:
        return _first(self.keys, environment)

    def url(self, environment: Mapping[str, str]) -> str:
        return _first(self.urls, environment)

    def usual(self, listed: Sequence[str]) -> str:
        """The model where none is named, given the names that the service lists."""
        for family in self.families:
            found = {name: match for name in listed if (match := re.fullmatch(family, name)) is not None}
            if found:
                return max(found, key=lambda name: [int(n) for one in found[name].groups() for n in one.split(".")])
        return self.model if self.model in listed or not listed else listed[0]


_N: Final = r"(\d+(?:\.\d+)?)"
"""A version."""
_HOSTED: Final = Quirks(typed=True, worded=True)
_NEAR: Final = Quirks(typed=True, turns=True)
"""The templates of local servers often want a person and a model to take turns."""

SERVICES: Final[Mapping[str, Service]] = {
    "openai": Service(
        "OpenAI", ("OPENAI_API_KEY",), ("OPENAI_BASE_URL",), ("gpt-", "o1", "o3", "o4"), "gpt-6.1-sol",
        families=(f"gpt-{_N}-sol", f"gpt-{_N}"),
    ),
    "anthropic": Service(
        "Anthropic", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"), ("ANTHROPIC_BASE_URL",), ("claude-",),
    ),
    "gemini": Service(
        "Gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("GOOGLE_GEMINI_BASE_URL",), ("gemini-",), "gemini-pro-latest",
    ),
    "moonshot": Service(
        "Moonshot", ("MOONSHOT_API_KEY",), ("MOONSHOT_BASE_URL",), ("moonshot-", "kimi-"), "kimi-k3",
        "https://api.moonshot.ai/v1", _HOSTED, (f"kimi-k{_N}(?:-pro)?",),
    ),
    "qwen": Service(
        "Qwen", ("DASHSCOPE_API_KEY",), ("DASHSCOPE_BASE_URL",), ("qwen", "qwq"), "qwen3.8-max",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", _HOSTED, (f"qwen{_N}-max", f"qwen{_N}-plus"),
    ),
    "zhipu": Service(
        "Zhipu", ("ZAI_API_KEY", "ZHIPUAI_API_KEY"), ("ZAI_BASE_URL",), ("glm-",), "glm-5.3",
        "https://api.z.ai/api/paas/v4", _HOSTED, (f"glm-{_N}",),
    ),
    "deepseek": Service(
        "DeepSeek", ("DEEPSEEK_API_KEY",), ("DEEPSEEK_BASE_URL",), ("deepseek-",), "deepseek-flash",
        "https://api.deepseek.com/v1", _HOSTED, ("deepseek-flash", f"deepseek-v{_N}-flash"),
    ),
    "mistral": Service(
        "Mistral", ("MISTRAL_API_KEY",), ("MISTRAL_BASE_URL",), (), "mistral-large-latest",
        "https://api.mistral.ai/v1", Quirks(typed=True, worded=True, spoken=True, short_ids=True, usage_asked=False),
    ),
    "openrouter": Service(
        "OpenRouter", ("OPENROUTER_API_KEY",), ("OPENROUTER_BASE_URL",), (), "openrouter/auto",
        "https://openrouter.ai/api/v1", _HOSTED,
    ),
    "together": Service(
        "Together", ("TOGETHER_API_KEY",), ("TOGETHER_BASE_URL",), (), "",
        "https://api.together.xyz/v1", _HOSTED,
    ),
    "azure": Service(
        "Azure", ("AZURE_OPENAI_API_KEY",), ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"),
        quirks=Quirks(think_tags=False),
    ),
    "lmstudio": Service(
        "LM Studio", ("LMSTUDIO_API_KEY",), ("LMSTUDIO_BASE_URL",), base_url="http://127.0.0.1:1234/v1", quirks=_NEAR,
    ),
    "vllm": Service("vLLM", ("VLLM_API_KEY",), ("VLLM_BASE_URL",), base_url="http://127.0.0.1:8000/v1", quirks=_NEAR),
    "llamacpp": Service(
        "llama.cpp", ("LLAMACPP_API_KEY",), ("LLAMACPP_BASE_URL",), base_url="http://127.0.0.1:8080/v1", quirks=_NEAR,
    ),
}  # fmt: skip
OLLAMA: Final = ("llama", "mistral", "phi", "gemma", "mixtral", "codellama")
"""How the names of open models begin that Ollama has."""
SHORT: Final[Mapping[str, str]] = {"gpt": "openai", "claude": "anthropic", "kimi": "moonshot", "glm": "zhipu"}
"""What people call a service; a service by itself means its model."""
KEYS: Final = tuple(service.keys[0] for service in SERVICES.values() if not is_near(service.base_url))
"""The variables that bring a provider with them."""


def _first(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    return next((value for name in names if (value := environment.get(name, "").strip())), "")


def of_name(model: str) -> str:
    """The service that has a model of this name, by how it begins; empty where none is known."""
    lower = model.lower()
    return next((name for name, service in SERVICES.items() if lower.startswith(service.prefixes or ("\0",))), "")


def create(name: str, model: str, setup: ProviderSetup) -> compatible.CompatibleProvider:
    """The service `name`, or a server of that name that the person set up. Raises LookupError with one clear line."""
    service = SERVICES.get(name, Service(name, quirks=Quirks(typed=True)))
    base_url = setup.base_url or service.url(setup.environment) or service.base_url
    if not base_url:
        raise LookupError(f"it needs a server: set base_url under [providers.{name}] in config.toml")
    at, own = compatible.address(base_url), base_url == service.base_url
    check = f"check {service.keys[0]}" if service.keys else f"set api_key under [providers.{name}] in config.toml"
    server = compatible.Server(
        name, at, setup.api_key or service.key(setup.environment), setup.options,
        label=service.label if own else f"the server of {name}", auth=setup.key_advice or check, quirks=service.quirks,
    )  # fmt: skip
    return (OpenRouterProvider if name == "openrouter" else compatible.CompatibleProvider)(model, server)
