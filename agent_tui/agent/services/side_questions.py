"""A question on the side: one request with the context as it is, no tools, and nothing of it is
ever in the context."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from agent_tui.agent.services.models import Models
from agent_tui.agent.session.history import History
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn import retries
from agent_tui.agent.turn.accounts import Accounts
from agent_tui.protocol.messages import (
    AssistantMessage,
    Message,
    Request,
    ToolMessage,
    Usage,
    UserMessage,
)
from agent_tui.protocol.ops import AskAside
from agent_tui.protocol.turn_events import (
    INSTRUCTION,
    AsideDelta,
    AsideEnd,
    AsideEnded,
    AssistantReplied,
)
from agent_tui.providers.base import Failed, Finished, Provider, TextChunk
from agent_tui.structures.frozen import frozen

NO_MODEL: Final = "there is no model yet"
FAILED: Final = "it failed; the program's log has the details"
NO_WORDS: Final = "the model wrote no answer; it cannot use tools here"


Fill = Callable[[Request], Awaitable[Request]]


@frozen
class Outcome:
    """How a question ended. `kind`: of its failure, in one word; `usage`: what the server says that
    it took; `counts`: whether it took anything; `model`: who answered, as the server says."""

    state: AsideEnd
    problem: str = ""
    kind: str = ""
    usage: Usage | None = None
    counts: bool = True
    model: str = ""


@dataclass(eq=False, slots=True)
class Asked:
    """One question under way, and what came of it so far."""

    op: AskAside
    request: Request
    begun: float = field(default_factory=time.monotonic)
    texts: list[str] = field(default_factory=list)


class Asides:
    """At most one question on the side at a time. `prepare` makes sure that the request's prefix is
    on record; `fill` puts the images into a request that is sent."""

    def __init__(
        self,
        record: Record,
        models: Models,
        accounts: Accounts,
        prepare: Callable[[], None],
        fill: Fill,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self.record, self.models, self.accounts = record, models, accounts
        self.prepare, self.fill, self.spawn = prepare, fill, spawn
        self._asked: Asked | None = None
        self._task: asyncio.Task[None] | None = None

    def ask(self, op: AskAside) -> None:
        self.cancel()
        provider = self.models.provider
        if provider is None:
            self.record.emit(AsideEnded(op.id, op.text, state="error", problem=NO_MODEL))
            return
        self.prepare()
        self._asked = Asked(op, request(self.record.history, op.text))
        self._task = self.spawn(self._run(self._asked, provider))

    def cancel(self) -> None:
        """Give it up, now; what still unwinds says nothing more."""
        if self._asked is not None:
            self._settle(self._asked, Outcome("cancelled"))
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, asked: Asked, provider: Provider) -> None:
        try:
            refusal = await self.accounts.refusal(provider, self.models.info, asked.request)
            if refusal:
                return self._settle(asked, Outcome("error", refusal, "refused", counts=False))
            end = await _stream(
                provider, await self.fill(asked.request), lambda text: self._tell(asked, text)
            )
            self._settle(asked, _judged(end, "".join(asked.texts)))
        finally:
            self._settle(asked, _broken_off(sys.exception()))

    def _tell(self, asked: Asked, text: str) -> None:
        if asked is self._asked:
            asked.texts.append(text)
            self.record.emit(AsideDelta(asked.op.id, text))

    def _settle(self, asked: Asked, end: Outcome) -> None:
        """The only end of a question: what was asked for costs, and is on record."""
        if asked is not self._asked:
            return
        self._asked = None
        text, name = "".join(asked.texts), self.models.info.name
        used, cost, estimated = Usage(), None, False
        if end.counts:
            used = self.accounts.complete_usage(
                name, asked.request, AssistantReplied(text=text), end.usage
            )
            cost, estimated = self.accounts.bill(self.models.provider, used)
        took = round((time.monotonic() - asked.begun) * 1000)
        self.record.emit(
            AsideEnded(
                asked.op.id,
                asked.op.text,
                text,
                end.state,
                end.problem,
                used,
                name,
                took,
                cost,
                estimated,
                end.kind,
                end.model,
            )
        )


async def _stream(
    provider: Provider, asked: Request, tell: Callable[[str], None]
) -> Finished | Failed:
    async with aclosing(provider.stream(asked)) as items:
        async for item in items:
            if isinstance(item, TextChunk):
                tell(item.text)
            elif isinstance(item, Finished | Failed):
                return item
    return Failed("broken_stream", f"{provider.name}: the answer stopped before its end")


def _judged(end: Finished | Failed, text: str) -> Outcome:
    if isinstance(end, Failed):  # one that was refused, or not even reached, took nothing
        return Outcome("error", f"{end.text} {end.hint}".strip(), end.kind, counts=bool(text))
    if end.stop_reason == "refusal":
        return Outcome(
            "error", retries.why_filtered(end), retries.FILTERED, end.usage, model=end.model
        )
    if text.strip():
        return Outcome("completed", usage=end.usage, model=end.model)
    return Outcome("error", NO_WORDS, "no_text", end.usage, model=end.model)


def _broken_off(error: BaseException | None) -> Outcome:
    """Of a question that came to no end of its own."""
    if error is None or isinstance(error, asyncio.CancelledError):
        return Outcome("cancelled")
    return Outcome("error", FAILED, type(error).__name__)


def request(history: History, question: str) -> Request:
    """The next request as it would be, up to the question: what a server keeps of the earlier ones
    is used again."""
    asked = history.request()
    return replace(
        asked, messages=(*without_open_calls(asked.messages), UserMessage(INSTRUCTION + question))
    )


def without_open_calls(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """`messages` without an answer at their end whose calls do not all have results yet."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, AssistantMessage):
            results = {
                later.call_id for later in messages[place + 1 :] if isinstance(later, ToolMessage)
            }
            return (
                messages if all(call.id in results for call in message.calls) else messages[:place]
            )
    return messages
