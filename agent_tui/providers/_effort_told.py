"""What each level of effort means to a model, in words: read off the very fields that its requests get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from agent_tui.protocol.answers import EffortLevel
from agent_tui.protocol.ops import EFFORTS
from agent_tui.providers import _anthropic_models as claude
from agent_tui.providers import _effort_of_services as services
from agent_tui.providers._effort import THREE, level, of_ollama, of_openai
from agent_tui.providers._gemini_thinking import levels_of_gemini, thinking_config

SWITCHES: Final = 4
"""So many levels that differ are all on the key; of more, the three that everybody knows."""
SCRIPTED: Final = "ignores the thinking effort"
_LEVELS: Final = ("reasoning_effort", "effort", "thinkingLevel", "think")
_TOKENS: Final = ("thinking_budget", "thinkingBudget", "budget_tokens")
_SWITCHES: Final = ("enable_thinking", "enabled", "think")
_RATHER: Final = ("high", "medium", "low", *EFFORTS)
"""Which of several levels that mean the same stands for them, where none is called as its server calls it."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level as it is `shown`, and the server's own word for it, if it has one."""

    shown: EffortLevel
    told: str = ""


def levels(provider: str, model: str, thinks: bool | None = None) -> tuple[Level, ...]:
    """What each level means to `model`; nothing where it cannot be told. `thinks`: what its server says of it."""
    if provider in ("demo", "scripted"):
        return tuple(Level(EffortLevel(one, SCRIPTED)) for one in EFFORTS)
    if thinks is False or not services.heeds(provider, model):
        return ()
    return tuple(_level(one, _fields(provider, model, one)) for one in EFFORTS)


def cycle(found: tuple[Level, ...]) -> tuple[str, ...]:
    """The levels that the key goes through: one of each meaning, or the three well-known ones of many."""
    if not found:
        return ()
    names = tuple(_named(tuple(same)) for _, same in groupby(found, lambda one: _meaning(one.shown.about)))
    return names if 1 < len(names) <= SWITCHES else THREE


def _named(same: tuple[Level, ...]) -> str:
    names = [one.shown.level for one in same]
    own = [name for name, one in zip(names, same, strict=True) if name == one.told]
    return own[0] if own else min(names, key=_RATHER.index)


def _fields(provider: str, model: str, wanted: str) -> dict[str, Any]:
    """What a request says of it."""
    match provider:
        case "openai" | "azure":
            return {"reasoning_effort": of_openai(model, wanted, "")}
        case "anthropic":
            known = claude.facts(model)
            asked = level(wanted, None, tuple(claude.BUDGETS))
            return claude.thinking(known, asked, claude.answer_tokens(known))
        case "gemini":
            return {**thinking_config(model, level(wanted, None, levels_of_gemini(model))), "includeThoughts": None}
        case "ollama":
            return {"think": of_ollama(model, wanted, None)}
        case _:
            return services.of_service(provider, model, wanted)


def _leaves(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if isinstance(value, Mapping):
            yield from _leaves(value)
        else:
            yield key, value


def _level(wanted: str, fields: Mapping[str, Any]) -> Level:
    said = dict(_leaves(fields))
    told = next((said[key] for key in _LEVELS if isinstance(said.get(key), str)), "")
    tokens = next((said[key] for key in _TOKENS if key in said), None)
    off = any(said.get(key) is False for key in _SWITCHES) or said.get("type") == "disabled"
    if off or told == "none" or tokens == 0:
        return Level(EffortLevel(wanted, "does not think" + ("" if wanted == "none" else _NEAREST)), "none")
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
