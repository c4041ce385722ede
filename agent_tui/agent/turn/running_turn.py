"""A running turn: what it has open, so that whoever ends it can settle everything at once, without
waiting for it.

After `settle` the turn takes nothing more: a task that still unwinds (a blocked stream, a child
that is being killed) can no longer write into the session.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import takewhile
from typing import Final

from agent_tui.agent.turn.argument_repair import parse_object
from agent_tui.protocol.events import (
    AssistantReplied,
    Event,
    Partial,
    SteerSeen,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolEnded,
    UsageReported,
)
from agent_tui.protocol.messages import StopReason, ToolCall
from agent_tui.protocol.transcript import TurnEnd

PARTIAL_SECONDS: Final = 2.0
PARTIAL_CHARS: Final = 4_096


class StreamedCall:
    """A call as its parts come."""

    def __init__(self) -> None:
        self.id = self.name = ""
        self.parts: list[str] = []

    def whole(self) -> ToolCall | None:
        """The call, if nothing of it is missing: its arguments are an object to the last
        bracket."""
        text = "".join(self.parts)
        if not (self.id and self.name and text.strip()) or parse_object(text) is None:
            return None
        return ToolCall(self.id, self.name, text)


class StreamedAnswer:
    """The answer being streamed in one step, and how much of it is on record."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.text_chars = self.thought_chars = 0
        self.stored_text = self.stored_thoughts = 0
        self.stored_at = time.monotonic()
        self.thinking_from = 0.0
        self.thinking_to = 0.0
        self.calls: dict[int, StreamedCall] = {}

    def whole_calls(self) -> tuple[ToolCall, ...]:
        """The calls that came complete, up to the first that did not."""
        calls = (self.calls[index].whole() for index in sorted(self.calls))
        return tuple(takewhile(lambda call: call is not None, calls))  # type: ignore[arg-type]

    @property
    def has_begun(self) -> bool:
        return bool(self.text_chars or self.thought_chars)

    def settle(
        self, stop_reason: StopReason, calls: tuple[ToolCall, ...], provider: str, state: str
    ) -> AssistantReplied:
        return AssistantReplied(
            text="".join(self.texts),
            reasoning="".join(self.thoughts),
            calls=calls,
            provider=provider,
            state=state,
            stop_reason=stop_reason,
            thinking_ms=round((self.thinking_to - self.thinking_from) * 1000),
        )


