"""What commands leave behind when their guard was killed: this program adopts it and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Final

from agent_tui.safety.process import tree
from agent_tui.safety.process.supervisor import KILL_SECONDS, PAUSE, adopt_orphans

LOOKS: Final = 5
"""So often in a row nobody is found before all are ended: one that forks all the time is easily
missed."""


class Orphans:
    """The children of this program: those that it started, those that its own programs left, and
    the others."""

    def __init__(self) -> None:
        self._started: set[int] = set()
        self._spared: set[int] = set()
        self._starts: set[object] = set()
        """Programs that are just being started: their pids are not known yet."""

    @contextlib.contextmanager
    def guard_start(self) -> Iterator[Callable[[int], None]]:
        """Around the start of a program of ours, whose pid is given to what this yields."""
        start = object()
        self._starts.add(start)
        try:
            yield self._started.add
        finally:
            self._starts.discard(start)

    def on_process_ended(self, pid: int) -> None:
        """A program of ours has ended, and was waited for."""
        self._started.discard(pid)

    def adopt(self) -> None:
        """From now on this program gets what loses its parent below it."""
        adopt_orphans()

    def spare(self) -> None:
        """All children that there are belong to programs of ours. To be called only while the guard
        lives."""
        self._bury()
        self._spared = tree.children(os.getpid())

    async def end(self) -> set[int]:
        """End what commands left, when the guard was killed. Returns those that could not be
        ended."""
        empty, deadline = 0, time.monotonic() + KILL_SECONDS
        while empty < LOOKS and time.monotonic() < deadline:
            empty = 0 if self._starts or (found := self._strays()) else empty + 1
            if not empty and not self._starts:
                tree.kill_trees(found)
            await asyncio.sleep(PAUSE)
            self._bury()
        return self._strays()

    def _strays(self) -> set[int]:
        """Not those in our own session: the person's own programs are there, and no command is."""
        others = tree.children(os.getpid()) - self._started - self._spared
        return {pid for pid in others if tree.session(pid) not in (0, os.getsid(0))}

    def _bury(self) -> None:
        """Ask for those that have ended and that nobody else asks for."""
        if self._starts:
            return
        for pid in tree.children(os.getpid()) - self._started:
            with contextlib.suppress(ChildProcessError):  # somebody asks for it after all
                os.waitpid(pid, os.WNOHANG)
