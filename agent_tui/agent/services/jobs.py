"""What commands of a session left in the background: a list of it, and its end. And the commands
that a person can move there."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Literal

from agent_tui.protocol import answers
from agent_tui.protocol.answers import JobStatus
from agent_tui.protocol.events import Answered, Event, JobChanged, Notice
from agent_tui.protocol.ops import MoveToBackground, StopJob
from agent_tui.safety.process.processes import Job

KEPT: Final = 20
"""Jobs of the model that have ended, of which it can still see the output."""


class Jobs:
    """The jobs that run. `emit` takes what is to be said of them. Commands come scrubbed."""

    def __init__(self, emit: Callable[[Event], object]) -> None:
        self._emit = emit
        self._running: dict[str, tuple[str, Job]] = {}
        """By id: the command, and what it left."""
        self._numbered: dict[int, tuple[str, Job]] = {}
        """Those of the model by its numbers, with those that ended last."""
        self._last = 0
        self._waited_for: set[asyncio.Event] = set()
        """Set to move the command that somebody waits for."""
        self._closed = False

    @property
    def of_model(self) -> Mapping[int, tuple[str, Job]]:
        """The command and the job, by the number that the model has for it."""
        return self._numbered

    @contextmanager
    def waiting(self) -> Iterator[asyncio.Event]:
        """Around a command that somebody waits for: what is set to move it into the background."""
        moved = asyncio.Event()
        self._waited_for.add(moved)
        try:
            yield moved
        finally:
            self._waited_for.discard(moved)

    def add(self, job: Job, command: str, of_model: bool) -> None:
        """A command has ended, and this is left of it; or it goes on itself."""
        id = uuid.uuid4().hex[:8]
        if of_model:
            self._last += 1
            job.number = self._last
            self._numbered[job.number] = (command, job)
            self._forget()
        self._running[id] = (command, job)
        job.on_end = lambda: self._ended(id)
        output = job.output.name if job.output else ""
        self._emit(
            JobChanged(id, "running", command, pids=job.pids, output=output, number=job.number)
        )

    def _forget(self) -> None:
        ended = [number for number, (_, job) in self._numbered.items() if job.ended.is_set()]
        for number in ended[:-KEPT]:
            del self._numbered[number]

    def _ended(self, id: str) -> None:
        command, job = self._running.pop(id)
        if self._closed:
            return
        told = _words_for_model(job, command) if job.number and not job.is_awaited else ""
        state: Literal["stopped", "ended"] = "stopped" if job.stopped else "ended"
        self._emit(JobChanged(id, state, command, number=job.number, told=told))
        self._emit(
            Notice(
                f"{'Interrupted' if job.stopped else 'Ended'} in the background: {_line(command)}"
            )
        )

    def tell(self, id: str) -> None:
        """Answer the query `id`."""
        jobs = (
            JobStatus(
                key,
                command,
                job.pids,
                job.started,
                job.last_line,
                str(job.output or ""),
                job.stopped,
            )
            for key, (command, job) in self._running.items()
        )
        self._emit(Answered(id, answers.Jobs(tuple(jobs))))

    def handle(self, op: StopJob | MoveToBackground) -> None:
        """Let all commands that somebody waits for go on in the background; or end one of those
        that are there, or all."""
        if isinstance(op, MoveToBackground):
            for moved in self._waited_for:
                moved.set()
            return
        for id, (_, job) in tuple(self._running.items()):
            if op.id in ("", id):
                job.stop()

    def close(self) -> None:
        """The session ends, and they end with it."""
        self._closed = True
        for id, (command, job) in self._running.items():
            told = ended_with_program(job.number, command)
            self._emit(JobChanged(id, "stopped", command, number=job.number, told=told))
            job.stop()


def ended_with_program(number: int, command: str) -> str:
    """What the model is told of one of its jobs that the end of the program ended."""
    return f"[Job {number} ended with the program: {_line(command)}]" if number else ""


def _words_for_model(job: Job, command: str) -> str:
    """What the model is told of one of its jobs that has ended."""
    how = "was stopped by the person" if job.stopped else f"ended, exit code {job.exit_code}"
    output = f" Its output is in {job.output} (read_file)." if job.output else ""
    return f"[Job {job.number} {how}: {_line(command)}.{output}]"


def _line(command: str) -> str:
    line, _, more = command.strip().partition("\n")
    return f"{line} …" if more else line
