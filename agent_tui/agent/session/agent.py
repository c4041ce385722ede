"""The agent of a session: takes Ops, runs turns, keeps the queue. Everything here runs on one
asyncio loop.

`handle` never blocks and never fails: what takes time is a task, what goes wrong is an event."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor as Pool
from dataclasses import replace
from logging import Logger
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services.clipboard_files import Exports
from agent_tui.agent.services.confirmations import Confirmations
from agent_tui.agent.services.differences import DifferenceDesk
from agent_tui.agent.services.doctor import Checkup
from agent_tui.agent.services.files import Files
from agent_tui.agent.services.hidden import HiddenDesk
from agent_tui.agent.services.images import Images
from agent_tui.agent.services.left_jobs import LeftJobs
from agent_tui.agent.services.models import Models
from agent_tui.agent.services.permissions import PermissionDesk
from agent_tui.agent.services.queries import Looker
from agent_tui.agent.services.session_admin import sessions_told
from agent_tui.agent.services.session_ops import SessionOps
from agent_tui.agent.services.setup_ops import Setups
from agent_tui.agent.services.shell import Shell
from agent_tui.agent.services.side_questions import Asides
from agent_tui.agent.services.trust import TrustDesk, describe_trust
from agent_tui.agent.services.undo import Undo
from agent_tui.agent.session.directories import Directories, roots
from agent_tui.agent.session.draft import Draft
from agent_tui.agent.session.mode_and_effort import switch
from agent_tui.agent.session.queue import PromptQueue
from agent_tui.agent.session.record import Record
from agent_tui.agent.session.skill_lines import SkillLines
from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.agent.turn.turns import Turns, new_id
from agent_tui.context.skills.expansion import Expansion
from agent_tui.protocol.answers import SaveOutcome, Skills
from agent_tui.protocol.events import (
    Answered,
    Cleared,
    DraftSaved,
    Notice,
    PlaceKept,
    SteerSeen,
)
from agent_tui.protocol.ops import (
    AllowOnce,
    Answer,
    AskAside,
    Cancel,
    CancelAside,
    Clear,
    Export,
    Fork,
    KeepJob,
    KeepPlace,
    MoveToBackground,
    Op,
    Pull,
    Query,
    QueueEdit,
    RestoreFiles,
    RevokePermission,
    RunShell,
    Save,
    SaveDraft,
    SetClipboard,
    SetDirectory,
    SetEffort,
    SetInView,
    SetMode,
    SetModel,
    SetTrust,
    ShowHidden,
    Steer,
    StopJob,
    Submit,
    WriteFile,
)
from agent_tui.protocol.setup_op import SetUp
from agent_tui.protocol.transcript import Queued
from agent_tui.structures import chips

SAVE_SECONDS: Final = 1.0
"""So soon a log that could not be written is tried again."""


class Agent:
    """One session at work."""

    def __init__(
        self,
        config: EngineConfig,
        record: Record,
        models: Models,
        skills: LoadedSkills,
        pool: Pool,
        log: Logger,
    ) -> None:
        self.config, self.record, self.models = config, record, models
        self.skills, self.log, self._pool = skills, log, pool
        self.queue = PromptQueue(record)
        self.draft = Draft(record)
        self.turns = Turns(config, record, models, skills, self.queue, pool, log, self.draft.keep)
        self.lines = SkillLines(self.turns, self.draft, pool, self._begin, self._give_back)
        self.errands = Exports(config, record, pool, self.turns.spawn)
        self.setups = Setups(
            models, record, self.turns.spawn, pool, self.turns.executor.workplace.learn_own
        )
        self.shell = Shell(record, self.turns)
        self.asides = Asides(
            record,
            models,
            self.turns.accounts,
            lambda: self.turns.main.prepare(record.emit),
            self.turns.main.fill_images,
            self.turns.spawn,
        )
        self.images = Images(config, record.emit, self.turns.executor.workplace)
        self.files = Files(config, record.emit, pool, log, lambda: roots(record))
        self.directories = Directories(config, record, pool)
        self.looker = Looker(config, record.emit, pool, record.session, lambda: roots(record))
        self.checkup = Checkup(self.models, record.emit, pool)
        self.whole = SessionOps(config, record, self.turns, self.shell, pool)
        rewind = self.whole.rewind
        self.undo = Undo(config, record, self.turns, self.shell, pool, rewind, self.handle)
        self.differences = DifferenceDesk(config, record, self.turns, pool)
        hold, seen = self.turns.hold_rules, self.turns.executor.workplace.seen_files.folders
        self.trust = TrustDesk(config, record, skills, pool, self.tell_skills, hold, seen)
        self.turns.executor.on_approved_change = self.trust.follow
        consent, spawn, queue = self.turns.consent, self.turns.spawn, self.queue
        self.confirmations = Confirmations(
            config, record, models, consent, self.trust, queue, pool, spawn, self.handle, new_id
        )
        self._left = self._judge_jobs(config.interactive)
        self.permissions = PermissionDesk(
            self.turns.executor.approvals,
            record.emit,
            self.turns.executor.workplace.scrub,
            lambda text: self.handle(Steer(text)),
        )
        self.hidden = HiddenDesk(self.turns, record)
        self._closed = self._saves = False
        """`_saves`: the log is tried again after a while."""
        record.on_trouble = self._save_later

    def _judge_jobs(self, asks: bool) -> LeftJobs | None:
        """How it is decided what jobs may change."""
        jobs, workplace = self.turns.jobs, self.turns.executor.workplace
        if asks:
            jobs.may_stay = self.confirmations.may_stay
        kept = jobs.kept
        return LeftJobs(jobs, kept, workplace, self.turns.spawn) if kept is not None else None

    async def judge_left_jobs(self) -> None:
        """Judge what kept jobs changed that ended before, until that is done or the person is
        asked: nothing begins before that."""
        if self._left is None or not self._left.are_there:
            return
        judging = self.turns.spawn(self._left.judge_ended())
        asked = asyncio.ensure_future(self.confirmations.begun.wait())
        await asyncio.wait({judging, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()

    def handle(self, op: Op) -> None:
        if isinstance(op, Fork):  # the copy has the prompt as it is now
            self.draft.keep()
        if self.undo.waits(op) or self.confirmations.holds(op) or self.whole.handle(op):
            return
        match op:
            case Submit():
                self._submit(op)
            case Steer():
                self._steer(op)
            case Cancel():
                self._cancel(op.clear_queue)
            case QueueEdit():
                self.queue.edit(op)
                self._follow_queue()
                if op.action == "add":
                    self.draft.spend(op.text)
            case Answer():
                self.turns.main.answer(op)
            case SetMode() | SetEffort():
                switch(self.record, op, self.turns.executor.approvals.permissions.limits)
                if isinstance(op, SetMode):
                    self.turns.spawn(self.turns.executor.find_sandbox())
            case SetDirectory():
                self.turns.spawn(self._change_directory(op))
            case SetInView():
                self.turns.spawn(self.turns.main.in_view.change(op))
            case SetModel():
                self.turns.spawn(self._change_model(op))
            case Pull() | SetUp():
                self.setups.handle(op)
            case SaveDraft():
                self.draft.save(op)
            case KeepPlace() if op.row >= 0 or self.record.standing.place >= 0:
                self.record.emit(PlaceKept(op.row))
            case RunShell():
                self.shell.run(op)
            case StopJob() | KeepJob() | MoveToBackground():
                self.turns.jobs.handle(op)
            case RevokePermission() | AllowOnce():
                self.permissions.handle(op)
            case ShowHidden():
                self.hidden.show(op)
            case SetTrust():
                self.turns.spawn(self.trust.settle(op))
            case AskAside():
                self.asides.ask(op)
            case CancelAside():
                self.asides.cancel()
            case Query():
                self._query(op)
            case Clear():
                self._clear()
            case Save():
                self._save_at(op)
            case RestoreFiles():
                self.undo.restore(op)
            case SetClipboard() | WriteFile() | Export():
                self.errands.run(op)
            case _:
                self.log.warning("an op that is not for the agent: %s", type(op).__name__)

    async def _change_directory(self, op: SetDirectory) -> None:
        await self.directories.change(op)
        if (await self.trust.look()).is_new and self.config.asks and not self.turns.busy:
            self.confirmations.ask_about_trust()

    async def _change_model(self, op: SetModel) -> None:
        found = await self.models.change(self.record, op.model, op.base_url)
        if found and op.base_url and not self.turns.busy:
            self.confirmations.offer_to_keep_address()

    def _submit(self, op: Submit) -> None:
        if op.queue_id:
            queued = self.queue.find(op.queue_id)
            if queued is None:
                return  # it has left the queue by another way: never twice
            # it may have been edited since it was asked for
            op = replace(op, text=queued.text, pastes=queued.pastes)
        if self.turns.busy:
            if not op.queue_id:
                self.handle(QueueEdit("add", text=op.text, pastes=op.pastes))
            return
        if self.models.provider is None:
            self.record.emit(self.models.answer_query("start"))
            self._give_back(op)
            return
        self.lines.submit(op)

    def _steer(self, op: Steer) -> None:
        queued = self.queue.find(op.queue_id) if op.queue_id else None
        text, pastes = (queued.text, queued.pastes) if queued else (op.text, op.pastes)
        if op.queue_id and queued is None:
            return
        if self.turns.current is None:
            self._submit(Submit(text, op.queue_id, pastes))
            return
        if why := self.lines.why_waits(text):
            if queued is None and self.queue.add(text, pastes=pastes):
                self.draft.spend(text)
            self.record.emit(Notice(f"{why}, so it waits for its own turn.", "warning"))
            return
        steers = self.turns.current.steers
        if (
            queued is None
        ):  # on record in the queue until the model has seen it: a kill in between loses nothing
            queued = self.queue.add(text, True, pastes)
            self.draft.spend(text)
        else:
            self.queue.steer(queued.id)
        if queued is not None and queued.id not in (steer.queue_id for steer in steers):
            steers.append(self._expand_steer(queued))

    def _expand_steer(self, item: Queued) -> SteerSeen:
        """What a prompt of the queue is once the model has it, with the words of its skill."""
        return SteerSeen(item.text, item.id, item.pastes, self.lines.sent_for(item.text))

    def _follow_queue(self) -> None:
        """Words that wait in the queue for the turn's next step are those that stand there now, or
        none."""
        if (turn := self.turns.current) is not None:
            found = {item.id: self._expand_steer(item) for item in self.queue.items}
            turn.steers = [
                found.get(steer.queue_id, steer)
                for steer in turn.steers
                if not steer.queue_id or steer.queue_id in found
            ]

    def _cancel(self, clear_queue: bool) -> None:
        if clear_queue:
            self.queue.set((), False)
            self._follow_queue()
        stopped = (self.confirmations.cancel(), self.shell.cancel())
        if any(stopped):
            self.queue.pause()  # nothing goes out because a person stopped something
        self.turns.cancel()

    def _begin(self, op: Submit, expansion: Expansion | None) -> None:
        self.turns.begin(op, expansion)
        self.draft.spend(op.text)

    def _save_later(self) -> None:
        """What is not on disk is tried again, also where nothing happens: room may come back."""
        if not self._saves:
            self._saves = True
            asyncio.get_running_loop().call_later(SAVE_SECONDS, self._save_again)

    def _save_again(self) -> None:
        self._saves = False
        if not self._closed:
            self.record.save()
            if self.record.store.trouble:
                self._save_later()

    def _save_at(self, op: Save) -> None:
        """The log is tried again now, or kept in another file from here on."""
        self.draft.keep()
        problem = ""
        try:
            if op.path:
                self.record.move(self.errands.target_of_log(op.path))
            else:
                self.record.save()
                problem = self.record.store.trouble
        except OSError as error:
            problem = f"{error.strerror or error}: {error.filename or op.path}"
        self.record.emit(Answered("saved", SaveOutcome(problem)))

    def _query(self, op: Query) -> None:
        match op.kind:
            case "models":
                self.turns.spawn(self.models.offer(self.record, op.id))
            case "skills":
                self.turns.spawn(self._look_for_skills(op.id))
            case "sessions":
                self.record.emit(sessions_told(self.config, op.id))
            case "image":
                self.turns.spawn(self.images.look(op.id, op.argument))
            case "clipboard_image":
                self.turns.spawn(self.images.paste(op.id))
            case "files":
                self.turns.spawn(self.files.tell(op.id))
            case (
                "session_preview"
                | "file_preview"
                | "log"
                | "search"
                | "search_here"
                | "stats"
                | "tree"
                | "named_files"
            ):
                self.turns.spawn(self.looker.look(op))
            case "undo" | "redo":
                self.undo.tell(op)
            case "diff":
                self.turns.spawn(self.differences.tell(op))
            case "jobs":
                self.turns.jobs.tell(op.id)
            case "permissions":
                self.turns.spawn(self._tell_permissions(op.id))
            case "context":
                self.turns.spawn(self.whole.context.tell(op.id))
            case "repo_map":
                self.turns.spawn(self.whole.maps.tell(op))
            case "compaction":
                self.whole.compactions.tell(op)
            case "memory":
                self.turns.spawn(self.turns.memory.tell(op.id))
            case "hidden":
                self.hidden.tell(op.id)
            case "trust":
                self.turns.spawn(self.trust.tell(op.id))
            case "doctor":
                self.turns.spawn(self.checkup.tell(op.id))

    async def _tell_permissions(self, id: str) -> None:
        self.permissions.tell(id, describe_trust(await self.trust.look())[1])

    async def _look_for_skills(self, id: str) -> None:
        """Who asks for the list may have written a skill meanwhile."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self.skills.look_again)
        self.tell_skills(id)

    def tell_skills(self, id: str) -> None:
        self.record.emit(Answered(id, Skills(self.skills.skills.list())))

    def _clear(self) -> None:
        if self.turns.current is not None:
            self.record.emit(
                Notice("A turn is running: interrupt it first (Esc), then /clear.", "warning")
            )
            return
        self.turns.forget_read()
        self.record.emit(Cleared())

    async def close(self) -> None:
        """End what runs and put the rest on record."""
        self._closed = self.lines.closed = True
        self.confirmations.close()
        self.turns.cancel()
        self.asides.cancel()
        self.files.ended = True
        self.whole.maps.end()
        await self.errands.close()
        await self.turns.close()
        self.turns.jobs.close()
        self.draft.keep()
        await self.models.close()

    def _give_back(self, op: Submit) -> None:
        """A prompt that cannot be sent now: it stays in the queue it came from, or returns to the
        draft."""
        if op.queue_id:
            self.queue.pause()
        else:
            self.record.emit(DraftSaved(*chips.draft(op.text, op.pastes)))
