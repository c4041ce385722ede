"""Is the model going round in circles? Pure functions over what a turn has done so far.

The same calls with the same results, three steps in a row, hold the turn. Results count: polling
something that changes is not stuck. Tools that declare `research` are counted as well, because
looking up ever new variations of a question never repeats itself exactly.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

REPEATS: Final = 3
"""Equal steps in a row that hold the turn."""
RESEARCH_NUDGE: Final = 3
"""Varied research calls in a turn after which the model is told to conclude."""
RESEARCH_ASK: Final = 6
"""Varied research calls in a turn after which the person is asked, and again after as many more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call of a step and what came of it."""

    name: str
    arguments: str
    result: str
    research: bool = False


def is_repeating(steps: Sequence[tuple[Outcome, ...]]) -> bool:
    """Whether the last three steps made the same calls and got the same results."""
    if len(steps) < REPEATS or not steps[-1]:
        return False
    last = [_signature(step) for step in steps[-REPEATS:]]
    return last[0] == last[1] == last[2]


def research_calls(steps: Sequence[tuple[Outcome, ...]]) -> int:
    """How many different research calls the steps made."""
    return len({(o.name, _canonical(o.arguments)) for step in steps for o in step if o.research})


def hold_reason(steps: Sequence[tuple[Outcome, ...]]) -> str:
    """Why the turn should be held after these steps, in words for the person; empty when it should
    go on."""
    if is_repeating(steps):
        calls = ", ".join(sorted({outcome.name for outcome in steps[-1]}))
        return f"The same call ({calls}) gave the same result three times in a row."
    now, before = research_calls(steps), research_calls(steps[:-1])
    if now // RESEARCH_ASK > before // RESEARCH_ASK:
        return f"The model has made {now} look-ups in this turn."
    return ""


def nudge(count: int) -> str:
    """What the model is told with the result of its `count`-th varied research call of a turn;
    mostly nothing."""
    if count != RESEARCH_NUDGE:
        return ""
    return (
        f"\n\n[note: this was look-up number {count} of this turn. If you know enough, answer now.]"
    )


def _signature(step: tuple[Outcome, ...]) -> list[tuple[str, str, str]]:
    return sorted((o.name, _canonical(o.arguments), o.result) for o in step)


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (
        ValueError,
        RecursionError,
    ):  # no JSON, or brackets without end: compared as they are written
        return arguments
