"""What is known of Claude models by their names, and how each generation is asked to think."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

ANSWER: Final = 4_096
"""Tokens of an answer where nothing is known of the model: the dialect wants a number in every
request."""
MOST_ANSWER: Final = 32_000
"""Tokens of an answer at most, unless the person says otherwise: older models take it off their
window."""
LEAST_BUDGET: Final = 1_024
"""The smallest budget for thinking that the server takes."""
BUDGETS: Final[Mapping[str, int]] = {
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 24_576,
    "max": 65_536,
}
"""What a level means to models that are given tokens to think with."""
_MAY_REST: Final = re.compile("opus|sonnet|haiku")
_VERSION: Final = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


@dataclass(frozen=True, slots=True)
class Facts:
    """`answer`: the most tokens it writes; `thinks`: by its own measure, with a budget, or not; 0 and
    None: unknown."""

    version: tuple[int, int] | None = None
    window: int = 0
    answer: int = 0
    thinks: Literal["adaptive", "budget", "never"] | None = None
    off: Literal["unsaid", "said", "never"] = "unsaid"
    """How it is told not to think: by saying nothing of it, in a word, or not at all."""


def facts(model: str) -> Facts:
    found = _VERSION.search(model)
    if found is None:
        return Facts()
    version = (int(found[1]), int(found[2] or 0))
    if version >= (
        5,
        0,
    ):  # these think unless they are told not to, and the later ones cannot do without
        off: Literal["said", "never"] = (
            "said" if version == (5, 0) and _MAY_REST.search(model) else "never"
        )
        return Facts(version, 1_000_000, 128_000, "adaptive", off)
    if version >= (4, 6):
        return Facts(version, 1_000_000, 128_000, "adaptive")
    if version >= (4, 0):
        return Facts(
            version, 200_000, 32_000 if "opus" in model and version < (4, 5) else 64_000, "budget"
        )
    if version >= (3, 7):
        return Facts(version, 200_000, 64_000, "budget")
    return Facts(version, 200_000, 8_192 if version >= (3, 5) else 4_096, "never")


def answer_tokens(known: Facts, wanted: int = 0) -> int:
    """The most tokens to write: `wanted` as far as the model can, else what is sensible for it."""
    if wanted:
        return min(wanted, known.answer or wanted)
    return min(known.answer or ANSWER, MOST_ANSWER)


def thinking(known: Facts, wanted: object, answer: int) -> dict[str, dict[str, str | int]]:
    """The fields that ask for thinking. `wanted`: true, false, a level or tokens; None: think where
    it is known how.

    Thoughts count as part of `answer` tokens: where those are few, there are none to think with.
    """
    if wanted is False and known.off == "said":
        return {"thinking": {"type": "disabled"}}
    if wanted is False and known.off == "never":
        wanted = "low"  # the least that it can
    if wanted is False or known.thinks == "never" or (wanted is None and known.thinks is None):
        return {}
    level = wanted if isinstance(wanted, str) and wanted in BUDGETS else ""
    if answer < 2 * LEAST_BUDGET:
        return {}
    if known.thinks == "adaptive":
        # From 4.7 on thoughts come empty, unless they are asked for.
        asked: dict[str, dict[str, str | int]] = {"thinking": {"type": "adaptive"}}
        if known.version and known.version >= (4, 7):
            asked["thinking"]["display"] = "summarized"
        if level:
            asked["output_config"] = {"effort": level}
        return asked
    tokens = (
        wanted
        if isinstance(wanted, int) and not isinstance(wanted, bool)
        else BUDGETS[level or "medium"]
    )
    return {
        "thinking": {
            "type": "enabled",
            "budget_tokens": max(LEAST_BUDGET, min(tokens, answer * 3 // 4)),
        }
    }
