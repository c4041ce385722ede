"""Keeps what an agent says to its model within the model's window: before a request is too long, and
once more where a server says that it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from logging import Logger
from typing import Final

from agent_tui.agent.services import own_requests
from agent_tui.agent.services.memory import Memories
from agent_tui.agent.services.models import Models
from agent_tui.agent.session.history import History
from agent_tui.agent.session.record import AgentRecord
from agent_tui.agent.turn.accounts import Accounts
from agent_tui.agent.turn.request_measure import size_of
from agent_tui.agent.turn.workplace import NO_LIMIT
from agent_tui.context import compaction, memory
from agent_tui.protocol.events import (
    Compacted,
    CompactionStarted,
    CompactionStopped,
    Event,
    ResultsFolded,
)
from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.protocol.turn_events import CompactedBy
from agent_tui.providers.base import Provider
from agent_tui.providers.choosing import choose
from agent_tui.settings.table import AgentSettings
from agent_tui.structures.frozen import frozen

RESERVE: Final = 4_096
"""Tokens of the window that are left to the answer."""
FULL: Final = 0.7
"""Part of what is left for messages from which on they are compacted."""
LEAST: Final = 2_000
"""Bytes of messages from which on a summary is shorter."""
SECONDS: Final = 300.0
"""So long a model may take for a summary: a small machine reads slowly."""
LEAST_GAIN: Final = 0.15
"""Part of a request that a summary must save, unless a person or a server asks for it."""
GROWN: Final = 1.1
"""So much larger a request must be before a summary is tried again that saved less."""
MOST_FAILURES: Final = 2
"""Then no model is asked any more in this session."""
MOST_MESSAGES: Final = 50
"""In a small window, where each message is read anew."""
RESULT_OF_WINDOW: Final = 0.25
RESULT_OF_REST: Final = 0.5
"""Parts of the window, and of what is left of it, that one result may take."""
CHARS: Final = 3
"""Of a token, at least, of what tools give."""
LEAST_RESULT: Final = 2_000
"""Characters that a result may have however full the window is: less says nothing."""
Emit = Callable[[Event], None]


@frozen
class Draft:
    """A summary that could stand for the first `replaced` messages. `model`: who wrote it; empty:
    nobody."""

    summary: str
    replaced: int
    model: str = ""


class Compactor:
    """Of one agent. `scrub` hides secrets in what a model wrote; `on_shorter` is called when the
    model reads less than before."""

    def __init__(
        self,
        record: AgentRecord,
        models: Models,
        accounts: Accounts,
        settings: AgentSettings,
        scrub: Callable[[str], str],
        on_shorter: Callable[[], None],
        log: Logger,
        memories: Memories,
    ) -> None:
        self._record, self._models, self._accounts = record, models, accounts
        self._settings, self._scrub, self._log = settings, scrub, log
        self._on_shorter, self._memory = on_shorter, memories
        self._failures = 0
        self._in_vain = 0
        """Tokens of the request of which a summary saved too little."""

    async def make_room(
        self, emit: Emit, provider: Provider, info: ModelInfo, refused: bool = False
    ) -> bool:
        """Make the next request shorter if it is nearly too long, or was (`refused`). Whether
        anything changed."""
        if not self._settings.compact or not (refused or self.is_full(info)):
            return False
        history = self._record.history
        through = compaction.stale_through(history.messages[:], tuple(history.begun))
        changed, compacted = self._fold(emit, through), False
        if refused or self.is_full(info):
            by: CompactedBy = "overflow" if refused else "limit"
            compacted = await self.compact(emit, provider, info, by)
        if self._is_over(info) or (refused and not compacted):
            # also what the model has just asked for, which it can read again
            changed = self._fold(emit, len(self._record.history.messages)) or changed
        return changed or compacted

    def _fold(self, emit: Emit, through: int) -> bool:
        """Long results among the first messages are one line each from now on."""
        if not compaction.folds_any(self._record.history.messages[:through], through):
            return False
        emit(ResultsFolded(through))
        self._on_shorter()
        return True

    async def compact(
        self,
        emit: Emit,
        provider: Provider | None,
        info: ModelInfo,
        by: CompactedBy,
        focus: str = "",
    ) -> bool:
        """Put a summary in the place of the older messages; whether there were any worth it."""
        before = self._record.history
        if by == "limit" and self._would_save_little(before):
            return False
        emit(CompactionStarted(self.tokens(before, info)))
        draft = await self.draft(provider, info, focus, emit)
        if draft is None:
            emit(CompactionStopped())
            return False
        event = self.event(draft, info, by)
        if by == "limit" and event.after > event.before * (1 - LEAST_GAIN):
            self._in_vain = event.before
            emit(CompactionStopped())
            return False
        emit(event)
        self._on_shorter()
        return True

    def _would_save_little(self, history: History) -> bool:
        """Whether a summary that is as long as the one before it would not be put in place: no
        model is asked for that."""
        if history.summary is None:
            return False
        messages = history.messages[:]
        fresh = messages[history.summary.stands : compaction.cut_place(messages, size_of)]
        whole = self._accounts.calibration.requests.size(history.request())
        return sum(map(size_of, fresh)) < whole * LEAST_GAIN

    async def draft(
        self, provider: Provider | None, info: ModelInfo, focus: str, emit: Emit
    ) -> Draft | None:
        """What a summary could be; None: a summary is no shorter."""
        history = self._record.history
        replaced = compaction.cut_place(history.messages[:], size_of)
        gone = history.messages[:replaced]
        if sum(map(size_of, gone)) < LEAST:
            return None
        kept = history.kept_beside(replaced)
        written, model, most = "", "", compaction.limits(info.window)
        if self._failures < MOST_FAILURES:
            await self._propose_facts(provider, info, kept.words, emit)
            asked = partial(compaction.summary_request, gone, focus)
            written, model, most = await self._write(provider, info, asked, "compaction", emit)
            self._failures = 0 if written else self._failures + 1
        written = written or compaction.without_model(gone)
        summary = compaction.summary_text(self._scrub(written), kept, most)
        return Draft(summary, replaced, model)

    def event(
        self, draft: Draft, info: ModelInfo, by: CompactedBy, pinned: tuple[int, ...] = ()
    ) -> Compacted:
        """What puts `draft` in the place of the messages, with its counts."""
        history = self._record.history
        event = Compacted(draft.summary, draft.replaced, pinned, by=by, model=draft.model)
        after = self.tokens(history.with_event(event), info)
        return Compacted(
            draft.summary,
            draft.replaced,
            pinned,
            before=self.tokens(history, info),
            after=after,
            by=by,
            model=draft.model,
        )

    async def _propose_facts(
        self, provider: Provider | None, info: ModelInfo, words: Sequence[str], emit: Emit
    ) -> None:
        """What the person said is no longer read word for word: what of it is worth to be
        remembered is proposed to them, if they want that."""
        if not (self._memory.proposes and words):
            return

        def asked(most: compaction.Limits) -> Request:
            return memory.request(words, most.source)

        answer, _, _ = await self._write(provider, info, asked, "memory", emit)
        if facts := memory.facts_in(self._scrub(answer)):
            await self._memory.propose(emit, facts)

    async def _write(
        self,
        provider: Provider | None,
        info: ModelInfo,
        asked: Callable[[compaction.Limits], Request],
        purpose: own_requests.Purpose,
        emit: Emit,
    ) -> tuple[str, str, compaction.Limits]:
        """The words of the small model, else of the session's own; who that was, and its limits."""
        small = self._models.config.settings.small_model
        choice = await self._small(small) if small else None
        chosen = choice.provider if choice is not None else None
        if choice is not None and chosen is not None:
            provider = chosen
            info = choice.info or ModelInfo(f"{chosen.name}/{chosen.model}")
        most = compaction.limits(info.window)
        if provider is None:
            return "", "", most
        try:
            said = await own_requests.ask(
                provider, info, asked(most), purpose, self._accounts, emit, self._log, SECONDS
            )
        finally:
            if chosen is not None:
                await chosen.close()
        return said.strip(), info.name if said.strip() else "", most

    async def _small(self, name: str) -> choose.Choice | None:
        choice = await choose.choose(name, self._models.config, self._models.unlock)
        if choice.provider is None:
            reasons = "; ".join(f"{one.what}: {one.result}" for one in choice.tried)
            self._log.warning("no small model for a summary: %s", reasons)
            return None
        return choice

    # -- how much there is

    def tokens(self, history: History, info: ModelInfo) -> int:
        """About how many the next request has."""
        calibration = self._accounts.calibration
        return calibration.tokens(info.name, "read", calibration.requests.size(history.request()))

    def limit(self, info: ModelInfo) -> int:
        """Tokens of a request from which on the conversation is compacted; 0: no window is
        known."""
        if not info.window:
            return 0
        if self._waits(info):
            return info.window - reserve(info)
        request, calibration = self._record.history.request(), self._accounts.calibration
        fixed = calibration.tokens(info.name, "read", calibration.requests.prefix_size(request))
        return fixed + round(FULL * max(0, info.window - fixed - reserve(info)))

    def room_for_result(self, info: ModelInfo) -> int:
        """Characters that the result of a call may have: a share of the window, and of what is left
        of it."""
        if not info.window or info.window_assumed:
            return NO_LIMIT
        left = info.window - reserve(info) - self.tokens(self._record.history, info)
        most = min(info.window * RESULT_OF_WINDOW, left * RESULT_OF_REST)
        return max(LEAST_RESULT, round(most * CHARS))

    def is_full(self, info: ModelInfo) -> bool:
        if not info.window:
            return False
        history = self._record.history
        if self._waits(info):
            return self._is_over(info)
        many = len(history.messages) > MOST_MESSAGES and info.window <= compaction.SMALL_WINDOW
        return many or self.tokens(history, info) > self.limit(info)

    def _waits(self, info: ModelInfo) -> bool:
        """Whether only what does not fit is summarised: the person took a summary back, or the last
        one saved too little."""
        history = self._record.history
        return history.undone or self.tokens(history, info) < self._in_vain * GROWN

    def _is_over(self, info: ModelInfo) -> bool:
        """Whether the next request leaves no room for an answer."""
        whole = self.tokens(self._record.history, info)
        return bool(info.window) and whole > info.window - reserve(info)


def reserve(info: ModelInfo) -> int:
    return min(RESERVE, info.window // 4)
