"""When a request that failed is sent again by itself, and what is offered where it is not."""

from __future__ import annotations

import random
from typing import Final

from agent_tui.agent.history import History
from agent_tui.protocol.session_events import ErrorRaised
from agent_tui.providers.base import Failed, Finished

MAX_ATTEMPTS: Final = 5
BACKOFF_CAP: Final = 20.0
RETRY_AFTER_CAP: Final = 120.0
"""Seconds: who is told to wait longer decides for themselves."""
DAY: Final = 86_400.0
ATTEMPTS_BEFORE_ANOTHER: Final = 3
WAIT_BEFORE_ANOTHER: Final = 10.0
"""The same where another model could answer."""
FILTERED: Final = "content_filter"
"""How the failure is called where a filter stopped the answer."""
SPREAD: Final = 0.1
"""So much longer, at most, than a server asks for: those whom it told the same do not come back together."""


def delay(attempt: int, told: float | None, chance: float) -> float:
    """Seconds from failure number `attempt` until the next try: twice as many each time, never fewer than the server
    told; `chance`, from 0 to 1, is the jitter."""
    backoff = min(BACKOFF_CAP, 2.0 ** (attempt - 1)) * (0.5 + 0.5 * chance)
    return backoff if told is None else max(backoff, told * (1 + SPREAD * chance))


def again(attempt: int, failed: Failed, spoken: bool, other: bool = False) -> float | None:
    """Seconds until `failed` is tried again; None where it is not. An answer of which there are words (`spoken`; not
    only thoughts or part of a call) is never asked for twice without a word of the person. `other`: another model could
    answer, so patience is shorter."""
    most, longest = (ATTEMPTS_BEFORE_ANOTHER, WAIT_BEFORE_ANOTHER) if other else (MAX_ATTEMPTS, RETRY_AFTER_CAP)
    if spoken or not failed.may_pass or attempt >= most or (failed.retry_after or 0.0) > longest:
        return None
    return delay(attempt, failed.retry_after, random.random())


def raised(failed: Failed, kept: bool) -> ErrorRaised:
    """How the failure is told. `kept`: what was asked stays in the conversation, so that it can be asked once more."""
    hints = [failed.hint] if failed.hint else []
    wait = failed.retry_after or 0.0
    if wait > RETRY_AFTER_CAP:
        hints.append(f"it asks to wait {f'{wait:,.0f} s' if wait < DAY else 'more than a day'}")
    if kept and failed.may_pass:
        hints = [hint for hint in hints if hint != "try again"] + ["/retry sends it again"]
    return ErrorRaised(text=failed.text, kind=failed.kind, hint="; ".join(hints), may_pass=failed.may_pass)


def why_filtered(end: Finished) -> str:
    """What is said of an answer that was stopped by a filter, in the words of its server."""
    why = end.why.rstrip(".")
    return f"A filter stopped the answer{': ' if why else ''}{why}."


def stopped_by_filter(end: Finished, history: History, interactive: bool) -> ErrorRaised:
    """What came of the answer is kept; where nothing came, the prompt goes back to the person. As long as an answer
    that was stopped is in the conversation, servers tend to stop the next one too."""
    hint = "ask in other words, or choose another model (-m)"
    if interactive:
        hint = f"{'/rewind and ' if history.answered() else ''}ask in other words, or choose another /model"
    return ErrorRaised(text=why_filtered(end), kind=FILTERED, hint=hint)
