"""Tells of the files that can be named in a prompt: what git knows at once, then what a walk has
found."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from functools import partial
from logging import Logger
from pathlib import Path
from typing import Final

from agent_tui.agent.config import EngineConfig
from agent_tui.context.file_index import MOST, FileIndex, Listing
from agent_tui.protocol import answers
from agent_tui.protocol.events import Answered
from agent_tui.safety.git_index import Stopped
from agent_tui.structures import fuzzy

FRESH: Final = 5.0
"""Seconds for which a walk is believed."""
EVERY: Final = 0.001
BREATH: Final = 0.0002
"""So often, and for so many seconds, the work lets go of the interpreter: keys that came are drawn.
"""


def breathing(ended: Callable[[], bool]) -> Callable[[], bool]:
    """What says whether work has `ended`, and lets others run whenever it is asked."""
    breathed = time.monotonic()

    def stopped() -> bool:
        nonlocal breathed
        if time.monotonic() - breathed > EVERY:
            time.sleep(BREATH)
            breathed = time.monotonic()
        return ended()

    return stopped


class Files:
    """The index of a session's folder, and of the `others` that it works in, by their full paths.
    `ended` stops what runs; only one walk runs at a time."""

    def __init__(
        self,
        config: EngineConfig,
        tell: Callable[[Answered], None],
        pool: Pool,
        log: Logger,
        others: Callable[[], tuple[Path, ...]] = tuple,
    ) -> None:
        self.index = FileIndex(config.cwd, config.environment, log)
        self._others, self._walked_in = others, tuple[Path, ...]()
        self.ended = False
        self._tell, self._pool = tell, pool
        self._told: answers.Files | None = None
        self._walked = float("-inf")
        self._running = False

    async def tell(self, id: str) -> None:
        """Answer the query `id`: what is known, and again when it was looked at."""
        if self._told is not None:
            self._tell(Answered(id, self._told))
        fresh = time.monotonic() - self._walked < FRESH and self._walked_in == self._others()
        if self._running or fresh:
            return
        self._running = True
        try:
            if self._told is None:
                await self._answer(id, self.index.at_once, False)
            self._walked_in = self._others()
            await self._answer(id, partial(self._whole, self._walked_in), True)
        finally:
            self._running = False

    def _whole(self, others: tuple[Path, ...], stopped: Callable[[], bool]) -> Listing:
        """What lies in all folders. Raises Stopped, or OSError if the session's own cannot be
        listed."""
        own = self.index.scan_all(stopped)
        paths, more, unreadable, known = (
            list(own.paths),
            own.more,
            own.unreadable,
            f"{self.index.start}/",
        )
        for other in others:
            try:
                found = FileIndex(other, self.index.environment, self.index.log).scan_all(stopped)
            except OSError:
                unreadable += 1  # it was there when it was added
                continue
            named = (f"{other}/{path}" for path in found.paths)
            paths += [path for path in named if not path.startswith(known)]
            more, unreadable = more or found.more, unreadable + found.unreadable
        return Listing(list(dict.fromkeys(paths)), more, unreadable)

    async def _answer(
        self, id: str, listed: Callable[[Callable[[], bool]], Listing | None], whole: bool
    ) -> None:
        before, stopped = self._told, breathing(lambda: self.ended)

        def work() -> answers.Files | None:
            try:
                listing = listed(stopped)
            except Stopped:
                return None
            except OSError as error:
                return _data([], f"the folder cannot be listed: {error.strerror}", whole, stopped)
            return None if listing is None else _told(listing, whole, before, stopped)

        data = await asyncio.get_running_loop().run_in_executor(self._pool, work)
        if whole:
            self._walked = time.monotonic()
        if data is not None:
            self._told = data
            self._tell(Answered(id, data))


def _told(
    listing: Listing, whole: bool, before: answers.Files | None, pause: Callable[[], bool]
) -> answers.Files:
    notes = [f"only the first {MOST:,} are listed"] if listing.more else []
    if listing.unreadable:
        notes.append(
            f"{listing.unreadable:,} folder{'s' * (listing.unreadable > 1)} cannot be read"
        )
    note = ", ".join(notes)
    if (
        before
        and len(before.paths) == len(listing.paths)
        and set(before.paths) == set(listing.paths)
    ):
        return replace(before, whole=whole, note=note)  # the same lists: nobody has to look again
    return _data(listing.paths, note, whole, pause)


def _data(paths: list[str], note: str, whole: bool, pause: Callable[[], bool]) -> answers.Files:
    made = fuzzy.corpus(paths, pause)
    return answers.Files(made.paths, made.folded, made.names, whole, note)
