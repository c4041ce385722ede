"""OpenAI, and its models in Azure."""

from __future__ import annotations

import re
from typing import Final

from agent_tui.providers.services.base import THREE, Known, Quirks, Service
from agent_tui.settings.table import SERVED
from agent_tui.settings.values import Setting, one_of, text
from agent_tui.structures import late
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
_LEVELS: Final = (
    (r"gpt-[\d.]+-pro", ("high",)),
    (r"gpt-5(\.1)?-codex", THREE),
    (r"gpt-5\.\d+-codex", (*THREE, "xhigh")),
    (r"gpt-5(?!\.)", ("minimal", *THREE)),
    (r"gpt-5\.1(?!\d)", ("none", *THREE)),
    (r"gpt-5\.", ("none", *THREE, "xhigh")),
    (r"gpt-6(?!\.)", ("none", *THREE, "xhigh", "max")),
    (r"gpt-([6-9]|\d\d)", (*THREE, "xhigh", "max")),
)
"""The levels that models of OpenAI take; one that a model does not take is refused. Compared with
its pages of the models and of `reasoning.effort` on 2026-11-22; where models of one version differ,
what all of them take."""
_REASONS: Final = late.pattern(
    r"gpt-([5-9]|\d\d)(?!.*chat)|o[134](?![\w.])(?!-(mini|preview)$)|o[34]-mini|codex"
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
    speaks="Responses",
    known={
        r"gpt-5(\.\d+)?-chat|chatgpt-4o|gpt-4o|gpt-4-turbo": Known(128_000, True),
        r"gpt-5\.[6-9]|gpt-([6-9]|\d\d)": Known(1_050_000, True, patches=True),
        r"gpt-5": Known(400_000, True, patches=True),
        r"gpt-4\.1": Known(1_047_576, True, patches=True),
        r"gpt-4": Known(8_192, False),
        r"gpt-3\.5": Known(16_385, False),
        r"gpt-oss": Known(131_072, False, patches=True),
        r"codex": Known(patches=True),
        r"o1-mini|o1-preview": Known(128_000, False),
        r"o3-mini": Known(200_000, False),
        r"o[134](?![\w.])": Known(200_000, True, patches=True),
    },
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
    speaks="Chat Completions, or Responses",
    usual="the name of a deployment",
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


def levels_of(model: str) -> tuple[str, ...]:
    """The levels of thinking that a model of OpenAI takes."""
    name = model.rpartition("/")[2].lower()
    return next((levels for pattern, levels in _LEVELS if re.match(pattern, name)), THREE)


def reasons(model: str) -> bool:
    """Whether a model of OpenAI thinks before it answers: the others refuse to be asked how."""
    return bool(_REASONS.match(model.rpartition("/")[2].lower()))
