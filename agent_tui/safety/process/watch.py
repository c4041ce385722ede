"""Who looks after the commands of this program: the guard, whoever adopts what that loses, the jobs
in the background, and the endings under way."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from agent_tui.safety.process.background import Job
from agent_tui.safety.process.guard import Guard, Process
from agent_tui.safety.process.orphans import Orphans
from agent_tui.safety.process.supervisor import PAUSE

GRACE: Final = 2.0
"""Seconds between TERM and KILL."""
LINGER: Final = 0.3
"""Seconds to wait for what a command left: what ends so soon is no job, and its output belongs to
the command."""
_T = TypeVar("_T")


class Watch:
    """`start` starts a program of ours, which inherits the descriptors that it is given."""

    def __init__(
        self, start: Callable[[Sequence[str], Sequence[int]], Process], orphans: Orphans
    ) -> None:
        self.guard, self.orphans, self._start = Guard(start), orphans, start
        self._keepers: tuple[Process, ...] = ()
        self.jobs = set[Job]()
        """Commands that left processes behind in the background; `settle` ends those."""
        self._endings = set[asyncio.Task[Any]]()
        """Endings under way: a cancelled call returns at once, its command is ended here."""

    def start_keeper(self, argv: Sequence[str], inherited: Sequence[int]) -> None:
        """Start what keeps the output of a job. Raises OSError."""
        for one in self._keepers:
            if one.poll() is not None:
                self.orphans.on_process_ended(one.pid)
        living = (one for one in self._keepers if one.poll() is None)
        self._keepers = (*living, self._start(argv, inherited))

    def begin_end(self, ending: Coroutine[Any, Any, _T], name: str) -> asyncio.Task[_T]:
        """Let `ending` go on in the background; the next command and `settle` wait for it."""
        task = asyncio.get_running_loop().create_task(ending, name=name)
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)
        return task

    async def wait_for_endings(self) -> None:
        """Wait until what was cancelled has ended: a command that ignores TERM writes on for a
        while."""
        while self._endings:
            await asyncio.wait(set(self._endings))

    async def settle(self, timeout: float) -> None:
        """Wait for the endings under way, at most `timeout` seconds, and end what is left of all
        commands."""
        for job in tuple(self.jobs):
            if not job.is_kept:
                job.stop()
        deadline = time.monotonic() + timeout
        while self._endings and (left := deadline - time.monotonic()) > 0:  # one may begin another
            await asyncio.wait(set(self._endings), timeout=left)
        if self.guard.was_killed:
            await self.orphans.end()

    async def supervise(self, output: int, *network: int) -> socket.socket:
        """A supervisor, as `Guard.supervise` gives it. What an earlier guard left is ended first.
        Raises OSError."""
        if self.guard.was_killed:
            await self.orphans.end()
        elif self.guard.lives:
            self.orphans.spare()
        try:
            return self.guard.supervise(output, *network)
        except BrokenPipeError:  # it was killed just now
            await self.orphans.end()
            return self.guard.supervise(output, *network)

    async def end_unwatched(self) -> str:
        """The supervisor of a command was killed: the guard ends what is left of the command, and
        where it was killed, too, that is done here. Returns what came of it, for the model."""
        deadline = time.monotonic() + LINGER
        while not self.guard.was_killed and time.monotonic() < deadline:
            await asyncio.sleep(PAUSE)
        left = await self.orphans.end() if self.guard.was_killed else ()
        pids = " ".join(map(str, sorted(left)))
        end = (
            f"processes could not be ended: pid {pids}"
            if left
            else "what was left of this command was ended"
        )
        return f"The process that watches commands was killed; {end}."
