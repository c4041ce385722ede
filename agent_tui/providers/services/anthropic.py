"""Anthropic."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.providers.services.base import Service
from agent_tui.settings.table import SERVED
from agent_tui.settings.values import Setting, effort
from agent_tui.structures.vocabulary import EFFORTS

LEVELS: Final = EFFORTS[2:]
ANTHROPIC: Final = Service(
    "anthropic",
    "Anthropic",
    "anthropic",
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    ("ANTHROPIC_BASE_URL",),
    prefixes=("claude-",),
    short=("claude",),
    base_url="https://api.anthropic.com",
    speaks="Messages",
    usual="the newest",
    rank=20,
    options={
        **SERVED,
        "max_tokens": replace(
            SERVED["max_tokens"],
            documented="the most tokens of an answer, with thoughts; 0 (the default): the model's maximum, at most "
            "32,000, or 4,096 if it is not known",
        ),
        "think": Setting(
            effort(LEVELS, 1_024),
            True,
            "For models that think: true, false or a level.",
            '`true`; `false`; a level: `"low"`, `"medium"`, `"high"`, `"xhigh"` or `"max"`; or a number of tokens, '
            "1,024 or more, for models that think with a budget. Default: `true` if the model is known to think",
        ),
    },
)
SERVICES: Final = (ANTHROPIC,)
