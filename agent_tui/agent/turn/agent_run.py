"""One agent at work: its loop, tools, questions and turn, whether it is the session's main agent or
one below that.

What all agents of a session share comes in with `Shared`; what an agent says goes through its own
`AgentRecord`, which says whose it is. So a sub-agent is one more `AgentRun`, which ends with the
one that started it.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor as Pool
from contextlib import suppress
from dataclasses import replace
from logging import Logger
from pathlib import Path
from typing import Any, Literal

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import images, map_desk
from agent_tui.agent.services.confirmations import Consent
from agent_tui.agent.services.jobs import Jobs
from agent_tui.agent.services.memory import Memories
from agent_tui.agent.services.models import Models
from agent_tui.agent.session import directories, mode_and_effort
from agent_tui.agent.session.record import AgentRecord, Record
from agent_tui.agent.turn import loop, tool_wiring
from agent_tui.agent.turn.accounts import Accounts
from agent_tui.agent.turn.attachments import attacher
from agent_tui.agent.turn.command_changes import Watch
from agent_tui.agent.turn.compactor import Compactor
from agent_tui.agent.turn.custom_tools import CustomTools
from agent_tui.agent.turn.edit_hooks import Hooks
from agent_tui.agent.turn.executor import Executor
from agent_tui.agent.turn.files_in_view import InView
from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.agent.turn.offered_tools import OfferedTools, Serving
from agent_tui.agent.turn.prefix_guard import PrefixGuard
from agent_tui.agent.turn.request_prefix import RequestPrefix
from agent_tui.agent.turn.retries import Fallbacks
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.agent.turn.skill_run import Result, SkillLoads, SkillRun, run_forked
from agent_tui.agent.turn.skill_tools import AllowedTools, allowed_tools
from agent_tui.agent.turn.step_notes import step_limit
from agent_tui.context.prompt import volatile_facts
from agent_tui.present.wording import REPEATS
from agent_tui.protocol.events import (
    ApprovalAsked,
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
from agent_tui.protocol.messages import (
    AssistantMessage,
    ModelInfo,
    Request,
)
from agent_tui.protocol.ops import Answer, SetMode
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.providers.base import Provider
from agent_tui.sessions.log.checkpoints import Blobs
from agent_tui.structures.frozen import frozen
from agent_tui.structures.readable import count_noun
from agent_tui.tools.base import ToolFailure
from agent_tui.tools.read_result import GROUP


@frozen
class Shared:
    """What all agents of a session share. `sealed` says why nothing may be changed now; `noted`
    hears of a file that an agent changed.
    """

    config: EngineConfig
    record: Record
    skills: LoadedSkills
    accounts: Accounts
    pool: Pool
    log: Logger
    models: Models
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    sealed: Callable[[], str]
    noted: Callable[[FileChanged], None]
    jobs: Jobs
    watch: Watch
    custom: CustomTools
    hooks: Hooks
    memory: Memories
    changing: asyncio.Lock
    """One agent at a time changes something: what a command changed is told apart from what others
    do."""


@frozen
class Ends:
    """What a session does at the end of a turn: `settled` before that is on record, `ended` after
    it."""

    settled: Callable[[Turn, TurnEnd], None] = lambda _, __: None
    ended: Callable[[TurnEnd], None] = lambda _: None


class AgentRun:
    """One agent. `serving` is the model that answers it; `attaches`: its prompts are a person's, so
    the files that they name go with them, and what is remembered of what they are about."""

    def __init__(
        self,
        shared: Shared,
        record: AgentRecord,
        serving: Serving,
        ends: Ends | None = None,
        attaches: bool = True,
    ) -> None:
        self.shared, self.record, self.serving = shared, record, serving
        self._ends, self._recalls = ends or Ends(), attaches
        self._left_out = 0
        """Images of the last request that its model did not take."""
        self.consent = Consent()
        self.fallbacks = Fallbacks(shared.models)
        self.guard = PrefixGuard()
        self.compactor = Compactor(
            record,
            shared.models,
            shared.accounts,
            shared.config.settings.agent,
            lambda text: self.executor.scrub(text),
            self.note_shorter_context,
            shared.log,
            shared.memory,
        )
        self.current: Turn | None = None
        self._above: tuple[AllowedTools, ...] = ()
        """What those above leave of the tools."""
        self.below: dict[str, AgentRun] = {}
        """The agents that this one started, and that are at work."""
        whole = shared.record
        self.loads = self._skill_loads()
        self.executor = self._executor()
        self.tools = OfferedTools(
            shared.config, shared.custom, shared.pool, record, serving, self.executor
        )
        self.prefix = RequestPrefix(
            shared.config,
            record,
            shared.skills,
            self.tools,
            self.executor,
            serving,
            shared.memory,
        )
        self.executor.approvals.remember(whole.standing.allowed)
        self.attach = attacher(self.executor) if attaches else _nothing_attached
        self.in_view = InView(record, self.executor, self.attach)

    def _executor(self) -> Executor:
        shared, config = self.shared, self.shared.config
        return tool_wiring.build(
            config,
            shared.record.session,
            shared.skills,
            self._roots,
            self._tool_said,
            known=lambda: frozenset(tool.name for tool in self.record.history.tools),
            mode=lambda: shared.record.standing.mode,
            ask=self._ask if config.interactive else None,
            new_id=new_id,
            pool=shared.pool,
            log=shared.log,
            sealed=shared.sealed,
            watch=shared.watch,
            changing=shared.changing,
            jobs=shared.jobs,
            load_tools=lambda group: self.tools.load(group),
            sources=(shared.custom,),
            set_mode=self._set_mode,
            has_room=lambda: self.compactor.room_for_result(self.serving.info),
            past_result=lambda call: self.record.history.results.get(call),
            is_sent=lambda call, result: self.record.history.holds_result(call, result),
            hooks=shared.hooks,
            load_skill=self.loads.load,
            memory=shared.memory,
        )

    def _skill_loads(self) -> SkillLoads:
        loop_, pool = asyncio.get_running_loop, self.shared.pool
        return SkillLoads(
            self.shared.skills,
            lambda event: self.record.emit(event),
            known=lambda: self.executor.tools,
            off_loop=lambda work: loop_().run_in_executor(pool, work),
            fork=self.fork if self.record is self.shared.record.main else None,
        )

    # -- a turn

    def begin(self, started: TurnStarted) -> Turn:
        """Put the beginning of a turn on record; there is a provider, and nothing runs."""
        provider = self.serving.provider
        assert provider is not None  # checked when the prompt was accepted
        number = self.record.turns + 1
        emit = self.record.emit
        turn = Turn(
            number, lambda event, step: emit(event, number, step), provider.name, self.consent.clock
        )
        self.current = turn
        turn.emit(started)
        return turn

    async def run(self, turn: Turn, skill: SkillRun | None = None) -> None:
        """Run a turn that has begun to its end, which is on record then; that of a line which calls a
        `skill`."""
        forked = skill if skill is not None and skill.forks else None
        self.executor.allowed = (*self._above, *self._allowed())
        limit = self.shared.config.settings.agent.timeout or None
        clock = asyncio.timeout(limit)
        state: TurnEnd = "error"
        try:
            async with clock:
                state = await (run_forked(turn, forked, self.fork) if forked else self._loop(turn))
        except TimeoutError:
            if not clock.expired():
                raise
            turn.emit(Notice(f"The turn reached its limit of {limit:g} s.", "warning"))
            state = "timed_out"
        except Exception as error:  # the boundary of a turn
            self.shared.log.exception("turn %d", turn.number)
            turn.emit(
                ErrorRaised(
                    f"{type(error).__name__}: {error}", hint="the program's log has the details"
                )
            )
        await self.shared.watch.wait_for_reports()  # they belong to this turn
        self.end(turn, state)

    def cancel(self) -> None:
        """End the turn and all agents below, now; what still unwinds writes nothing more."""
        if self.current is not None:
            self.end(self.current, "cancelled")

    def end(self, turn: Turn, state: TurnEnd) -> None:
        """The only end of a turn: everything open is settled, that of the agents below first."""
        if turn.over:
            return
        for child in tuple(self.below.values()):
            child.cancel()
        with self.shared.record.store.together():
            turn.settle(state)
            self._ends.settled(turn, state)
            self.record.emit(
                TurnEnded(state=state, duration_ms=turn.elapsed_ms, steps=turn.step),
                turn.number,
                turn.step,
            )
        if self.current is turn:
            self.current = None
        self._ends.ended(state)

    async def close(self) -> None:
        await self.fallbacks.close()

    # -- agents below

    def start(self, name: str, parent_call: str, serving: Serving | None = None) -> AgentRun:
        """A new agent below this one, started by its call `parent_call`; it has the same model, if
        none is given.

        The tool of that call declares that it only reads: what the agent does is judged call by
        call, and changes wait for those of other agents."""
        record = self.shared.record.begin_agent(self.record.agent, name, parent_call)
        child = AgentRun(self.shared, record, serving or self.serving, attaches=False)
        self.below[record.agent] = child
        return child

    async def finish(self, child: AgentRun, prompt: str) -> tuple[TurnEnd, str]:
        """Let an agent below do what `prompt` says: how its turn ended, and its last words. To
        cancel this ends it."""
        ends: list[TurnEnd] = []
        child._ends = Ends(ended=ends.append)
        turn = child.begin(TurnStarted(prompt=prompt))
        try:
            await child.run(turn)
        finally:
            child.end(turn, "cancelled")  # unless it has ended
            self.below.pop(child.record.agent, None)
            self.shared.record.end_agent(child.record.agent)
            await child.close()
        messages = reversed(tuple(child.record.history.messages))
        return ends[0], next(
            (one.text for one in messages if isinstance(one, AssistantMessage)), ""
        )

    async def fork(
        self, name: str, prompt: str, parent_call: str, allowed: tuple[AllowedTools, ...]
    ) -> Result:
        """Let a new agent below, which knows nothing of this conversation, do what `prompt` says."""
        child = self.start(name, parent_call)
        child._above = (*self.executor.allowed, *allowed)
        return Result(*await self.finish(child, prompt), child.record.error)

    def _allowed(self) -> tuple[AllowedTools, ...]:
        """What the skill of the turn leaves of the tools, also where it goes on."""
        skill = self.shared.skills.skills.get(self.record.skill)
        found = allowed_tools(skill, self.executor.tools) if skill is not None else None
        return () if found is None else (found,)

    def answer(self, op: Answer) -> bool:
        """Give an answer to the one of these agents that waits for it; false: none does."""
        return self.consent.answer(op) or any(child.answer(op) for child in self.below.values())

    # -- what the loop works with

    async def _loop(self, turn: Turn) -> TurnEnd:
        provider, config, whole = self.serving.provider, self.shared.config, self.shared.record
        assert provider is not None
        await self.executor.workplace.learn_env_files()  # instructions may hold their values, too
        memory = self.shared.memory
        await memory.look_again(turn.emit)
        self.prefix.prepare(turn.emit)
        await self.tools.refresh(turn.emit)
        await self.prefix.tell_changes(turn.emit)
        if self._recalls:
            await memory.recall(turn.emit, self.record.prompt, self.record.history.told)
        await self.executor.workplace.off_loop(self.shared.hooks.refresh)
        await self.attach(self.record.prompt, turn)
        await self.in_view.attach_changed(turn)
        if turn.number == 1 and self.record is whole.main:
            await self._tell_map(turn)
        state = await loop.run(
            turn,
            loop.Collaborators(
                provider=provider,
                info=self.serving.info,
                executor=self.executor,
                history=lambda: self.record.history,
                chain=self.fallbacks.chain(self.serving.info.name, turn.emit),
                facts=lambda: volatile_facts(
                    config.cwd,
                    whole.standing.mode,
                    self.executor.scrub,
                    self.serving.info.name,
                ),
                hold=self._hold,
                attach=self.attach,
                fill=self.fill_images,
                accounts=self.shared.accounts,
                may_send=self._may_send,
                compactor=self.compactor,
                guard=self.guard,
                tell_below=self.prefix.tell_below,
                max_steps=step_limit(config.settings.agent.max_steps, provider),
                continues=config.settings.agent.continues,
                wait=config.settings.agent.wait,
                interactive=config.interactive,
            ),
        )
        if state == "max_steps":
            limit = count_noun(turn.step, "step")
            turn.emit(
                Notice(
                    f"The turn reached its limit of {limit}; say “go on” to continue.", "warning"
                )
            )
        return state

    async def _tell_map(self, turn: Turn) -> None:
        """Once a session, if the person wants that, a map of the project behind the prompt."""
        if tokens := self.shared.config.settings.agent.map_tokens:
            await map_desk.tell_map(turn.emit, self.executor, tokens)

    def prepare(self, emit: Callable[[Event], None]) -> None:
        self.prefix.prepare(emit)

    def note_shorter_context(self) -> None:
        """The model does not read results and skills any more that it had before."""
        self.loads.loaded.clear()
        with suppress(ToolFailure):  # the person has chosen the tools, and not this one
            self.tools.load(GROUP)

    async def fill_images(self, request: Request, info: ModelInfo | None = None) -> Request:
        """The images of a request, at the moment at which it is sent; `info`: of another model than
        the agent's."""
        info = info or self.serving.info
        takes = info.images
        left_out = images.count(request) if takes is False else 0
        if left_out and left_out != self._left_out and self.current is not None:
            said = f"{info.name} does not accept images: only their names were sent."
            self.current.emit(Notice(said, "warning"))
        self._left_out = left_out
        request = replace(request, effort=self.shared.record.standing.effort)
        blobs = Blobs(self.shared.config.blobs)
        loop_ = asyncio.get_running_loop()
        return await loop_.run_in_executor(
            self.shared.pool, images.fill_images, request, blobs.get, takes
        )

    def _set_mode(self, mode: str) -> None:
        limits = self.executor.approvals.permissions.limits
        mode_and_effort.switch(self.shared.record, SetMode(mode), limits)
        self.shared.spawn(self.executor.find_sandbox())

    def _ask(self, asked: ApprovalAsked | QuestionAsked) -> asyncio.Future[Answer]:
        return self.consent.expect(asked.id)

    async def _hold(self, reason: str) -> loop.Held:
        """Ask whether a turn that goes round in circles should go on; with nobody there it
        stops."""
        if not self.shared.config.interactive:
            self.record.emit(Notice(f"{REPEATS}. {reason} The turn ends here.", "warning"))
            return "stop", SteerSeen("")
        asked = QuestionAsked(
            id=new_id(), kind="stuck", text=reason, options=("stop", "continue", "say")
        )
        self.record.emit(asked, self.current.number if self.current else 0)
        answer = await self.consent.wait(asked.id)
        choice = answer.choice if answer.choice in ("continue", "say") else "stop"
        self.record.emit(QuestionAnswered(id=asked.id, choice=choice, text=answer.text))
        return choice, SteerSeen(answer.text if choice == "say" else "", pastes=answer.pastes)

    async def _may_send(self, provider: Provider, name: str, request: Request) -> bool:
        """Whether the budget is enough for `request`; else the person is asked, and with nobody
        there the turn ends."""
        agreed, accounts = set[str](), self.shared.accounts
        while (found := await accounts.exceeded_limit(provider, name, request)) is not None:
            limit, reason = found
            if limit in agreed:
                # as much again is not enough for this one: it was said to go on all the same
                return True
            if not self.shared.config.interactive:
                self.record.emit(Notice(f"{reason} The turn ends here.", "warning"))
                return False
            kind: Literal["price", "budget"] = "price" if limit == "price" else "budget"
            asked = QuestionAsked(id=new_id(), kind=kind, text=reason, options=("stop", "continue"))
            self.record.emit(asked, self.current.number if self.current else 0)
            answer = await self.consent.wait(asked.id)
            choice: Literal["stop", "continue"] = (
                "continue" if answer.choice == "continue" else "stop"
            )
            self.record.emit(QuestionAnswered(id=asked.id, choice=choice))
            if choice == "stop":
                return False
            agreed.add(limit)
            accounts.budget.extend(limit, name)
        return True

    def _tool_said(self, event: Event) -> None:
        if isinstance(event, FileChanged):
            self.shared.noted(event)
        self.record.emit(event)

    def _roots(self) -> tuple[Path, ...]:
        provider, shared = self.serving.provider, self.shared
        return (
            shared.config.cwd,
            *directories.roots(shared.record),
            *(provider.roots if provider else ()),
        )


async def _nothing_attached(_: str, __: Turn) -> None:
    """Words of a model name no files: it reads what it may read with its tools."""


def new_id() -> str:
    return uuid.uuid4().hex[:12]