class Turn:
    """`emit` stamps and stores an event; `number` and `step` say where it belongs."""

    def __init__(
        self,
        number: int,
        emit: Callable[[Event, int], None],
        provider: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.number, self.step = number, 0
        self._emit, self.provider = emit, provider
        self._clock, self._started = clock, clock()
        self.over = False
        self.steers: list[SteerSeen] = []
        """Words of the person that no request holds yet."""
        self.steered: list[SteerSeen] = []
        """Words of the person that entered this turn."""
        self.streaming: StreamedAnswer | None = None
        self.cut: Callable[[AssistantReplied], UsageReported] | None = None
        """What the answer under way took, should it be broken off."""
        self._untold: list[str] = []
        self._delta: type[TextDelta | ThinkingDelta] = TextDelta
        """What the untold pieces are of."""
        self.open: dict[str, Callable[[], ToolEnded]] = {}
        """Calls without a result, and the result that each gets if the turn ends now."""

    @property
    def elapsed_ms(self) -> int:
        """How long it has worked: without the time in which it waited for the person."""
        return round((self._clock() - self._started) * 1000)

    def emit(self, event: Event) -> None:
        self._tell()
        if not self.over:
            self._emit(event, self.step)

    # -- the journal of the executor

    def open_call(self, call: ToolCall, cancelled: Callable[[], ToolEnded]) -> None:
        self.open[call.id] = cancelled

    def close_call(self, call: ToolCall) -> None:
        self.open.pop(call.id, None)

    # -- the answer of a step

    def add_text(self, text: str, at_once: bool = False) -> None:
        """Part of the answer's text; `at_once`: it is all that came together, and need not
        gather."""
        answer = self.streaming = self.streaming or StreamedAnswer()
        answer.texts.append(text)
        answer.text_chars += len(text)
        self._tell_soon(TextDelta, text, at_once)
        self._keep(answer)

    def add_thinking(self, text: str, at_once: bool = False) -> None:
        answer = self.streaming = self.streaming or StreamedAnswer()
        now = time.monotonic()
        answer.thinking_from, answer.thinking_to = answer.thinking_from or now, now
        answer.thoughts.append(text)
        answer.thought_chars += len(text)
        self._tell_soon(ThinkingDelta, text, at_once)
        self._keep(answer)

    def arguments(self, index: int, name: str, text: str, id: str = "") -> None:
        answer = self.streaming = self.streaming or StreamedAnswer()
        call = answer.calls.setdefault(index, StreamedCall())
        call.id, call.name = call.id or id, call.name or name
        call.parts.append(text)
        self.emit(ToolArgsDelta(index=index, name=name, text=text))

    def _tell_soon(self, delta: type[TextDelta | ThinkingDelta], text: str, at_once: bool) -> None:
        """Tell of `text` before the loop waits for anything: what one read of the network brought
        is one delta."""
        if delta is not self._delta:
            self._tell()
            self._delta = delta
        self._untold.append(text)
        if at_once:
            self._tell()
        elif len(self._untold) == 1:
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        if self._untold:
            text = "".join(self._untold)
            self._untold.clear()
            self.emit(self._delta(text=text))

    def settle_reply(
        self, stop_reason: StopReason, calls: tuple[ToolCall, ...] = (), state: str = ""
    ) -> AssistantReplied:
        """Settle the answer of this step."""
        reply = (self.streaming or StreamedAnswer()).settle(
            stop_reason, calls, self.provider, state
        )
        self.streaming = None
        self.emit(reply)
        return reply

    def settle_broken(
        self, stop_reason: StopReason, calls: tuple[ToolCall, ...] = ()
    ) -> AssistantReplied:
        """Settle an answer that did not come to its end, and say what it took."""
        reply, cut = self.settle_reply(stop_reason, calls), self.cut
        self.cut = None
        if cut is not None:
            self.emit(cut(reply))
        return reply

    def void(self) -> None:
        """What was only thought before an answer broke off is dropped, and its cost reported: it is
        asked for again."""
        self._tell()
        answer, cut = self.streaming, self.cut
        self.streaming = self.cut = None
        if answer is not None and answer.has_begun and cut is not None:
            self.emit(cut(answer.settle("error", (), self.provider, "")))

    def _keep(self, answer: StreamedAnswer) -> None:
        """Put on record what the answer has gained, every two seconds or four kilobytes."""
        chars = (
            answer.text_chars + answer.thought_chars - answer.stored_text - answer.stored_thoughts
        )
        now = time.monotonic()
        if chars < PARTIAL_CHARS and now - answer.stored_at < PARTIAL_SECONDS:
            return
        text, thoughts = (
            _behind(answer.texts, answer.text_chars - answer.stored_text),
            _behind(answer.thoughts, answer.thought_chars - answer.stored_thoughts),
        )
        self.emit(
            Partial(
                text=text,
                offset=answer.stored_text,
                thinking=thoughts,
                thinking_offset=answer.stored_thoughts,
            )
        )
        answer.stored_text, answer.stored_thoughts, answer.stored_at = (
            answer.text_chars,
            answer.thought_chars,
            now,
        )

    # -- the end

    def settle(self, state: TurnEnd) -> None:
        """Close what is open: the partial answer stays, open calls get a result. Nothing is emitted
        afterwards."""
        if self.over:
            return
        if self.streaming is not None and self.streaming.has_begun:
            self.settle_broken("cancelled" if state in ("cancelled", "timed_out") else "error")
        for cancelled in tuple(self.open.values()):
            self.emit(cancelled())
        self.open.clear()
        self.over = True


def _behind(parts: list[str], chars: int) -> str:
    """The last `chars` characters of the joined parts, without joining all of them."""
    taken: list[str] = []
    while chars > 0:
        part = parts[-1 - len(taken)]
        taken.append(part)
        chars -= len(part)
    return "".join(reversed(taken))
