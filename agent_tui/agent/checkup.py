"""`/doctor`: the checks of `agent-tui doctor`, while a session runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from typing import Any

from agent_tui.agent.models import Models
from agent_tui.protocol import answers
from agent_tui.protocol.events import Answered, Event
from agent_tui.registry import late

with late():
    from agent_tui.agent import doctor


class Checkup:
    """Answers the query `doctor`. One look at a time."""

    def __init__(self, models: Models, emit: Callable[[Event], Any], pool: Pool) -> None:
        self._models, self._emit, self._pool = models, emit, pool

    async def tell(self, id: str) -> None:
        found = await doctor.examine(self._models.config, self._pool, {fd: os.isatty(fd) for fd in (0, 1)})
        self._emit(Answered(id, answers.Checkup(found)))
