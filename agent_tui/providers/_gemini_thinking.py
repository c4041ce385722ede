"""How much a model of Gemini may think: new ones take a level, those before a number of tokens, old ones neither."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

BUDGETS: Final[Mapping[str, int]] = {"minimal": 512, "low": 1_024, "medium": 8_192, "high": 24_576, "xhigh": 24_576}
"""Tokens for a level, where only tokens are understood; every model that does takes these."""
_THINKS: Final = re.compile(r"gemini-(2\.5|[3-9]|[1-9]\d|(pro|flash|flash-lite)-latest)(?!.*(image|tts|audio|live))")
_OFF_AT_128: Final = "gemini-2.5-pro"
"""It cannot do without: this is its least."""


def thinks(model: str) -> bool:
    """Whether `model` is known to think, by its name: one that does not refuses a request that speaks of it."""
    return _THINKS.match(model) is not None


def thinking_config(model: str, wanted: Any = None) -> dict[str, Any]:
    """`wanted`: true or false, a level, or a number of tokens (-1: as the model likes); None where nobody said."""
    if wanted is None or wanted is True:
        return {"includeThoughts": True} if wanted or thinks(model) else {}
    takes_levels = thinks(model) and not model.startswith("gemini-2.5")
    if wanted is False:
        if takes_levels:
            return {"thinkingLevel": "low"}
        least = 128 if model.startswith(_OFF_AT_128) else 0
        return {"thinkingBudget": least} if thinks(model) else {}
    if isinstance(wanted, int):
        return {"includeThoughts": True, "thinkingBudget": wanted}
    level = str(wanted).strip().lower()
    if takes_levels or level not in BUDGETS:
        return {"includeThoughts": True, "thinkingLevel": level}
    return {"includeThoughts": True, "thinkingBudget": BUDGETS[level]}
