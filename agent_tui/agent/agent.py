"""The agent of a session: takes Ops, runs turns, keeps the queue. Everything here runs on one asyncio loop.

`handle` never blocks and never fails: what takes time is a task, what goes wrong is an event. Shapes of `answered`:
skills `[{name, description, arguments, free, source}]`; models `{model, offered: [{name, window, tools}],
tried: [{what, result}], variables: [..]}`; sessions `[{id, title, cwd, at, turns, model}]`.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Coroutine
from concurrent.futures import Executor as Pool
from dataclasses import asdict
from logging import Logger
from pathlib import Path
from typing import Any, Final

from agent_tui.agent import loop, workshop
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.consent import Consent
from agent_tui.agent.context import build_prefix, volatile_facts
from agent_tui.agent.models import Models
from agent_tui.agent.queue import PromptQueue
from agent_tui.agent.record import Record
from agent_tui.agent.turn import Turn
from agent_tui.context.skills import Expansion, Missing
from agent_tui.protocol.events import (
    Answered,
    ApprovalAsked,
    Cleared,
    DraftSaved,
    ErrorRaised,
    ModeChanged,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    SteerSeen,
    TurnEnded,
    TurnStarted,
)  # fmt: skip
from agent_tui.protocol.ops import (
    Answer,
    Cancel,
    Clear,
    Op,
    Query,
    QueueEdit,
    SaveDraft,
    SetMode,
    SetModel,
    Steer,
    Submit,
)  # fmt: skip
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.safety.policy import MODES
from agent_tui.sessions import index

DRAFT_SECONDS: Final = 0.5
"""A draft is put on record this long after its first unsaved change."""


class Agent:
    """One session at work."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        models: Models,
        skills: workshop.LoadedSkills,
        pool: Pool,
        log: Logger,
    ) -> None:
        self.config, self.record, self.models, self.skills, self.log = config, record, models, skills, log
        self.queue = PromptQueue(record)
        self.consent = Consent()
        self.turn: Turn | None = None
        self._running: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._draft: str | None = None
        self.executor = workshop.build(
            config, record.session, skills, self._roots, record.emit,
            known=lambda: frozenset(tool.name for tool in record.history.tools),
            mode=lambda: record.standing.mode, ask=self._ask if config.interactive else None,
            new_id=_new_id, pool=pool, log=log,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------- ops

    def handle(self, op: Op) -> None:
        match op:
            case Submit():
                self._submit(op)
            case Steer():
                self._steer(op)
            case Cancel():
                self._cancel(op.clear_queue)
            case QueueEdit():
                self.queue.edit(op)
            case Answer():
                self.consent.answer(op)
            case SetMode():
                self._set_mode(op.mode)
            case SetModel():
                self._spawn(self.models.change(self.record, op.model, op.base_url))
            case SaveDraft():
                self._save_draft(op.text)
            case Query():
                self._query(op)
            case Clear():
                self._clear()
            case _:
                self.log.warning("an op that is not for the agent: %s", type(op).__name__)

    def _submit(self, op: Submit) -> None:
        if op.queue_id and self.queue.find(op.queue_id) is None:
            return  # it has left the queue by another way: never twice
        if self.turn is not None or self._running is not None:
            if not op.queue_id:
                self.queue.edit(QueueEdit("add", text=op.text))
            return
        if self.models.provider is None:
            self.record.emit(self.models.told("start"))
            self._give_back(op)
            return
        expansion = self.skills.skills.expand(op.text)
        if isinstance(expansion, Missing) and not self.config.interactive:
            said = f"/{expansion.name} needs <{expansion.argument}>"
            self.record.emit(ErrorRaised(said, "invalid_arguments", "give all arguments behind the name"))
        elif isinstance(expansion, Missing):
            self._running = self._spawn(self._complete(op, expansion))
        else:
            self._begin(op, expansion)

    def _begin(self, op: Submit, expansion: Expansion | None) -> None:
        provider = self.models.provider
        assert provider is not None  # checked when the prompt was accepted
        turn = Turn(self.record.standing.turns + 1, self._emitter(self.record.standing.turns + 1), provider.name)
        self.turn = turn
        turn.emit(
            TurnStarted(
                prompt=op.text, sent=expansion.text if expansion else "", skill=expansion.name if expansion else "",
                queue_id=op.queue_id,
            )
        )  # fmt: skip
        self._draft = None
        self._running = self._spawn(self._run(turn))

    async def _complete(self, op: Submit, missing: Missing) -> None:
        """Ask for the arguments that a skill lacks, then begin; a no gives the line back."""
        expansion: Expansion | Missing = missing
        while isinstance(expansion, Missing):
            asked = QuestionAsked(
                id=_new_id(), kind="skill_argument", text=f"/{expansion.name} needs <{expansion.argument}>"
            )
            self.record.emit(asked)
            try:
                answer = await self.consent.wait(asked.id)
            except asyncio.CancelledError:
                self.record.emit(QuestionAnswered(id=asked.id, choice="no", idle=True))
                self._give_back(op)
                raise
            said = answer.text.strip() if answer.choice == "say" else ""
            self.record.emit(QuestionAnswered(id=asked.id, choice="say" if said else "no", text=said, idle=True))
            if not said:
                self._running = None
                self._give_back(op)
                return
            expansion = self.skills.skills.complete(expansion, said)
        self._begin(op, expansion)

    def _steer(self, op: Steer) -> None:
        queued = self.queue.find(op.queue_id) if op.queue_id else None
        text = queued.text if queued else op.text
        if op.queue_id and queued is None:
            return
        if self.turn is None:
            self._submit(Submit(text, queue_id=op.queue_id))
            return
        if queued:  # it leaves the queue when the model sees it; until then it is not sent by the queue either
            self.queue.edit(QueueEdit("remove", id=queued.id))
        self.turn.steers.append(SteerSeen(text=text))

    def _cancel(self, clear_queue: bool) -> None:
        task, self._running = self._running, None
        if task is not None:
            task.cancel()
        if clear_queue:
            self.queue.set((), False)
        if self.turn is not None:
            self._end(self.turn, "cancelled")

    def _set_mode(self, mode: str) -> None:
        if mode in MODES:
            self.record.emit(ModeChanged(mode))
        else:
            self.record.emit(ErrorRaised(f"No mode {mode!r}.", "invalid_arguments", f"modes: {', '.join(MODES)}"))

    def _save_draft(self, text: str) -> None:
        if self._draft is None:
            asyncio.get_running_loop().call_later(DRAFT_SECONDS, self._keep_draft)
        self._draft = text

    def _keep_draft(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None and draft != self.record.standing.draft:
            self.record.emit(DraftSaved(draft))

    def _query(self, op: Query) -> None:
        match op.kind:
            case "models":
                self._spawn(self.models.offer(self.record, op.id))
            case "skills":
                self.tell_skills(op.id)
            case "sessions":
                found = index.recent(self.config.folders.sessions)
                data = [asdict(summary) for summary in found]
                self.record.emit(Answered(id=op.id, kind="sessions", data=data))

    def tell_skills(self, id: str) -> None:
        data = [{**asdict(skill), "arguments": list(skill.arguments)} for skill in self.skills.skills.list()]
        self.record.emit(Answered(id=id, kind="skills", data=data))

    def _clear(self) -> None:
        if self.turn is not None:
            self.record.emit(Notice("A turn is running: interrupt it first (Esc), then /clear.", "warning"))
            return
        self.skills.loaded.clear()
        self.record.emit(Cleared())

    # ------------------------------------------------------------------------------------------------------ turns

    async def _run(self, turn: Turn) -> None:
        limit = self.config.settings.agent.timeout or None
        clock = asyncio.timeout(limit)
        state: TurnEnd = "error"
        try:
            async with clock:
                state = await self._loop(turn)
        except TimeoutError:
            if not clock.expired():
                raise
            turn.emit(Notice(f"The turn reached its limit of {limit:g} s.", "warning"))
            state = "timed_out"
        except Exception as error:  # the boundary of a turn
            self.log.exception("turn %d", turn.number)
            turn.emit(ErrorRaised(f"{type(error).__name__}: {error}", hint="the log of the program says more"))
        self._end(turn, state)

    async def _loop(self, turn: Turn) -> TurnEnd:
        provider = self.models.provider
        assert provider is not None
        if not self.record.history.system:
            specs = [tool.spec() for tool in self.executor.tools.values()]
            home = Path(self.config.environment.get("HOME", "~")).expanduser()
            turn.emit(build_prefix(self.config.cwd, home, specs, self.skills.skills.list()))
        state = await loop.run(
            turn,
            loop.Collaborators(
                provider=provider, info=self.models.info, executor=self.executor, history=lambda: self.record.history,
                facts=lambda: volatile_facts(self.config.cwd, self.record.standing.mode), hold=self._hold,
                max_steps=self.config.settings.agent.max_steps,
            ),
        )  # fmt: skip
        if state == "max_steps":
            turn.emit(Notice(f"The turn reached its limit of {turn.step} steps; say “go on” to continue.", "warning"))
        return state

    def _end(self, turn: Turn, state: TurnEnd) -> None:
        """The only end of a turn: everything open is settled, nothing of the person's is lost."""
        if turn.over:
            return
        turn.settle(state)
        unanswered = not self.record.history.answered()
        self.queue.put_back([steer.text for steer in turn.steers])
        if state != "completed":
            self.queue.pause()
        if state == "error" and unanswered and not (self._draft or self.record.standing.draft):
            self.record.emit(DraftSaved(self.record.prompt))
        self.record.emit(TurnEnded(state=state, duration_ms=turn.elapsed_ms, steps=turn.step), turn.number, turn.step)
        if self.turn is turn:
            self.turn = self._running = None

    async def _ask(self, asked: ApprovalAsked) -> tuple[str, str]:
        answer = await self.consent.wait(asked.id)
        return answer.choice, answer.text

    async def _hold(self, reason: str) -> loop.Held:
        """Ask whether a turn that goes round in circles should go on; with nobody there it stops."""
        if not self.config.interactive:
            self.record.emit(Notice(f"{reason} The turn ends here.", "warning"))
            return "stop", ""
        asked = QuestionAsked(id=_new_id(), kind="stuck", text=reason, options=("stop", "continue", "say"))
        self.record.emit(asked, self.turn.number if self.turn else 0)
        answer = await self.consent.wait(asked.id)
        choice = answer.choice if answer.choice in ("continue", "say") else "stop"
        self.record.emit(QuestionAnswered(id=asked.id, choice=choice, text=answer.text))
        return choice, answer.text if choice == "say" else ""

    # ------------------------------------------------------------------------------------------------------- rest

    async def close(self) -> None:
        """End what runs and put the rest on record."""
        self._cancel(clear_queue=False)
        self._keep_draft()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        await self.models.close()

    def _give_back(self, op: Submit) -> None:
        """A prompt that cannot be sent now: it stays in the queue it came from, or returns to the draft."""
        if op.queue_id:
            self.queue.pause()
        else:
            self.record.emit(DraftSaved(op.text))

    def _roots(self) -> tuple[Path, ...]:
        provider = self.models.provider
        return (self.config.cwd, *(provider.roots if provider else ()))

    def _emitter(self, number: int) -> Any:
        return lambda event, step: self.record.emit(event, number, step)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._running is task:
            self._running = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.log.error("a task of the agent failed", exc_info=error)
            self.record.emit(ErrorRaised(f"{type(error).__name__}: {error}"))


def _new_id() -> str:
    return uuid.uuid4().hex[:12]
