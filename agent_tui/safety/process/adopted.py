"""A job that an earlier run of the program left behind because the person kept it: found by the
identity of its supervisor, read in its file, and ended from here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

from agent_tui.safety.process import tree
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.watch import GRACE, Watch

NEWEST: Final = 1_000_000
"""Bytes of its output that are in memory; the file has all."""


class AdoptedCommand:
    """`known`: the identity of its supervisor. Raises ProcessLookupError: it has ended; OSError:
    the system cannot tell when it does."""

    def __init__(
        self, known: str, output: Path | None, limit: int, watch: Watch, on_end: Callable[[], None]
    ) -> None:
        self.identity, self._watch, self._on_end = known, watch, on_end
        self._supervisor = tree.find(known)
        if not self._supervisor:
            raise ProcessLookupError
        self._handle = os.pidfd_open(self._supervisor)
        if tree.find(known) != self._supervisor:  # it ended meanwhile: the handle is another's
            os.close(self._handle)
            raise ProcessLookupError
        self._output = FollowedOutput(output, limit)
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._handle, self._has_ended)

    @property
    def captured(self) -> Captured:
        return self._output.read()

    @property
    def exit_code(self) -> int | None:
        """Nobody heard it."""
        return None

    @property
    def question(self) -> str:
        """Its output is not heard as it comes."""
        return ""

    @property
    def has_network(self) -> bool:
        """The proxy ended with the program that had it."""
        return False

    def members(self) -> set[int]:
        return set() if self._ended.is_set() else tree.descendants(self._supervisor)

    def keep(self, on: bool) -> None:
        """It is kept; only an end ends it. Raises OSError."""
        if not on:
            raise OSError("an earlier agent-tui started it: it can only be stopped")

    def end_in_background(self) -> None:
        self._watch.begin_end(self._end(), "end of a kept job")

    async def _end(self) -> None:
        """TERM, and after the grace time its supervisor kills what is left."""
        tree.signal_all(self.members(), signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), GRACE)
        if not self._ended.is_set():
            with contextlib.suppress(ProcessLookupError):  # it ended just now
                signal.pidfd_send_signal(self._handle, signal.SIGUSR1)
            await self._ended.wait()

    def _has_ended(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)
        self._ended.set()
        self._output.read()
        self._on_end()


class FollowedOutput:
    """The file to which another process writes the output of a command, read as far as it goes."""

    def __init__(self, file: Path | None, limit: int) -> None:
        self._file, self._at = file, 0
        self._captured = Captured.of_other(file, limit)

    def read(self) -> Captured:
        """The output until now: its newest part, where it is long."""
        if self._file is None:
            return self._captured
        try:
            with self._file.open("rb") as source:
                size = os.fstat(source.fileno()).st_size
                source.seek(max(self._at, size - NEWEST))
                while data := source.read(NEWEST):
                    self._captured.feed(data)
                self._at = source.tell()
        except FileNotFoundError:  # somebody tidied up
            self._file = None
        return self._captured
