"""OpenAI, and its models in Azure."""

from __future__ import annotations

from typing import Final

from agent_tui.providers.services.base import Quirks, Service
from agent_tui.settings.table import SERVED
from agent_tui.settings.values import Setting, one_of, text
from agent_tui.structures.vocabulary import EFFORTS

_API: Final = one_of("responses", "chat")
_THINK: Final = Setting(
    one_of(*EFFORTS[:-1]),
    "",
    "Thinking effort; empty: the model's own default.",
    '`"none"`, `"minimal"`, `"low"`, `"medium"`, `"high"` or `"xhigh"`, for models that think; default: the model '
    "decides",
)
_SPOKEN: Final = (
    'the API to use: `"responses"` or `"chat"`. Default: Responses for OpenAI itself, Chat Completions for others, '
    "until the server refuses tools there"
)
OPENAI: Final = Service(
    "openai",
    "OpenAI",
    "openai",
    ("OPENAI_API_KEY",),
    ("OPENAI_BASE_URL",),
    prefixes=("gpt-", "o1", "o3", "o4"),
    short=("gpt",),
    base_url="https://api.openai.com/v1",
    model="gpt-6.1-sol",
    families=(r"gpt-(\d+(?:\.\d+)?)-sol", r"gpt-(\d+(?:\.\d+)?)"),
    rank=10,
    options={
        **SERVED,
        "api": Setting(
            _API,
            "",
            "The API to use; empty: Responses for OpenAI itself, Chat Completions for others.",
            _SPOKEN,
        ),
        "think": _THINK,
    },
)
AZURE: Final = Service(
    "azure",
    "Azure",
    "azure",
    ("AZURE_OPENAI_API_KEY",),
    ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"),
    versions=("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"),
    placed=True,
    quirks=Quirks(think_tags=False),
    gen_ai="azure.ai.openai",
    rank=50,
    options={
        **SERVED,
        "api": Setting(
            _API,
            "",
            "The API to use; empty: Chat Completions, until the deployment refuses tools there.",
            _SPOKEN,
        ),
        "think": _THINK,
        "api_version": Setting(
            text('the version of an API, such as "v1beta"'),
            "",
            "The version of its API; empty: the address without a version.",
        ),
    },
)
SERVICES: Final = (OPENAI, AZURE)
