"""Ollama."""

from __future__ import annotations

from typing import Final

from agent_tui.providers.services.base import Service
from agent_tui.settings.table import CA_BUNDLE, IDLE_TIMEOUT, STREAM
from agent_tui.settings.values import THINK, Setting

OLLAMA: Final = Service(
    "ollama",
    "Ollama",
    "ollama",
    urls=("OLLAMA_HOST",),
    prefixes=("llama", "mistral", "phi", "gemma", "mixtral", "codellama"),
    base_url="http://127.0.0.1:11434",
    speaks="Ollama's own",
    usual="one that can call tools",
    role="found",
    near=True,
    pulls=True,
    rank=0,
    common=("base_url", "api_key", "num_ctx"),
    options={
        "think": Setting(
            THINK,
            True,
            "For models that think: true, false or a level.",
            '`true`, `false`, or a level such as `"low"`, for models that think; default `true`',
        ),
        "idle_timeout": IDLE_TIMEOUT,
        "stream": STREAM,
        "ca_bundle": CA_BUNDLE,
    },
)
SERVICES: Final = (OLLAMA,)
