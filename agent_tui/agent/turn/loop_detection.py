"""Is the model going round in circles? What a turn has done so far says it.

Results count: polling something that changes is not stuck. Tools that declare `research` are
counted as well, because looking up ever new variations of a question never repeats itself exactly.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from agent_tui.structures.frozen import frozen

REPEATS: Final = 3
"""Equal rounds in a row that are a loop."""
LONGEST_ROUND: Final = 4
"""Steps of a round: A B A B A B is a loop as well."""
FAILURES: Final = 4
"""Failures of one tool on one file, without a success between them."""
NOTHING_NEW: Final = 8
"""Steps in a row that only did again what this turn did before, with the same results."""
RESEARCH_NUDGE: Final = 3
"""Varied research calls in a turn after which the model is told to conclude."""
RESEARCH_ASK: Final = 6
"""Varied research calls in a turn after which the person is asked, and again after as many more."""
HINT: Final = (
    "\n\n[note: {} Change the approach: do something else, or say what you need. If it goes on, "
    "this turn is held.]"
)
_ANSWERED: Final = ("Error [denied]", "Error [cancelled]", "Error [blocked]")
"""What a person or a rule said is no failure of the tool."""
_TARGETS: Final = ("path", "file_path", "filename", "file", "filepath")

Signature = tuple[tuple[str, str, str], ...]


@frozen
class Outcome:
    """One call of a step and what came of it."""

    name: str
    arguments: str
    result: str
    research: bool = False


class LoopGuard:
    """Watches one turn. The model gets one hint; what goes on after it is for the person."""

    def __init__(self) -> None:
        self._signatures: list[Signature] = []
        self._seen: set[tuple[str, str, str]] = set()
        self._stale = 0
        """Steps in a row that brought nothing new."""
        self._failures: dict[tuple[str, str], int] = {}
        self._failing: tuple[str, str] | None = None
        self._is_hinted = False
        self._reason = ""

    def add(self, step: Sequence[Outcome]) -> str:
        """Take note of a step; the hint for the model, where it is time for that."""
        self._reason = ""
        if not step:
            return ""
        signature = signature_of(step)
        self._signatures.append(signature)
        is_new = not self._seen.issuperset(signature)
        self._stale = 0 if is_new else self._stale + 1
        self._seen.update(signature)
        self._failing = None
        for outcome in step:
            self._count_failure(outcome)
        reason = self._find_reason()
        if not reason:
            return ""
        if self._is_hinted:
            self._reason = reason
            return ""
        self._is_hinted = True
        return HINT.format(reason)

    @property
    def hold_reason(self) -> str:
        """Why the turn is held after its newest step; empty: it is not."""
        return self._reason

    def _count_failure(self, outcome: Outcome) -> None:
        target = target_of(outcome.arguments)
        if not target or outcome.result.startswith(_ANSWERED):
            return
        place = (outcome.name, target)
        if not outcome.result.startswith("Error ["):
            self._failures.pop(place, None)
            return
        self._failures[place] = self._failures.get(place, 0) + 1
        if self._failures[place] >= FAILURES:
            self._failing = place

    def _find_reason(self) -> str:
        if period := repeated_round(self._signatures):
            last = self._signatures[-period:]
            names = ", ".join(sorted({name for step in last for name, _, _ in step}))
            if period == 1:
                return f"The same call ({names}) gave the same result three times in a row."
            return f"The same {period} steps ({names}) gave the same results three times in a row."
        if self._failing is not None:
            name, target = self._failing
            return f"{name} failed {self._failures[self._failing]} times on {target}."
        if self._stale >= NOTHING_NEW:
            return f"The last {self._stale} steps brought nothing new."
        return ""


def repeated_round(steps: Sequence[Signature]) -> int:
    """How many steps the round has that was made three times in a row at the end; 0: there is
    none."""
    for period in range(1, LONGEST_ROUND + 1):
        last = steps[-REPEATS * period :]
        if len(last) == REPEATS * period and all(
            last[at] == last[at + period] for at in range(len(last) - period)
        ):
            return period
    return 0


def research_calls(steps: Sequence[Sequence[Outcome]]) -> int:
    """How many different research calls the steps made."""
    return len({(o.name, _canonical(o.arguments)) for step in steps for o in step if o.research})


def research_reason(steps: Sequence[Sequence[Outcome]]) -> str:
    """Why the turn is held after these steps for its look-ups, in words for the person; empty: it
    is not."""
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


def signature_of(step: Sequence[Outcome]) -> Signature:
    """What was called, and what came of it, in any order."""
    return tuple(sorted((o.name, _canonical(o.arguments), o.result) for o in step))


def target_of(arguments: str) -> str:
    """The file that a call names; empty: none."""
    try:
        data = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    found = (data.get(name) for name in _TARGETS) if isinstance(data, dict) else ()
    return next((one for one in found if isinstance(one, str)), "")


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (
        ValueError,
        RecursionError,
    ):  # no JSON, or brackets without end: compared as they are written
        return arguments
