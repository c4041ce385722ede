"""A model that the person fetches while the session goes on. How it goes is answered as `PullProgress`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

from agent_tui.agent import fetching
from agent_tui.agent.models import Models
from agent_tui.agent.record import Record
from agent_tui.protocol.answers import PullProgress, PullState
from agent_tui.protocol.events import Answered, ErrorRaised, Notice
from agent_tui.protocol.ops import Pull

ID: Final = "pull"


class Pulls:
    """At most one model is fetched at a time."""

    def __init__(
        self, models: Models, record: Record, spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    ) -> None:
        self._models, self._record, self._spawn = models, record, spawn
        self._name = ""
        self._task: asyncio.Task[None] | None = None

    def handle(self, op: Pull) -> None:
        running = self._task is not None and not self._task.done()
        if op.how == "stop":
            if running and self._task is not None:
                self._task.cancel()
        elif running:
            said = f"{self._name} is still downloading; only one can at a time. /pull shows it."
            self._record.emit(Notice(said, "warning"))
        else:
            self._name = fetching.named(op.model)
            self._task = self._spawn(self._fetch(self._name, op.how == "serve"))

    async def _fetch(self, name: str, serve: bool) -> None:
        self._tell("pulling")
        try:
            found = await fetching.fetch(
                self._models.config, name, lambda came: self._tell("pulling", came.percent, came=came),
                (lambda: self._tell("starting")) if serve else None,
            )  # fmt: skip
        except asyncio.CancelledError:
            self._record.emit(Notice(f"Stopped. The downloaded part of {name} is kept: /pull {name} resumes."))
            self._tell("stopped")
            raise
        if found is None:
            self._record.emit(Notice(f"{name} is downloaded."))
            self._tell("done", 100)
            await self._models.change(self._record, f"ollama/{name}", "")
        elif found.kind == "down":
            self._tell("down", said=found.text, hint=found.hint)
        else:
            self._record.emit(ErrorRaised(found.text, "pull", found.hint))
            self._tell("failed", said=found.text, hint=found.hint)

    def _tell(
        self, state: PullState, percent: int = 0, said: str = "", hint: str = "", came: fetching.Come | None = None
    ) -> None:
        data = PullProgress(self._name, state, percent, said, hint)
        if came is not None:
            data = replace(data, done=came.done, total=came.total, left=round(came.left))
        self._record.emit(Answered(ID, data))
