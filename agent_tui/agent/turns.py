"""Begins, runs and ends turns: the one place that knows whether something runs, and the only end of a turn."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor as Pool
from dataclasses import replace
from logging import Logger
from pathlib import Path
from typing import Any, Literal

from agent_tui.agent import directories, images, loop, workshop
from agent_tui.agent.accounts import Accounts
from agent_tui.agent.attachments import attacher
from agent_tui.agent.budget import Budget
from agent_tui.agent.config import EngineConfig
from agent_tui.agent.consent import Consent
from agent_tui.agent.context import build_prefix, volatile_facts
from agent_tui.agent.fallback import Fallbacks
from agent_tui.agent.jobs import Jobs
from agent_tui.agent.models import Models
from agent_tui.agent.queue import PromptQueue
from agent_tui.agent.record import Record
from agent_tui.agent.recovery import describe_put_back
from agent_tui.agent.titles import Titles
from agent_tui.agent.turn import Turn
from agent_tui.agent.undo import is_too_large
from agent_tui.context.skills import Expansion
from agent_tui.protocol.events import (
    ApprovalAsked,
    DraftSaved,
    ErrorRaised,
    Event,
    FileChanged,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    SteerSeen,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.messages import ModelInfo, Request
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.protocol.undo_events import name_files
from agent_tui.providers.base import Provider
from agent_tui.safety.environment import describe_left_out, names_left_out
from agent_tui.sessions.checkpoints import Blobs
from agent_tui.structures import chips
from agent_tui.structures.plural import counted


class Turns:
    """The turn of a session, if one runs, and the tasks around it."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        models: Models,
        skills: workshop.LoadedSkills,
        queue: PromptQueue,
        pool: Pool,
        log: Logger,
    ) -> None:
        self.config, self.record, self.models, self.skills = config, record, models, skills
        self.queue, self.log, self._pool = queue, log, pool
        self._left_out = 0
        """Images of the last request that its model did not take."""
        self._first_changes: list[FileChanged] = []
        """The first files that were changed: nobody was told yet how to undo that."""
        self.consent = Consent()
        limits = config.settings.agent
        budget, cache = Budget(limits.max_cost, limits.max_tokens), None if config.otr else config.folders.cache
        self.accounts = Accounts(config.settings.prices, budget, cache)
        self.fallbacks = Fallbacks(config, models.unlock)
        self.current: Turn | None = None
        self.task: asyncio.Task[None] | None = None
        """The turn's task, or one that will begin a turn (a question before it)."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.titles = Titles(config, record, self.accounts, self.spawn, log, models.unlock)
        self.executor = workshop.build(
            config, record.session, skills, self._roots, self._tool_said,
            known=lambda: frozenset(tool.name for tool in record.history.tools),
            mode=lambda: record.standing.mode, ask=self._ask if config.interactive else None,
            new_id=new_id, pool=pool, log=log, sealed=self.sealed,
            touched=lambda: record.changes.paths, keep_job=lambda job, command: self.jobs.add(job, command),
        )  # fmt: skip

        self.jobs = Jobs(record.emit, self.executor.scrub)
        self.executor.remember(record.standing.allowed)
        self.attach = attacher(self.executor)

    @property
    def busy(self) -> bool:
        return self.current is not None or self.task is not None

    def begin(self, op: Submit, expansion: Expansion | None, continued: bool = False, again: bool = False) -> None:
        """Start the turn of an accepted prompt, or of none (`continued`); there is a provider, and nothing runs."""
        provider = self.models.provider
        assert provider is not None  # checked when the prompt was accepted
        number = self.record.standing.turns + 1
        turn = Turn(number, self._emitter(number), provider.name, self.consent.clock)
        self.current = turn
        turn.emit(
            TurnStarted(
                prompt=op.text, sent=expansion.text if expansion else "", skill=expansion.name if expansion else "",
                queue_id=op.queue_id, continued=continued, again=again, pastes=op.pastes,
            )
        )  # fmt: skip
        self.task = self.spawn(self._run(turn))

    def cancel(self) -> None:
        """End what runs, now; what still unwinds writes nothing more."""
        task, self.task = self.task, None
        if task is not None:
            task.cancel()
        if self.current is not None:
            self._end(self.current, "cancelled")

    async def close(self) -> None:
        """Cancel, and wait a moment for what unwinds."""
        self.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        await self.fallbacks.close()

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
            turn.emit(ErrorRaised(f"{type(error).__name__}: {error}", hint="the program's log has the details"))
        self._end(turn, state)

    async def _loop(self, turn: Turn) -> TurnEnd:
        provider = self.models.provider
        assert provider is not None
        self.prepare(turn.emit)
        await self.attach(self.record.prompt, turn)
        state = await loop.run(
            turn,
            loop.Collaborators(
                provider=provider, info=self.models.info, executor=self.executor, history=lambda: self.record.history,
                chain=self.fallbacks.chain(self.models.info.name, turn.emit),
                facts=lambda: volatile_facts(self.config.cwd, self.record.standing.mode), hold=self._hold,
                attach=self.attach, fill=self.filled, accounts=self.accounts,
                may_send=self._may_send, max_steps=self.config.settings.agent.max_steps,
                continues=self.config.settings.agent.continues, interactive=self.config.interactive,
            ),
        )  # fmt: skip
        if state == "max_steps":
            limit = counted(turn.step, "step")
            turn.emit(Notice(f"The turn reached its limit of {limit}; say “go on” to continue.", "warning"))
        return state

    def prepare(self, emit: Callable[[Event], None]) -> None:
        """Put the prefix of every request on record, where it is not, or is of other folders than there are now."""
        if self.record.history.system and not self.record.history.stale:
            return
        specs = [tool.spec() for tool in self.executor.tools.values()]
        home = Path(self.config.environment.get("HOME", "~")).expanduser()
        others = directories.roots(self.record)
        left_out = names_left_out(self.config.environment, self.config.settings.tools.pass_env)
        named = describe_left_out(left_out) if "run_shell_command" in self.executor.tools else ""
        skills, hide = self.skills.skills.list(), self.executor.scrub
        built, notices = build_prefix(self.config.cwd, home, specs, skills, others, named, hide)
        for event in (built, *notices):
            emit(event)

    async def filled(self, request: Request, info: ModelInfo | None = None) -> Request:
        """The images of a request, at the moment at which it is sent; `info`: of another model than the session's."""
        info = info or self.models.info
        takes = info.images
        left_out = images.count(request) if takes is False else 0
        if left_out and left_out != self._left_out and self.current is not None:
            said = f"{info.name} does not accept images: only their names were sent."
            self.current.emit(Notice(said, "warning"))
        self._left_out = left_out
        request = replace(request, effort=self.record.standing.effort)
        blobs = Blobs(self.config.blobs)
        loop_ = asyncio.get_running_loop()
        return await loop_.run_in_executor(self._pool, images.filled, request, blobs.get, takes)

    def _end(self, turn: Turn, state: TurnEnd) -> None:
        """The only end of a turn: everything open is settled, nothing of the person's is lost."""
        if turn.over:
            return
        turn.settle(state)
        unanswered = not self.record.history.answered()
        lost = state == "error" and unanswered  # the history drops what no request brought to the model
        back = [*turn.steered, *turn.steers] if lost else turn.steers
        if lost and self.record.prompt and self.record.standing.draft:  # the prompt's place is taken
            back = [SteerSeen(self.record.prompt, pastes=self.record.pastes), *back]
        if back:
            self.record.emit(Notice(describe_put_back([one.text for one in back])), turn.number)
        self.queue.put_back(back)
        if state != "completed":
            self.queue.pause()
        if lost and self.record.prompt and not self.record.standing.draft:
            self.record.emit(DraftSaved(*chips.draft(self.record.prompt, self.record.pastes)))
        self.record.emit(TurnEnded(state=state, duration_ms=turn.elapsed_ms, steps=turn.step), turn.number, turn.step)
        if self.current is turn:
            self.current = self.task = None
        if state == "completed":
            self.titles.turned()

    async def _ask(self, asked: ApprovalAsked) -> Answer:
        return await self.consent.wait(asked.id)

    async def _hold(self, reason: str) -> loop.Held:
        """Ask whether a turn that goes round in circles should go on; with nobody there it stops."""
        if not self.config.interactive:
            self.record.emit(Notice(f"{reason} The turn ends here.", "warning"))
            return "stop", SteerSeen("")
        asked = QuestionAsked(id=new_id(), kind="stuck", text=reason, options=("stop", "continue", "say"))
        self.record.emit(asked, self.current.number if self.current else 0)
        answer = await self.consent.wait(asked.id)
        choice = answer.choice if answer.choice in ("continue", "say") else "stop"
        self.record.emit(QuestionAnswered(id=asked.id, choice=choice, text=answer.text))
        return choice, SteerSeen(answer.text if choice == "say" else "", pastes=answer.pastes)

    async def _may_send(self, provider: Provider, name: str, request: Request) -> bool:
        """Whether the budget is enough for `request`; else the person is asked, and with nobody there the turn ends."""
        agreed = set[str]()
        while (found := await self.accounts.exceeded(provider, name, request)) is not None:
            limit, reason = found
            if limit in agreed:
                return True  # as much again is not enough for this one: it was said to go on all the same
            if not self.config.interactive:
                self.record.emit(Notice(f"{reason} The turn ends here.", "warning"))
                return False
            kind: Literal["price", "budget"] = "price" if limit == "price" else "budget"
            asked = QuestionAsked(id=new_id(), kind=kind, text=reason, options=("stop", "continue"))
            self.record.emit(asked, self.current.number if self.current else 0)
            answer = await self.consent.wait(asked.id)
            choice: Literal["stop", "continue"] = "continue" if answer.choice == "continue" else "stop"
            self.record.emit(QuestionAnswered(id=asked.id, choice=choice))
            if choice == "stop":
                return False
            agreed.add(limit)
            self.accounts.budget.extend(limit, name)
        return True

    def sealed(self) -> str:
        """Why no tool may change anything now."""
        if self.config.otr:
            return "this session is off the record: only tools that read can run"
        trouble = self.record.store.trouble
        return f"the session cannot be saved, so nothing is changed until it can: {trouble}" if trouble else ""

    def _tool_said(self, event: Event) -> None:
        if isinstance(event, FileChanged) and self.config.interactive:
            if not self.record.changes.all:
                asyncio.get_running_loop().call_soon(self._tell_how_to_undo)
            if self._first_changes or not self.record.changes.all:
                self._first_changes.append(event)
        self.record.emit(event)

    def _tell_how_to_undo(self) -> None:
        """Once a session, as soon as all that the first call changed is on record."""
        changes, self._first_changes = self._first_changes, []
        first = changes[0]
        large = {change.diff.path: None for change in changes if is_too_large(Path(change.path))}
        names = {change.diff.path: None for change in changes if change.diff.path not in large}
        listed = name_files([*names])
        them = "them" if len(names) > 1 else "it"
        said = [f"Changed {listed}. /undo reverts {them}."] if names else []
        if names and first.during_command:
            said = [f"{listed} changed while a command ran. /undo can revert {them}."]
        if large:
            said.append(f"Too large for /undo: {name_files([*large])}.")
        self.record.emit(Notice(" ".join(said)), first.turn, first.step)

    def _roots(self) -> tuple[Path, ...]:
        provider = self.models.provider
        return (self.config.cwd, *directories.roots(self.record), *(provider.roots if provider else ()))

    def _emitter(self, number: int) -> Callable[[Event, int], None]:
        return lambda event, step: self.record.emit(event, number, step)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self.task is task:
            self.task = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.log.error("a task of the agent failed", exc_info=error)
            self.record.emit(ErrorRaised(f"{type(error).__name__}: {error}"))


def new_id() -> str:
    return uuid.uuid4().hex[:12]
