"""What comes of a command: its result, and what goes on in the background."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from agent_tui.safety.process.output_capture import Captured, Refusal
from agent_tui.structures.frozen import frozen


@frozen
class CommandResult:
    """What a process left: `output` is stdout and stderr in order, capped; `lost` counts what the
    cap left out, and `loss` says so to the model."""

    output: str
    exit_code: int | None
    timed_out: bool = False
    lost: int = 0
    loss: str = ""
    spool: Path | None = None
    """The file that holds the whole output."""
    job: Job | None = None
    """What the command started and still runs."""
    question: str = ""
    """The end of its output, behind which it seemed to wait for input when it was ended."""
    unwatched: str = ""
    """Somebody killed the process that watches the command, and ended it so; says what came of the
    rest."""
    refused: Refusal = ""
    """It was confined and failed, probably because it was refused this."""
    folder: str = ""
    """In which its shell says that it ended; empty: it did not move, or that is not known."""
    folder_is_left: bool = False
    """It is none of the session's, so the next command begins in the session's own."""


class Running(Protocol):
    """A command that was started."""

    @property
    def captured(self) -> Captured: ...
    @property
    def exit_code(self) -> int | None: ...
    def members(self) -> set[int]: ...
    def end_in_background(self) -> None: ...
    def keep(self, on: bool) -> None: ...
    @property
    def question(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def has_network(self) -> bool: ...


class Job:
    """What a command left in the background. It goes on until it ends, is stopped, or the program
    ends and it was not kept."""

    def __init__(self, running: Running, jobs: set[Job]) -> None:
        self._running, self._jobs = running, jobs
        self.started = time.time()
        self.number = 0
        """By which the model calls it; 0: it is none of the model's."""
        self.stopped = False
        """Somebody ended it."""
        self.is_adopted = False
        """An earlier run of the program started it."""
        self.is_kept = False
        """The person wants it to go on when the program ends."""
        self.is_awaited = False
        """A call of the model waits for its end, so nobody else need tell the model."""
        self.ended = asyncio.Event()
        """Nothing of it is left."""
        self.on_end: Callable[[], None] = lambda: None
        self.on_question: Callable[[], None] = lambda: None
        """It seems to wait for input, or goes on."""

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(sorted(self._running.members()))

    @property
    def output(self) -> Path | None:
        """The file with its output; it grows."""
        return self._running.captured.spool

    @property
    def last_line(self) -> str:
        return self._running.captured.last_line

    @property
    def question(self) -> str:
        """The end of its output, behind which it seems to wait for input; empty: it does not."""
        return self._running.question

    @property
    def text(self) -> str:
        """Its output: head and tail."""
        return self._running.captured.text() + self._running.captured.loss

    @property
    def exit_code(self) -> int | None:
        """That of the command; None while it runs. What it left may run on."""
        return self._running.exit_code

    def stop(self) -> None:
        """End it: TERM now, and KILL for what is left two seconds later."""
        if not self.stopped:
            self.stopped = True
            self._running.end_in_background()

    @property
    def identity(self) -> str:
        """Of the process that stays until nothing of it is left: by this a later program finds it.
        Empty where the system cannot tell."""
        return self._running.identity

    @property
    def has_network(self) -> bool:
        """Its way out is the program's proxy, which ends with the program."""
        return self._running.has_network

    def keep(self, on: bool) -> None:
        """Let it go on when the program ends, or end then. Raises OSError."""
        self._running.keep(on)
        self.is_kept = on

    def end(self) -> None:
        """Nothing of it is left."""
        self._jobs.discard(self)
        self.ended.set()
        self.on_end()
