"""How hard a person wants a model to think, as each provider says it, and what each level means in
words: read off the very fields that a request gets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from agent_tui import registry
from agent_tui.protocol.answers import EffortLevel
from agent_tui.providers.services import service_of
from agent_tui.providers.services.base import THREE as THREE
from agent_tui.providers.services.base import Fields, nearest_level
from agent_tui.structures.frozen import frozen
from agent_tui.structures.vocabulary import EFFORTS


def level(wanted: str, own: object, levels: tuple[str, ...]) -> object:
    """What a request asks for: `wanted` as the provider knows it (False: no thinking), else its
    `own` setting."""
    if wanted not in EFFORTS:
        return own
    return False if wanted == "none" else nearest_level(wanted, levels)


def of_service(name: str, model: str, wanted: str) -> Fields:
    """The fields that tell the service `name` how hard its `model` shall think; none where it has
    no word for it."""
    if wanted not in EFFORTS:
        return {}
    family = model.rpartition("/")[2].lower()
    rows = (service_of(name).effort or {}).items()
    return next((words(wanted) for pattern, words in rows if re.match(pattern, family)), {})


PACKAGE: Final = "agent_tui.providers"
SWITCHES: Final = 4
"""So many levels that differ are all on the key; of more, the three that everybody knows."""
_LEVELS: Final = ("reasoning_effort", "effort", "thinkingLevel", "think")
_TOKENS: Final = ("thinking_budget", "thinkingBudget", "budget_tokens")
_SWITCHES: Final = ("enable_thinking", "enabled", "think")
_RATHER: Final = ("high", "medium", "low", *EFFORTS)
"""Which of several levels that mean the same stands for them, where none is called as its server
calls it."""


@frozen
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
    """Whether it makes a difference to say it to the model of a provider; true where nobody
    knows."""
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
