"""How hard a person wants a model to think, as each provider says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from agent_tui.providers.services import of
from agent_tui.providers.services.base import THREE as THREE
from agent_tui.providers.services.base import Fields, nearest
from agent_tui.structures.vocabulary import EFFORTS


def level(wanted: str, own: object, levels: tuple[str, ...]) -> object:
    """What a request asks for: `wanted` as the provider knows it (False: no thinking), else its
    `own` setting."""
    if wanted not in EFFORTS:
        return own
    return False if wanted == "none" else nearest(wanted, levels)


_OPENAI: Final = (
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


def levels_of_openai(model: str) -> tuple[str, ...]:
    name = model.rpartition("/")[2].lower()
    return next((levels for pattern, levels in _OPENAI if re.match(pattern, name)), THREE)


def of_openai(model: str, wanted: str, own: str) -> str:
    """One of the levels that the model takes; `own`, the person's word for this provider, is sent
    as it is."""
    return nearest(wanted, levels_of_openai(model)) if wanted in EFFORTS else own


def of_ollama(model: str, wanted: str, own: object) -> object:
    """Only gpt-oss has levels; the others think or do not."""
    found = level(wanted, own, THREE)
    return found if wanted not in EFFORTS or "gpt-oss" in model else bool(found)


def of_service(name: str, model: str, wanted: str) -> Fields:
    """The fields that tell the service `name` how hard its `model` shall think; none where it has
    no word for it."""
    if wanted not in EFFORTS:
        return {}
    family = model.rpartition("/")[2].lower()
    rows = (of(name).effort or {}).items()
    return next((words(wanted) for pattern, words in rows if re.match(pattern, family)), {})


BUDGETS: Final[Mapping[str, int]] = {
    "minimal": 512,
    "low": 1_024,
    "medium": 8_192,
    "high": 24_576,
    "xhigh": 24_576,
}
"""Tokens for a level, where only tokens are understood; every model that does takes these."""
_THINKS: Final = re.compile(
    r"gemini-(2\.5|[3-9]|[1-9]\d|(pro|flash|flash-lite)-latest)(?!.*(image|tts|audio|live))"
)
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
    """Whether `model` is known to think, by its name: one that does not refuses a request that
    speaks of it."""
    return _THINKS.match(model) is not None


def levels_of_gemini(model: str) -> tuple[str, ...]:
    """One that a model does not take is refused."""
    return next((levels for pattern, levels in _LEVELS if re.match(pattern, model)), THREE)


def thinking_config(model: str, wanted: object = None) -> dict[str, object]:
    """`wanted`: true or false, a level, or a number of tokens (-1: as the model likes); None where
    nobody said."""
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
