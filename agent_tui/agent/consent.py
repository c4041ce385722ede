"""Questions that wait for a person: each is known by an id, and answered by an Op that names it."""

from __future__ import annotations

import asyncio
import time

from agent_tui.protocol.ops import Answer


class Consent:
    """The open questions. Everything runs on one loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._since = self._waited = 0.0

    def clock(self) -> float:
        """Seconds of a clock that stands still while a question waits for its answer."""
        now = self._since if self._waiting else time.monotonic()
        return now - self._waited

    async def wait(self, id: str) -> Answer:
        """The answer to question `id`, when it comes."""
        future = asyncio.get_running_loop().create_future()
        self._since = self._since if self._waiting else time.monotonic()
        self._waiting[id] = future
        try:
            answer: Answer = await future
            return answer
        finally:
            self._waiting.pop(id, None)
            self._waited += 0.0 if self._waiting else time.monotonic() - self._since

    def answer(self, op: Answer) -> bool:
        """Give an answer; false when nobody waits for it (any more)."""
        future = self._waiting.get(op.id)
        if future is None or future.done():
            return False
        future.set_result(op)
        return True
