"""How hard a person wants a model to think, as each provider says it."""

from __future__ import annotations

from typing import Any, Final

from agent_tui.protocol.ops import EFFORTS

THREE: Final = ("low", "medium", "high")
"""The levels that everybody with levels knows."""


def nearest(wanted: str, levels: tuple[str, ...]) -> str:
    """The level of `levels` that is nearest to what is `wanted`; the lower of two."""
    place = EFFORTS.index(wanted)
    return min(levels, key=lambda level: (abs(EFFORTS.index(level) - place), EFFORTS.index(level)))


def level(wanted: str, own: Any, levels: tuple[str, ...]) -> Any:
    """What a request asks for: `wanted` as the provider knows it (False: no thinking), else its `own` setting."""
    if wanted not in EFFORTS:
        return own
    return False if wanted == "none" else nearest(wanted, levels)


def of_openai(model: str, wanted: str, own: str) -> str:
    """One of the levels that every model of the family takes; `own`, the person's word for this provider, is sent as
    it is."""
    least = ("minimal",) if model.startswith("gpt-5") else ()
    return nearest(wanted, (*least, *THREE)) if wanted in EFFORTS else own


def of_ollama(model: str, wanted: str, own: Any) -> Any:
    """Only gpt-oss has levels; the others think or do not."""
    found = level(wanted, own, THREE)
    return found if wanted not in EFFORTS or "gpt-oss" in model else bool(found)
