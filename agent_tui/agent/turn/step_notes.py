"""What the model is told with the results of a step: that it goes round in circles, and that its
steps come to an end. It stands in the result of the call that ends last, so that requests only
grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from agent_tui.agent.turn.loop_detection import LoopGuard, Outcome
from agent_tui.protocol.events import Event, ToolEnded
from agent_tui.protocol.messages import ToolCall
from agent_tui.providers.services import service_of
from agent_tui.providers.wire.addresses import is_near

LOCAL_STEPS: Final = 50
HOSTED_STEPS: Final = 200
"""Steps of a turn where the person sets no limit: a model of one's own is more often lost."""
NEAR_END: Final = (5, 1)
"""Steps that are left when the model is told so."""
SHORT: Final = 10
"""A limit below this was set for something small, by somebody who knows it."""


class Named(Protocol):
    """A provider, as far as it matters here."""

    name: str


def step_limit(setting: int, provider: Named) -> int:
    """The most steps of a turn: as the person says, else by where the model runs."""
    if setting:
        return setting
    service, address = service_of(provider.name), str(getattr(provider, "base_url", ""))
    is_local = service.near or service.is_played or is_near(address)
    return LOCAL_STEPS if is_local else HOSTED_STEPS


def steps_left_note(step: int, limit: int) -> str:
    """What the model is told after step number `step`; mostly nothing."""
    left = limit - step
    if limit < SHORT or left not in NEAR_END:
        return ""
    steps = "1 step" if left == 1 else f"{left} steps"
    return f"\n\n[note: {steps} left in this turn: finish, or say what is left to do]"


class Inner(Protocol):
    """The journal that a `StepJournal` writes into."""

    number: int
    step: int

    def emit(self, event: Event) -> None: ...
    def open_call(self, call: ToolCall, cancelled: Callable[[], ToolEnded]) -> None: ...
    def close_call(self, call: ToolCall) -> None: ...


class StepJournal:
    """The journal of one step's calls: puts the notes into the last result."""

    def __init__(
        self, inner: Inner, calls: Sequence[ToolCall], guard: LoopGuard, limit: int
    ) -> None:
        self._inner, self._guard, self._limit = inner, guard, limit
        self._open = {call.id: call for call in calls}
        self._left = len(calls)
        self._outcomes: list[Outcome] = []
        self.number, self.step = inner.number, inner.step

    def open_call(self, call: ToolCall, cancelled: Callable[[], ToolEnded]) -> None:
        self._inner.open_call(call, cancelled)

    def close_call(self, call: ToolCall) -> None:
        self._inner.close_call(call)

    def emit(self, event: Event) -> None:
        if isinstance(event, ToolEnded) and event.call_id in self._open:
            call = self._open[event.call_id]
            self._outcomes.append(Outcome(call.name, call.arguments, event.content))
            self._left -= 1
            if not self._left:
                note = self._guard.add(self._outcomes) + steps_left_note(self.step, self._limit)
                event = replace(event, content=event.content + note)
        self._inner.emit(event)
