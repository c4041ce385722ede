"""The turns of a session: begins and ends those of its main agent, with what that means for queue,
draft and title. The one place that knows whether something runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sized
from concurrent.futures import Executor as Pool
from logging import Logger
from pathlib import Path
from typing import Any

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.embeddings import Embeddings
from agent_tui.agent.services.jobs import Jobs
from agent_tui.agent.services.kept_jobs import kept_jobs
from agent_tui.agent.services.memory import Memories
from agent_tui.agent.services.models import Models
from agent_tui.agent.services.restore_looks import is_too_large
from agent_tui.agent.services.titles import Titles
from agent_tui.agent.session import directories
from agent_tui.agent.session.queue import PromptQueue
from agent_tui.agent.session.record import Record
from agent_tui.agent.session.recovery import describe_put_back
from agent_tui.agent.turn import tool_wiring
from agent_tui.agent.turn.accounts import Accounts, Budget
from agent_tui.agent.turn.agent_run import AgentRun, Ends, Shared
from agent_tui.agent.turn.agent_run import new_id as new_id
from agent_tui.agent.turn.custom_tools import CustomTools
from agent_tui.agent.turn.edit_hooks import Hooks
from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.agent.turn.skill_run import SkillRun
from agent_tui.context.skills.expansion import Expansion
from agent_tui.protocol.events import (
    DraftSaved,
    ErrorRaised,
    FileChanged,
    Notice,
    SteerSeen,
    TurnStarted,
)
from agent_tui.protocol.ops import Submit
from agent_tui.protocol.session_events import name_files
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.safety.permissions import own_rules
from agent_tui.settings.table import PermissionSettings
from agent_tui.structures import chips


class Turns:
    """The turn of a session, if one runs, and the tasks around it. `main` is the agent that runs
    it. `keep_draft` puts on record at once what the front end last said of its draft."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        models: Models,
        skills: LoadedSkills,
        queue: PromptQueue,
        pool: Pool,
        log: Logger,
        keep_draft: Callable[[], None],
    ) -> None:
        self.config, self.record, self.models, self.skills = config, record, models, skills
        self.queue, self.log, self._keep_draft = queue, log, keep_draft
        self._first_changes: list[FileChanged] = []
        """The first files that were changed: nobody was told yet how to undo that."""
        limits = config.settings.agent
        budget, cache = (
            Budget(limits.max_cost, limits.max_tokens),
            None if config.otr else config.folders.cache,
        )
        self.accounts = Accounts(config.settings.prices, budget, cache)
        self.task: asyncio.Task[None] | None = None
        """The turn's task, or one that will begin a turn (a question before it)."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.titles = Titles(models, record, self.accounts, self.spawn, log)
        self.jobs = Jobs(record.emit, None if config.otr else kept_jobs(config, record.session))
        self.custom = CustomTools(config)
        self.memory = Memories(
            config,
            lambda: config.gate(directories.roots(record)),
            lambda text: self.executor.scrub(text),
            record.emit,
            pool,
            log,
            Embeddings(
                models, lambda text: self.executor.scrub(text), record.emit, self.spawn, pool, log
            ),
        )
        watch = tool_wiring.watch_of(config, record.session, record.changes, pool)
        shared = Shared(
            config,
            record,
            skills,
            self.accounts,
            pool,
            log,
            models,
            self.spawn,
            self.seal_reason,
            self._note,
            self.jobs,
            watch,
            self.custom,
            Hooks(config),
            self.memory,
            self.jobs.changing,
        )
        self.main = AgentRun(shared, record.main, models, Ends(self._settled, self._ended))
        self.consent, self.executor = self.main.consent, self.main.executor

    @property
    def current(self) -> Turn | None:
        return self.main.current

    @property
    def busy(self) -> bool:
        return self.current is not None or self.task is not None

    def begin(
        self, op: Submit, expansion: Expansion | None, continued: bool = False, again: bool = False
    ) -> None:
        """Start the turn of an accepted prompt, or of none (`continued`); there is a provider, and
        nothing runs."""
        run = self._plan(expansion)
        turn = self.main.begin(
            TurnStarted(
                prompt=op.text,
                sent=run.sent if run else "",
                skill=run.name if run else "",
                queue_id=op.queue_id,
                continued=continued,
                again=again,
                pastes=op.pastes,
            )
        )
        for text in run.notices if run else ():
            turn.emit(Notice(text, "warning"))
        self.task = self.spawn(self.main.run(turn, run))

    def _plan(self, expansion: Expansion | None) -> SkillRun | None:
        """How a skill runs; None: there is none."""
        skill = self.skills.skills.get(expansion.name) if expansion else None
        if expansion is None or skill is None:
            return None
        return SkillRun.plan(skill, expansion, self.executor.tools)

    def cancel(self) -> None:
        """End what runs, now; what still unwinds writes nothing more."""
        task, self.task = self.task, None
        if task is not None:
            task.cancel()
        self.main.cancel()

    async def close(self) -> None:
        """Cancel, and wait a moment for what unwinds."""
        self.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        await self.main.close()
        await self.memory.meaning.close()

    def _settled(self, turn: Turn, state: TurnEnd) -> None:
        """Nothing of the person's is lost with a turn that ends."""
        self._keep_draft()  # a draft that was just spent takes no prompt's place
        unanswered = not self.record.history.has_answered()
        lost = (
            state == "error" and unanswered
        )  # the history drops what no request brought to the model
        back = [*turn.steered, *turn.steers] if lost else turn.steers
        if (
            lost and self.record.prompt and self.record.standing.draft
        ):  # the prompt's place is taken
            back = [SteerSeen(self.record.prompt, pastes=self.record.pastes), *back]
        if back:
            self.record.emit(Notice(describe_put_back([one.text for one in back])), turn.number)
        self.queue.put_back(back)
        if state != "completed":
            self.queue.pause()
        if lost and self.record.prompt and not self.record.standing.draft:
            self.record.emit(DraftSaved(*chips.draft(self.record.prompt, self.record.pastes)))

    def _ended(self, state: TurnEnd) -> None:
        self.executor.workplace.hidden.end_turn()
        if self.current is None:
            self.task = None
        if state == "completed":
            self.titles.on_turn_ended()

    def forget_read(self) -> None:
        """The model does not have what was read until now: skills may be loaded again, no file is
        known to it, and commands begin in the folder of the session."""
        self.main.loads.loaded.clear()
        self.executor.workplace.seen_files.clear()
        self.executor.workplace.folder.reset()

    def seal_reason(self) -> str:
        """Why no tool may change anything now."""
        if self.config.otr:
            return "this session is off the record: only tools that read can run"
        trouble = self.record.store.trouble
        return (
            f"the session cannot be saved, so nothing is changed until it can: {trouble}"
            if trouble
            else ""
        )

    def _note(self, event: FileChanged) -> None:
        if self.config.interactive:
            if not self.record.changes.all:
                asyncio.get_running_loop().call_soon(self._tell_how_to_undo)
            if self._first_changes or not self.record.changes.all:
                self._first_changes.append(event)

    def _tell_how_to_undo(self) -> None:
        """Once a session, as soon as all that the first call changed is on record."""
        changes, self._first_changes = self._first_changes, []
        first = changes[0]
        large = {change.diff.path: None for change in changes if is_too_large(Path(change.path))}
        small = [change for change in changes if change.diff.path not in large]
        own = {change.diff.path: None for change in small if not change.during_command}
        others = {change.diff.path: None for change in small if change.diff.path not in own}
        said = []
        if own:
            said.append(f"Changed {name_files([*own])}. /undo reverts what a turn changed.")
        if others:
            listed = name_files([*others])
            said.append(f"{listed} changed while a command ran. /undo can revert {_them(others)}.")
        if large:
            said.append(f"Too large for /undo: {name_files([*large])}.")
        self.record.emit(Notice(" ".join(said)), first.turn, first.step)

    def hold_rules(self, given: PermissionSettings) -> None:
        """These rules hold from the next call on: a project that was trusted just now has some."""
        self.executor.approvals.permissions = own_rules(given)

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


def _them(names: Sized) -> str:
    return "them" if len(names) > 1 else "it"
