"""What kept jobs changed at the names that programs obey while no program looked: found by the next
session in their folder, which asks whether it stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from agent_tui.agent.services.jobs import Jobs
from agent_tui.agent.services.kept_jobs import KeptJobs
from agent_tui.agent.services.kept_names import KeptNames
from agent_tui.agent.turn.tool_context import CallContext
from agent_tui.agent.turn.workplace import Workplace
from agent_tui.protocol.events import JobChanged, Notice

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
_CALL: Final = "job-"


class LeftJobs:
    """Judges them, each once, also where several programs could."""

    def __init__(self, jobs: Jobs, kept: KeptJobs, workplace: Workplace, spawn: Spawn) -> None:
        self._names, self._session, self._workplace = kept.names, kept.session, workplace
        jobs.judge = lambda id: spawn(self.judge(id))

    @property
    def are_there(self) -> bool:
        """Whether there may be any: one look into a folder."""
        return self._names.are_there

    async def judge_ended(self) -> None:
        """Those that ended before this session began."""
        for id in await self._workplace.off_loop(lambda: [*self._names.ended()]):
            await self.judge(id)

    async def judge(self, id: str) -> None:
        """What the job `id`, which has ended, changed stays only if the person says so. It is
        judged again by the next run, should this one be killed first."""
        place = self._workplace
        names: KeptNames | None = await place.off_loop(partial(self._names.take, id))
        if names is None:
            return
        try:
            context = CallContext(place, f"{_CALL}{id}", frozenset())
            context.protected.watch_again(names.state, names.way)
            place.allowed_changes.add_known(names.allowed)
            await context.protected.judge_left(names.command, partial(self._tell, names))
            await place.off_loop(partial(self._names.forget, id))
        except OSError as error:
            place.emit(Notice(f"What a job changed is asked about again: {error}", "warning"))
        finally:
            self._names.release(id)

    def _tell(self, names: KeptNames, said: str) -> None:
        """Let the model know, if it is one of its own jobs."""
        if names.number and names.session == self._session:
            told = f"[While job {names.number} ran ({names.command}), {said}]"
            ended = JobChanged("", "ended", names.command, number=names.number, told=told)
            self._workplace.emit(ended)
