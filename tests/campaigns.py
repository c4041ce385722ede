"""How much a test makes up: a share of it in every run, all of it in a campaign
(AGENT_TUI_RANDOM=1)."""

from __future__ import annotations

import os

WHOLE = bool(os.environ.get("AGENT_TUI_RANDOM"))


def examples(whole: int) -> int:
    """How many examples Hypothesis makes of a test that has `whole` of them in a campaign."""
    return whole if WHOLE else max(whole // 4, 10)
