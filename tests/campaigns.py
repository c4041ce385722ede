"""How much a test makes up: a share of it in every run, all of it in a campaign
(AGENT_TUI_RANDOM=1)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
WHOLE = bool(os.environ.get("AGENT_TUI_RANDOM"))


def examples(whole: int) -> int:
    """How many examples Hypothesis makes of a test that has `whole` of them in a campaign."""
    return whole if WHOLE else max(whole // 4, 10)


def share(cases: Sequence[T], number: int, of: int) -> Sequence[T]:
    """What a run tries of `cases` where each is tried in `of` places that have nothing to do with
    it: each case in one place, another one for each `number`. A campaign tries all everywhere."""
    return cases if WHOLE else cases[number % of :: of]
