"""What commands of a session left in the background: a list of it, and its end."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from agent_tui.protocol import answers
from agent_tui.protocol.answers import JobStatus
from agent_tui.protocol.events import Answered, Event, JobChanged, Notice
from agent_tui.protocol.ops import StopJob
from agent_tui.safety.process.processes import Job


class Jobs:
    """The jobs that run. `emit` takes what is to be said of them."""

    def __init__(self, emit: Callable[[Event], None], scrub: Callable[[str], str]) -> None:
        self._emit, self._scrub = emit, scrub
        self._running: dict[str, tuple[str, Job]] = {}
        """By id: the command, and what it left."""
        self._closed = False

    def add(self, job: Job, command: str) -> None:
        """A command has ended, and this is left of it."""
        id = uuid.uuid4().hex[:8]
        self._running[id] = (self._scrub(command), job)
        output = job.output.name if job.output else ""
        self._emit(
            JobChanged(
                id=id, state="running", command=self._scrub(command), pids=job.pids, output=output
            )
        )
        job.on_end = lambda: self._ended(id)

    def _ended(self, id: str) -> None:
        command, job = self._running.pop(id)
        if self._closed:
            return
        self._emit(JobChanged(id=id, state="stopped" if job.stopped else "ended", command=command))
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

    def stop(self, op: StopJob) -> None:
        """End one of them, or all."""
        for id, (_, job) in tuple(self._running.items()):
            if op.id in ("", id):
                job.stop()

    def close(self) -> None:
        """The session ends, and they end with it."""
        self._closed = True
        for id, (command, job) in self._running.items():
            self._emit(JobChanged(id=id, state="stopped", command=command))
            job.stop()


def _line(command: str) -> str:
    line, _, more = command.strip().partition("\n")
    return f"{line} …" if more else line
