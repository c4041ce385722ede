"""How much a model of Gemini may think: new ones take a level, those before a number of tokens, old ones neither."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agent_tui.providers._effort import THREE

BUDGETS: Final[Mapping[str, int]] = {"minimal": 512, "low": 1_024, "medium": 8_192, "high": 24_576, "xhigh": 24_576}
"""Tokens for a level, where only tokens are understood; every model that does takes these."""
_THINKS: Final = re.compile(r"gemini-(2\.5|[3-9]|[1-9]\d|(pro|flash|flash-lite)-latest)(?!.*(image|tts|audio|live))")
_LEVELS: Final = (
    (r"gemini-3-pro", ("low", "high")),
    (
        r"gemini-3[\d.]*-flash-lite|gemini-3(\.[0-6])?-flash|gemini-flash-lite-latest",
        ("minimal", "low", "medium", "high"),
    ),
)
"""Levels of models that do not take low, medium, high, as Google's pages had them on 2026-11-22."""
_OFF_AT_128: Final = "gemini-2.5-pro"
"""It cannot do without: this is its least."""


def thinks(model: str) -> bool:
    """Whether `model` is known to think, by its name: one that does not refuses a request that speaks of it."""
    return _THINKS.match(model) is not None


def levels_of_gemini(model: str) -> tuple[str, ...]:
    """One that a model does not take is refused."""
    return next((levels for pattern, levels in _LEVELS if re.match(pattern, model)), THREE)


def thinking_config(model: str, wanted: Any = None) -> dict[str, Any]:
    """`wanted`: true or false, a level, or a number of tokens (-1: as the model likes); None where nobody said."""
    if wanted is None or wanted is True:
        return {"includeThoughts": True} if wanted or thinks(model) else {}
    takes_levels = thinks(model) and not model.startswith("gemini-2.5")
    if wanted is False:
        if takes_levels:
            return {"thinkingLevel": levels_of_gemini(model)[0]}
        least = 128 if model.startswith(_OFF_AT_128) else 0
        return {"thinkingBudget": least} if thinks(model) else {}
    if isinstance(wanted, int):
        return {"includeThoughts": True, "thinkingBudget": wanted}
    level = str(wanted).strip().lower()
    if takes_levels or level not in BUDGETS:
        return {"includeThoughts": True, "thinkingLevel": level}
    return {"includeThoughts": True, "thinkingBudget": BUDGETS[level]}
