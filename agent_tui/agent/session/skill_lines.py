"""Lines that call a skill, and what must be asked before their turn: whether a skill of the project
may be used at all, and the arguments that are missing."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial

from agent_tui.agent.session.draft import Draft
from agent_tui.agent.turn.inquiries import question_of
from agent_tui.agent.turn.skill_run import unsaved
from agent_tui.agent.turn.turns import Turns, new_id
from agent_tui.context.skills.expansion import Expansion, Missing
from agent_tui.context.skills.parsing import Skill
from agent_tui.protocol.events import ErrorRaised, Notice, QuestionAnswered, QuestionAsked
from agent_tui.protocol.ops import Answer, QueueEdit, Submit

Begin = Callable[[Submit, Expansion | None], None]


class SkillLines:
    """`begin` starts the turn of a line, `give_back` returns it to where the person wrote it."""

    def __init__(
        self,
        turns: Turns,
        draft: Draft,
        pool: Pool,
        begin: Begin,
        give_back: Callable[[Submit], None],
    ) -> None:
        self._config, self._record, self._queue = turns.config, turns.record, turns.queue
        self._turns, self._skills = turns, turns.skills
        self._draft, self._pool, self._begin, self._give_back = draft, pool, begin, give_back
        self.closed = False

    def submit(self, op: Submit) -> None:
        """Begin the turn of a prompt, or ask first what it lacks."""
        found, skill = self._skills.skills.expand(op.text), self._find(op.text)
        asks = self._skills.is_new(skill) or isinstance(found, Missing)
        if asks and not self._config.interactive:
            self._record.emit(self._refused(skill, found))
        elif asks:
            self._turns.task = self._turns.spawn(self._ask(op))
        else:
            assert not isinstance(found, Missing)
            self._begin(op, found)

    def why_waits(self, text: str) -> str:
        """Why a line cannot enter a running turn; empty: it can."""
        found, skill = self._skills.skills.expand(text), self._find(text)
        if skill is not None and self._skills.is_new(skill):
            return f"/{skill.name} is a skill of this project that you have not used yet"
        if isinstance(found, Missing):
            return f"/{found.name} needs <{found.argument}>"
        return f"/{skill.name} runs in a context of its own" if skill and skill.fork else ""

    def sent_for(self, text: str) -> str:
        """What the model gets for a line that enters a running turn; empty: the line."""
        found = self._skills.skills.expand(text)
        return found.text if isinstance(found, Expansion) and not self.why_waits(text) else ""

    def _find(self, line: str) -> Skill | None:
        return self._skills.skills.called_by(line)

    def _refused(self, skill: Skill | None, found: Expansion | Missing | None) -> ErrorRaised:
        """What is said where nobody can be asked."""
        if skill is not None and self._skills.is_new(skill):
            return ErrorRaised(self._skills.refusal(skill), "denied")
        assert isinstance(found, Missing)
        said = f"/{found.name} needs <{found.argument}>"
        return ErrorRaised(said, "invalid_arguments", "write all arguments after the name")

    async def _ask(self, op: Submit) -> None:
        """Ask, then begin; a no gives the line back. Meanwhile the line is in the queue: a kill in
        between loses nothing."""
        line = op if op.queue_id else self._wait_in_queue(op)
        skills = self._skills.skills  # what is asked about is what is used, whatever is read anew
        skill = skills.called_by(op.text)
        is_new = skill is not None and self._skills.is_new(skill)
        if skill is not None and is_new and not await self._may_use(skill, line, op):
            return
        found = skills.expand(op.text)
        while isinstance(found, Missing):
            said = await self._argument(found, line, op)
            if not said:
                return
            found = skills.complete(found, said)
            if isinstance(found, Missing):  # what was said stands in the line from now on
                more = f"{op.text.rstrip()} {shlex.quote(said)}"
                line, op = replace(line, text=more), replace(op, text=more)
                self._queue.edit(QueueEdit("edit", id=line.queue_id, text=more, pastes=op.pastes))
        self._begin(line, found)

    async def _may_use(self, skill: Skill, line: Submit, op: Submit) -> bool:
        asked = question_of(self._skills.inquiry(skill), "", str)
        agreed = bool((await self._answer(asked, line, op)).picks)
        no = QuestionAnswered(id=asked.id, choice="no", idle=True)
        self._record.emit(replace(no, choice="choose", picks=(0,)) if agreed else no)
        if not agreed:
            self._leave(line, op)
            return False
        keep = partial(self._skills.agree, skill)
        try:
            await asyncio.get_running_loop().run_in_executor(self._pool, keep)
        except OSError as error:
            self._record.emit(Notice(unsaved(error), "warning"))
        return True

    async def _argument(self, missing: Missing, line: Submit, op: Submit) -> str:
        """What the person says for an argument; empty: nothing."""
        text = f"/{missing.name} needs <{missing.argument}>"
        asked = QuestionAsked(id=new_id(), kind="skill_argument", text=text)
        answer = await self._answer(asked, line, op)
        said = answer.text.strip() if answer.choice == "say" else ""
        self._record.emit(
            QuestionAnswered(id=asked.id, choice="say" if said else "no", text=said, idle=True)
        )
        if not said:
            self._leave(line, op)
        return said

    async def _answer(self, asked: QuestionAsked, line: Submit, op: Submit) -> Answer:
        self._record.emit(asked)
        try:
            return await self._turns.consent.wait(asked.id)
        except asyncio.CancelledError:
            # else another prompt has begun its turn since the cancel
            idle = self._turns.current is None
            self._record.emit(QuestionAnswered(id=asked.id, choice="no", idle=idle))
            self._take_back(line, op)
            raise

    def _wait_in_queue(self, op: Submit) -> Submit:
        """`op` as a prompt of the queue, before all that waits there."""
        queued = self._queue.add(op.text, pastes=op.pastes, first=True)
        self._draft.spend(op.text)
        return replace(op, queue_id=queued.id) if queued else op

    def _leave(self, line: Submit, op: Submit) -> None:
        self._turns.task = None
        self._take_back(line, op)

    def _take_back(self, line: Submit, op: Submit) -> None:
        """A line that was not begun goes back to where it was sent from. At the end of the program
        it stays in the queue: the draft may hold the words that were begun for it."""
        if self.closed:
            self._give_back(line)
            return
        if line.queue_id != op.queue_id:
            self._queue.edit(QueueEdit("remove", id=line.queue_id))
        self._give_back(op)
