"""When a request that failed is sent again by itself, and what is offered where it is not."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from agent_tui.agent.services.models import Models
from agent_tui.agent.session.history import History
from agent_tui.protocol.events import Event, Notice
from agent_tui.protocol.messages import ModelInfo
from agent_tui.protocol.session_events import ErrorRaised
from agent_tui.providers.base import Failed, FailureKind, Finished, Provider
from agent_tui.providers.choosing import choose
from agent_tui.structures.frozen import frozen

MAX_ATTEMPTS: Final = 5
BACKOFF_CAP: Final = 20.0
RETRY_AFTER_CAP: Final = 120.0
"""Seconds: who is told to wait longer decides for themselves."""
DAY: Final = 86_400.0
ATTEMPTS_BEFORE_ANOTHER: Final = 3
WAIT_BEFORE_ANOTHER: Final = 10.0
"""The same where another model could answer."""
LEAST_LEFT: Final = 0.1
"""Seconds that are worth one more try."""
FILTERED: Final = "content_filter"
"""How the failure is called where a filter stopped the answer."""
SPREAD: Final = 0.1
"""So much longer, at most, than a server asks for: those whom it told the same do not come back
together."""


def delay(attempt: int, told: float | None, chance: float) -> float:
    """Seconds from failure number `attempt` until the next try: twice as many each time, never
    fewer than the server told; `chance`, from 0 to 1, is the jitter."""
    backoff = min(BACKOFF_CAP, 2.0 ** (attempt - 1)) * (0.5 + 0.5 * chance)
    return backoff if told is None else max(backoff, told * (1 + SPREAD * chance))


class Patience:
    """How long one answer is waited for: a few tries, and beyond them until `wait` seconds after
    the first failure. One answer that broke off goes on where it stopped, once."""

    def __init__(self, wait: float = 0.0) -> None:
        self._wait, self._until = wait, 0.0
        self.attempt = 0
        self._may_continue = True

    def begin_anew(self) -> None:
        """Another model answers: it has failed nothing yet."""
        self.attempt, self._until = 0, 0.0

    def delay(self, failed: Failed, other: bool) -> float | None:
        """Seconds until what has said nothing yet is asked for again; None: it is not."""
        now = time.monotonic()
        self._until = self._until or now + self._wait
        return retry_delay(self.attempt, failed, False, other, self._until - now)

    def continuation_delay(self, failed: Failed) -> float | None:
        """Seconds until an answer that broke off behind some words goes on; None: it does not."""
        wait = self.delay(failed, False) if self._may_continue else None
        if wait is not None:
            self._may_continue = False
            self.begin_anew()
        return wait


def retry_delay(
    attempt: int, failed: Failed, spoken: bool, other: bool = False, left: float = 0.0
) -> float | None:
    """Seconds until `failed` is tried again; None where it is not. An answer of which there are
    words (`spoken`; not only thoughts or part of a call) is never asked for twice. `other`: another
    model could answer, so patience is shorter; `left`: seconds for which more tries may be waited.
    """
    most, longest = (
        (ATTEMPTS_BEFORE_ANOTHER, WAIT_BEFORE_ANOTHER) if other else (MAX_ATTEMPTS, RETRY_AFTER_CAP)
    )
    if spoken or not failed.may_pass:
        return None
    asked = failed.retry_after or 0.0
    wait = delay(min(attempt, MAX_ATTEMPTS), failed.retry_after, random.random())
    if attempt < most and asked <= longest:
        return wait
    if other or left < max(asked, LEAST_LEFT):
        return None
    return min(wait, left)


def error_event(failed: Failed, kept: bool) -> ErrorRaised:
    """How the failure is told. `kept`: what was asked stays in the conversation, so that it can be
    asked once more."""
    hints = [failed.hint] if failed.hint else []
    wait = failed.retry_after or 0.0
    if wait > RETRY_AFTER_CAP:
        hints.append(f"it asks to wait {f'{wait:,.0f} s' if wait < DAY else 'more than a day'}")
    if kept and failed.may_pass:
        hints = [hint for hint in hints if hint != "try again"] + ["/retry sends it again"]
    return ErrorRaised(
        text=failed.text, kind=failed.kind, hint="; ".join(hints), may_pass=failed.may_pass
    )


def why_filtered(end: Finished) -> str:
    """What is said of an answer that was stopped by a filter, in the words of its server."""
    why = end.why.rstrip(".")
    return f"A filter stopped the answer{': ' if why else ''}{why}."


def stopped_by_filter(end: Finished, history: History, interactive: bool) -> ErrorRaised:
    """What came of the answer is kept; where nothing came, the prompt goes back to the person. As
    long as an answer that was stopped is in the conversation, servers tend to stop the next one
    too."""
    hint = "ask in other words, or choose another model (-m)"
    if interactive:
        hint = f"{'/rewind and ' if history.has_answered() else ''}ask in other words, or choose another /model"
    return ErrorRaised(text=why_filtered(end), kind=FILTERED, hint=hint)


OWN_FAULT: Final[tuple[FailureKind, ...]] = ("overflow", "bad_request")
"""What lies in the request: another model would have the same to say."""


@frozen
class Other:
    """A model that answers instead."""

    provider: Provider
    info: ModelInfo


class Fallbacks:
    """The models of the chain, each made once, when it is first needed."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._made: dict[str, Other] = {}

    def chain(self, first: str, emit: Callable[[Event], None]) -> Chain:
        """The chain of one turn, which begins with the model `first` again."""
        return Chain(
            self,
            [name for name in self._models.config.settings.fallback if name != first],
            first,
            emit,
        )

    async def make(self, name: str) -> Other | str:
        """The model `name`; or why it is not there."""
        if name not in self._made:
            choice = await choose.choose(name, self._models.config, self._models.unlock)
            if choice.provider is None:
                return "; ".join(tried.result for tried in choice.tried)
            info = choice.info or ModelInfo(f"{choice.provider.name}/{choice.provider.model}")
            self._made[name] = Other(choice.provider, info)
        return self._made[name]

    async def close(self) -> None:
        made, self._made = self._made, {}
        for other in made.values():
            await other.provider.close()


class Chain:
    """Which models are left in a turn."""

    def __init__(
        self, fallbacks: Fallbacks, names: list[str], first: str, emit: Callable[[Event], None]
    ) -> None:
        self._fallbacks, self._names, self._emit = fallbacks, names, emit
        self._asked = {first}

    @property
    def has_more(self) -> bool:
        return bool(self._names)

    async def next_model(self, failed: Failed) -> Other | None:
        """Who answers now that one `failed`, for the rest of the turn; None: nobody."""
        while self._names and failed.kind not in OWN_FAULT:
            name = self._names.pop(0)
            found = await self._fallbacks.make(name)
            if isinstance(found, Other):
                if found.info.name in self._asked:
                    continue  # the one that failed, under another name of its
                self._asked.add(found.info.name)
                said = f"{failed.text}. In this turn {found.info.name} answers instead."
                self._emit(
                    Notice(said, "warning", "" if failed.may_pass else failed.hint)
                )  # nobody is to try again
                return found
            self._emit(Notice(f"{name} cannot answer instead: {found}", "warning"))
        return None
