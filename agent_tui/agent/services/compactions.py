"""A summary of the older messages when the person asks for one: shown before it holds, changed by
them, and taken back."""

from __future__ import annotations

import asyncio
from typing import Final

from agent_tui.agent.session.history import BLOCK
from agent_tui.agent.session.record import Record
from agent_tui.agent.turn.compactor import Draft
from agent_tui.agent.turn.request_measure import size_of
from agent_tui.agent.turn.turns import Turns
from agent_tui.context.compaction import HEAD
from agent_tui.protocol.answers import CompactionPlan, GoingMessage
from agent_tui.protocol.events import (
    Answered,
    CompactionStarted,
    CompactionStopped,
    CompactionUndone,
    Notice,
)
from agent_tui.protocol.messages import AssistantMessage, Message, ToolMessage
from agent_tui.protocol.ops import Compact, Query

BUSY: Final = "Something is running: interrupt it first (Esc)."
CALLED_OFF: Final = "the summary was called off"
SHORT: Final = "there is nothing to compact: the conversation is short"
FACTS: Final = "\n\n<environment>"
"""What the program puts behind a prompt begins so."""
YOURS: Final = "you"
"""What a summary is by that the person has changed."""
WORDS: Final = 200
"""Characters that are told of a message."""


class CompactionDesk:
    def __init__(self, record: Record, turns: Turns) -> None:
        self._record, self._turns = record, turns

    def tell(self, op: Query) -> None:
        """Answer what a summary would be, which keeps `op.argument` above all."""
        if self._turns.busy:
            self._record.emit(Answered(op.id, CompactionPlan(problem=BUSY)))
            return
        self._turns.task = self._turns.spawn(self._draft(op))

    async def _draft(self, op: Query) -> None:
        models, compactor = self._turns.models, self._turns.main.compactor
        plan = CompactionPlan(problem=CALLED_OFF)
        history = self._record.history
        self._record.emit(CompactionStarted(compactor.tokens(history, models.info)))
        try:
            draft = await compactor.draft(
                models.provider, models.info, op.argument, self._record.emit
            )
            plan = CompactionPlan(problem=SHORT) if draft is None else self._plan(draft)
        finally:
            if self._turns.task is asyncio.current_task():  # else a turn has begun since a cancel
                self._turns.task = None
            self._record.emit(CompactionStopped())
            self._record.emit(Answered(op.id, plan))

    def _plan(self, draft: Draft) -> CompactionPlan:
        models, compactor = self._turns.models, self._turns.main.compactor
        messages = self._record.history.messages
        counts = compactor.event(draft, models.info, "person")
        calibration = self._turns.accounts.calibration
        going = tuple(
            GoingMessage(
                at, *_told(one), calibration.tokens(models.info.name, "read", size_of(one))
            )
            for at, one in enumerate(messages[: draft.replaced])
        )
        return CompactionPlan(
            draft.summary,
            going,
            len(messages),
            counts.before,
            counts.after,
            draft.model,
        )

    def compact(self, op: Compact) -> None:
        """Put the summary in place that the person has seen, if nothing was said since."""
        messages = self._record.history.messages
        if self._turns.busy:
            self._record.emit(Notice(BUSY, "warning"))
        elif len(messages) != op.of or not 0 < op.replaced <= len(messages):
            said = "The conversation went on, so nothing was compacted: /compact asks anew."
            said += " Your summary is in the history (↑)." if op.model == YOURS else ""
            self._record.emit(Notice(said, "warning"))
        else:
            compactor = self._turns.main.compactor
            draft = Draft(op.summary, op.replaced, op.model)
            info = self._turns.models.info
            self._record.emit(compactor.event(draft, info, "person", op.pinned))
            self._turns.main.note_shorter_context()

    def undo(self) -> None:
        """Let the model read again what the newest summary stands for."""
        history = self._record.history
        if self._turns.busy:
            self._record.emit(Notice(BUSY, "warning"))
        elif history.summary is None:
            self._record.emit(Notice("There is no compaction to undo.", "warning"))
        else:
            compactor, info = self._turns.main.compactor, self._turns.models.info
            after = compactor.tokens(history.with_event(CompactionUndone()), info)
            self._record.emit(CompactionUndone(after))


def _told(message: Message) -> tuple[str, str]:
    """Who says it, and how it begins."""
    if isinstance(message, ToolMessage):
        return f"result of {message.name}", _begins(message.content)
    if isinstance(message, AssistantMessage):
        calls = ", ".join(call.name for call in message.calls)
        return "answer", _begins(message.text) or f"calls {calls}"
    if message.text.startswith(HEAD):
        return "earlier summary", _begins(message.text.removeprefix(HEAD))
    words = message.text.partition(FACTS)[0].partition(f"\n\n{BLOCK}")[0]
    return "prompt", _begins(words)


def _begins(text: str) -> str:
    return " ".join(text[: 2 * WORDS].split())[:WORDS]
