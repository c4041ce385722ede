"""How an agent runs a skill: as the turn of a person's line, or because its model loads it; in its
own context, or in a fresh one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container
from functools import partial
from typing import Final

from agent_tui.agent.turn.loaded_skills import LoadedSkills
from agent_tui.agent.turn.running_turn import Turn
from agent_tui.agent.turn.skill_tools import AllowedTools, allowed_tools
from agent_tui.context.skills.catalog import load
from agent_tui.context.skills.expansion import MAX_CHARS, Expansion
from agent_tui.context.skills.parsing import Skill
from agent_tui.protocol.events import ErrorRaised, Event, Notice, StepStarted
from agent_tui.protocol.transcript import TurnEnd
from agent_tui.structures.frozen import frozen
from agent_tui.tools.base import ToolContext, ToolFailure

FORKED: Final = "[The skill {} runs on this in a context of its own; what it comes to follows]"
SAID_NO: Final = "the person does not let the skill {} of this project be used: go on without it"
Fork = Callable[[str, str, str, tuple[AllowedTools, ...]], Awaitable["Result"]]
"""Lets a new agent do what a text says: its name, the text, the call that starts it, and the tools
that it may use."""


@frozen
class Result:
    """What an agent in a context of its own has come to: how its turn ended, its last words, and
    what went wrong."""

    state: TurnEnd
    words: str
    error: ErrorRaised | None = None

    @property
    def trouble(self) -> str:
        """Why there may be less than was asked for; empty: it came to its end."""
        if self.state == "completed":
            return "" if self.words.strip() else "it ended without a word"
        return self.error.text if self.error is not None else f"its turn ended: {self.state}"


@frozen
class SkillRun:
    """A skill as the turn of a line runs it. `text`: what the model that follows it gets; `forks`:
    in a context of its own."""

    name: str
    text: str
    forks: bool = False
    allowed: tuple[AllowedTools, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def sent(self) -> str:
        """What the conversation has for the line."""
        return FORKED.format(self.name) if self.forks else self.text

    @classmethod
    def plan(cls, skill: Skill, expansion: Expansion, known: Container[str]) -> SkillRun:
        """`known`: the tools that there are."""
        found, notices = allowed_tools(skill, known), []
        if expansion.left_out:
            more = f"the last {expansion.left_out:,} characters are not sent"
            notices.append(f"/{skill.name} is longer than {MAX_CHARS:,} characters: {more}")
        if found is not None and found.unknown:
            names = ", ".join(found.unknown)
            notices.append(f"/{skill.name} names tools that are not here: {names}")
        text = expansion.text if found is None else f"{expansion.text}\n\n{found.said}"
        allowed = () if found is None else (found,)
        return cls(skill.name, text, skill.fork, allowed, tuple(notices))


async def run_forked(turn: Turn, run: SkillRun, fork: Fork) -> TurnEnd:
    """The turn of a line whose skill runs in a context of its own: its last words are the
    answer."""
    turn.step = 1
    turn.emit(StepStarted())
    result = await fork(run.name, run.text, "", run.allowed)
    if result.words.strip():
        turn.add_text(result.words, at_once=True)
        turn.settle_reply("stop")
    if error := result.error if result.state == "error" else None:
        turn.emit(ErrorRaised(error.text, error.kind, error.hint, error.may_pass))
    elif result.trouble:
        turn.emit(Notice(f"/{run.name}: {result.trouble}", "warning"))
    return result.state


class SkillLoads:
    """What the model of one agent gets of skills, each text once (`loaded`). `fork`: None where no
    context of its own can be had, in one already."""

    def __init__(
        self,
        skills: LoadedSkills,
        emit: Callable[[Event], None],
        known: Callable[[], Container[str]],
        off_loop: Callable[[Callable[[], None]], Awaitable[None]],
        fork: Fork | None,
    ) -> None:
        self._skills, self._emit, self._known = skills, emit, known
        self._off_loop, self._fork = off_loop, fork
        self.loaded: set[str] = set()
        self._asking = asyncio.Lock()

    async def load(self, name: str, words: str, ctx: ToolContext) -> str:
        """Raises ToolFailure."""
        skill = self._skills.find(name)
        async with self._asking:  # the same one may be loaded twice at once
            if self._skills.is_new(skill):
                await self._ask_first(skill, ctx)
        if not skill.fork or self._fork is None:
            return self._text(skill, words)
        run = SkillRun.plan(skill, load(skill, words), self._known())
        for text in run.notices:
            self._emit(Notice(text, "warning"))
        result = await self._fork(name, run.text, ctx.call_id, run.allowed)
        if result.trouble and not result.words.strip():
            raise ToolFailure("exception", f"the skill {name} came to nothing: {result.trouble}")
        return f"{result.words}\n[{result.trouble}]" if result.trouble else result.words

    def _text(self, skill: Skill, words: str) -> str:
        if skill.name in self.loaded and not words:
            return f"The skill {skill.name} was loaded earlier in this session: see above."
        self.loaded.add(skill.name)
        return load(skill, words).text

    async def _ask_first(self, skill: Skill, ctx: ToolContext) -> None:
        """Ask the person about the first use of a skill of the project. Raises ToolFailure."""
        replies = await ctx.ask([self._skills.inquiry(skill)])
        if replies is None:
            refusal = self._skills.refusal(skill)
            self._emit(Notice(refusal, "warning"))
            raise ToolFailure("denied", refusal)
        if not replies[0].picks:
            raise ToolFailure("denied", SAID_NO.format(skill.name))
        try:
            await self._off_loop(partial(self._skills.agree, skill))
        except OSError as error:
            self._emit(Notice(unsaved(error), "warning"))


def unsaved(error: OSError) -> str:
    return f"Used until you quit, as it cannot be saved: {error.strerror or error}"
