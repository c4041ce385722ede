"""How hard a person wants a model to think, as each provider says it, and what each level means in
words: read off the very fields that a request gets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from agent_tui import registry
from agent_tui.protocol.answers import EffortLevel
from agent_tui.providers.services import service_of
from agent_tui.providers.services.base import THREE as THREE
from agent_tui.providers.services.base import Fields, nearest_level
from agent_tui.structures.vocabulary import EFFORTS


def level(wanted: str, own: object, levels: tuple[str, ...]) -> object:
    """What a request asks for: `wanted` as the provider knows it (False: no thinking), else its
    `own` setting."""
    if wanted not in EFFORTS:
        return own
    return False if wanted == "none" else nearest_level(wanted, levels)


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
    return nearest_level(wanted, levels_of_openai(model)) if wanted in EFFORTS else own


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
    rows = (service_of(name).effort or {}).items()
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
_GEMINI: Final = (
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
    return next((levels for pattern, levels in _GEMINI if re.match(pattern, model)), THREE)


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


PACKAGE: Final = "agent_tui.providers"
SWITCHES: Final = 4
"""So many levels that differ are all on the key; of more, the three that everybody knows."""
_LEVELS: Final = ("reasoning_effort", "effort", "thinkingLevel", "think")
_TOKENS: Final = ("thinking_budget", "thinkingBudget", "budget_tokens")
_SWITCHES: Final = ("enable_thinking", "enabled", "think")
_RATHER: Final = ("high", "medium", "low", *EFFORTS)
"""Which of several levels that mean the same stands for them, where none is called as its server
calls it."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level as it is `shown`, and the server's own word for it, if it has one."""

    shown: EffortLevel
    told: str = ""


def levels(provider: str, model: str, thinks: bool | None = None) -> tuple[Level, ...]:
    """What each level means to `model`; nothing where it cannot be told. `thinks`: what its server
    says of it."""
    if thinks is False or not heeds(provider, model):
        return ()
    return tuple(_level(one, _fields(provider, model, one) or {}) for one in EFFORTS)


def heeds(provider: str, model: str) -> bool:
    """Whether it makes a difference to say it to the model of a provider; true where nobody knows."""
    return not service_of(provider).is_played and _fields(provider, model, "high") is not None


def cycle(found: tuple[Level, ...]) -> tuple[str, ...]:
    """The levels that the key goes through: one of each meaning, or the three well-known ones of
    many."""
    if not found:
        return ()
    names = tuple(
        _named(tuple(same)) for _, same in groupby(found, lambda one: _meaning(one.shown.about))
    )
    return names if 1 < len(names) <= SWITCHES else THREE


def _named(same: tuple[Level, ...]) -> str:
    names = [one.shown.level for one in same]
    own = [name for name, one in zip(names, same, strict=True) if name == one.told]
    return own[0] if own else min(names, key=_RATHER.index)


def _fields(provider: str, model: str, wanted: str) -> Fields | None:
    """What a request says of it, in the dialect of the provider."""
    said: Fields | None = registry.load(PACKAGE, service_of(provider).dialect, "effort")(
        provider, model, wanted
    )
    return said


def _leaves(fields: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in fields.items():
        if isinstance(value, Mapping):
            yield from _leaves(value)
        else:
            yield key, value


def _level(wanted: str, fields: Mapping[str, object]) -> Level:
    said = dict(_leaves(fields))
    told = next((level for key in _LEVELS if isinstance(level := said.get(key), str)), "")
    tokens = next((said[key] for key in _TOKENS if key in said), None)
    off = any(said.get(key) is False for key in _SWITCHES) or said.get("type") == "disabled"
    if off or told == "none" or tokens == 0:
        return Level(
            EffortLevel(wanted, "does not think" + ("" if wanted == "none" else _NEAREST)), "none"
        )
    if wanted == "none" and not said:
        return Level(EffortLevel(wanted, "is not asked to think"), "none")
    about = f"thinks with effort {told}" if told else "thinks by its own default"
    about = f"thinks with up to {tokens:,} tokens" if tokens else about
    if wanted == "none":
        return Level(EffortLevel(wanted, f"{about}{_NEVER}"), told)
    return Level(EffortLevel(wanted, about + (_NEAREST if told and told != wanted else "")), told)


_NEAREST: Final = ", the closest level that it has"
_NEVER: Final = ": it cannot turn thinking off"


def _meaning(about: str) -> str:
    return about.removesuffix(_NEAREST).removesuffix(_NEVER)
