"""What commands of a session left in the background: a list of it, and its end. And the commands
that a person can move there."""

from __future__ import annotations

import asyncio
import contextlib
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from agent_tui.agent.services.kept_jobs import KeptJobs
from agent_tui.protocol import answers
from agent_tui.protocol.answers import JobStatus
from agent_tui.protocol.display import Display
from agent_tui.protocol.events import Answered, Event, JobChanged, Notice
from agent_tui.protocol.ops import KeepJob, MoveToBackground, StopJob
from agent_tui.safety.process import processes
from agent_tui.safety.process.processes import Job
from agent_tui.safety.sandbox.protected_state import AllowedChanges, ProtectedState
from agent_tui.structures.frozen import frozen

ENDED: Final = 20
"""Jobs of the model that have ended, of which it can still see the output."""
TAIL_LINES: Final = 4
TAIL_CHARS: Final = 2_000
"""Of the output of a job, for the list."""


UNWATCHED: Final = " Nobody looks at what it changes then."
Ask = Callable[[str, str, str, Display | None], AbstractAsyncContextManager[bool]]
"""Whether the person lets a change stay: the question, what a yes (it stays) and a no mean, and
what changed. What is done then is done inside."""


@frozen
class Watched:
    """What stood at the names that programs obey before a job began in a sandbox that was made in
    this `way`, and what was `allowed` to change since."""

    state: ProtectedState
    way: str
    allowed: AllowedChanges


class Jobs:
    """The jobs that run. `emit` takes what is to be said of them. Commands come scrubbed. `kept`:
    where those are noted that go on when the program ends; None: none can."""

    def __init__(self, emit: Callable[[Event], object], kept: KeptJobs | None = None) -> None:
        self._emit, self.kept = emit, kept
        self._running: dict[str, tuple[str, Job]] = {}
        """By id: the command, and what it left."""
        self._numbered: dict[int, tuple[str, Job]] = {}
        """Those of the model by its numbers, with those that ended last."""
        self._last = 0
        self._waited_for: set[asyncio.Event] = set()
        """Set to move the command that somebody waits for."""
        self._closed = False
        self._stopped = set[str]()
        """Those that the person stopped."""
        self._watched: dict[Job, tuple[str, str, Watched]] = {}
        """Those whose changes are judged at their end, with id and command."""
        self.may_stay: Ask | None = None
        """Asks the person; None: nobody is there."""
        self.judge: Callable[[str], object] = lambda _: None
        """Judges what a job changed that an earlier run left, by its id: it has ended."""
        self.changing = asyncio.Lock()
        """Who changes something in the session holds it."""

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

    def add(self, job: Job, command: str, of_model: bool, watched: Watched | None = None) -> None:
        """A command has ended, and this is left of it; or it goes on itself. `watched`: what it
        changes is judged when it ends."""
        id = uuid.uuid4().hex[:8]
        if watched is not None:
            self._watched[job] = (id, command, watched)
        if of_model:
            self._last += 1
            job.number = self._last
            self._numbered[job.number] = (command, job)
            self._forget()
        self._take(id, command, job)

    def _take(self, id: str, command: str, job: Job, told: str = "") -> None:
        self._running[id] = (command, job)
        job.on_end = lambda: self._ended(id)
        job.on_question = lambda: self._question_changed(id)
        waits = _waits_for_model(job, command) if job.question and job.number else ""
        self._tell_state(id, told or waits)

    def _tell_state(self, id: str, told: str = "") -> None:
        command, job = self._running[id]
        output = job.output.name if job.output else ""
        state = JobChanged(id, "running", command, job.pids, output, job.number, told)
        self._emit(replace(state, kept=job.is_kept, network=job.has_network, waits=_question(job)))

    def _question_changed(self, id: str) -> None:
        """It seems to wait for input, or goes on."""
        command, job = self._running[id]
        asks = job.question and not self._closed
        told = _waits_for_model(job, command) if asks and job.number and not job.is_awaited else ""
        self._tell_state(id, told)
        if asks:
            said = f"Seems to wait for input in the background: {_line(command)}: {_question(job)}"
            self._emit(Notice(said, "warning", hint="/jobs stops it"))

    def adopt(self, limit: int) -> None:
        """Take the jobs that earlier runs left because the person kept them; at most `limit`
        characters of their output are told. Nothing where the disk does not say."""
        if self.kept is None:
            return
        for kept in self.kept.living():
            output, own = self.kept.output_of(kept), kept.session == self.kept.session
            try:
                job = processes.adopt(kept.process, output, limit)
            except ProcessLookupError:  # it has just ended
                continue
            job.started, job.number = kept.since, kept.number if own else 0
            if job.number:
                self._last = max(self._last, job.number)
                self._numbered[job.number] = (kept.command, job)
            line = _line(kept.command)
            told = f"[Job {job.number} still runs: {line}]" if job.number else ""
            self._take(kept.id, kept.command, job, told)
            self._emit(Notice(f"Still running from before: {line}", hint="/jobs lists it"))

    def _forget(self) -> None:
        ended = [number for number, (_, job) in self._numbered.items() if job.ended.is_set()]
        for number in ended[:-ENDED]:
            del self._numbered[number]

    def _ended(self, id: str) -> None:
        command, job = self._running.pop(id)
        if job.is_kept:
            self._forget_kept(id)
        if self._closed:
            return
        if job.is_adopted:
            self.judge(id)
        told = _words_for_model(job, command) if job.number and not job.is_awaited else ""
        state: Literal["stopped", "ended"] = "stopped" if job.stopped else "ended"
        code = None if job.stopped else job.exit_code
        self._emit(JobChanged(id, state, command, number=job.number, told=told, exit_code=code))
        how = f"{'Interrupted' if job.stopped else 'Ended'} in the background"
        if id in self._stopped:
            self._stopped.remove(id)
            how = "Stopped by you" if job.stopped else how
        self._emit(Notice(f"{how}: {_line(command)}"))

    def tell_model(self, job: Job, words: str) -> None:
        """Let the model know `words` about one of its jobs that is over."""
        if job.number in self._numbered:
            line = _line(self._numbered[job.number][0])
            told = f"[While job {job.number} ran ({line}), {words}]"
            self._emit(JobChanged("", "ended", line, number=job.number, told=told))

    def tell(self, id: str) -> None:
        """Answer the query `id`."""
        jobs = tuple(_status(key, command, job) for key, (command, job) in self._running.items())
        self._emit(Answered(id, answers.Jobs(jobs)))

    def handle(self, op: StopJob | KeepJob | MoveToBackground) -> None:
        """Let all commands that somebody waits for go on in the background; or end one of those
        that are there, or all; or let it go on when the program ends."""
        if isinstance(op, MoveToBackground):
            for moved in self._waited_for:
                moved.set()
            return
        for id, (_, job) in tuple(self._running.items()):
            if op.id in ("", id) and isinstance(op, StopJob):
                self._stopped.add(id)
                job.stop()
            elif op.id in ("", id) and isinstance(op, KeepJob) and job.is_kept != op.on:
                self._keep(id, op.on)

    def _keep(self, id: str, on: bool) -> None:
        """Let it go on when the program ends, or not any more, and say what that means."""
        command, job = self._running[id]
        line, unwatched = _line(command), ""
        try:
            if on:
                self._note_kept(id, command, job)
                unwatched = self._watch_kept(job)
            job.keep(on)
        except OSError as error:
            if not job.is_kept:
                self._forget_kept(id)
                self.settle(job)
            what = "cannot be kept" if on else "stays kept"
            self._tell_state(id)
            self._emit(Notice(f"{line} {what}: {error.strerror or error}", "warning"))
            return
        if not on:
            self._forget_kept(id)
            self.settle(job)
        self._tell_state(id)
        ends = " Its network ends with agent-tui." if on and job.has_network else ""
        ends += unwatched
        says = f"Goes on when you quit: {line}.{ends}" if on else f"Ends when you quit: {line}."
        self._emit(Notice(says))

    def _watch_kept(self, job: Job) -> str:
        """Note what a later run must know to judge it; what is said where that cannot be."""
        if job not in self._watched:
            return UNWATCHED
        try:
            self.note(job)
        except OSError as error:
            return f"{UNWATCHED[:-1]}: {error.strerror or error}."
        return ""

    def note(self, job: Job) -> None:
        """A later run judges what it changed, should this one not come to it. Raises OSError."""
        id, command, watched = self._watched[job]
        if self.kept is not None:
            about = ("" if job.ended.is_set() else job.identity, _line(command), job.number)
            self.kept.keep_names(id, about, watched.way, watched.state, watched.allowed)

    def settle(self, job: Job) -> None:
        """It has ended and is judged; or the session has."""
        if self.kept is None or job not in self._watched:
            return
        id, _, _ = self._watched[job]
        if job.is_kept and not job.ended.is_set():
            with contextlib.suppress(OSError):  # what is on disk asks of more than it need
                self.note(job)
            self.kept.names.release(id)
        else:
            self._remove_note(partial(self.kept.names.forget, id))

    def line_of(self, job: Job) -> str:
        """The first line of its command."""
        return _line(self._watched[job][1])

    def _note_kept(self, id: str, command: str, job: Job) -> None:
        """Note it for later runs, before anything depends on it. Raises OSError."""
        if self.kept is None:
            raise OSError("nothing of an off-the-record session stays")
        if not (process := job.identity) or not hasattr(os, "pidfd_open"):
            raise OSError("this system cannot say later whether it still runs")
        output = job.output.name if job.output else ""
        self.kept.keep(id, command, process, output, job.number, job.started)

    def _forget_kept(self, id: str) -> None:
        if self.kept is not None:
            self._remove_note(partial(self.kept.forget, id))

    def _remove_note(self, remove: Callable[[], None]) -> None:
        try:
            remove()
        except OSError as error:  # a later start passes over what has ended
            said = f"the note of a kept job cannot be removed: {error.strerror or error}"
            self._emit(Notice(said, "warning"))

    def close(self) -> None:
        """The session ends, and they end with it, but for those that are kept."""
        self._closed = True
        if self.kept is not None:
            self.kept.names.close()
        for id, (command, job) in self._running.items():
            if job.is_kept:
                continue
            told = ended_with_program(job.number, command)
            self._emit(JobChanged(id, "stopped", command, number=job.number, told=told))
            job.stop()


def ended_with_program(number: int, command: str) -> str:
    """What the model is told of one of its jobs that the end of the program ended."""
    return f"[Job {number} ended with the program: {_line(command)}]" if number else ""


def ended_meanwhile(number: int, command: str) -> str:
    """What the model is told of one of its jobs that was kept, and ended while no program ran."""
    said = f"[Job {number} ended while the program did not run: {_line(command)}]"
    return said if number else ""


def _question(job: Job) -> str:
    """What it seems to wait behind; that of a private command is told to nobody."""
    return job.question if job.output is not None or not job.question else "…"


def _waits_for_model(job: Job, command: str) -> str:
    """What the model is told of one of its jobs that seems to wait for input."""
    return (
        f"[Job {job.number} seems to wait for input, which it cannot get: {_line(command)}. Its"
        f" output ends with: {job.question}]"
    )


def _status(id: str, command: str, job: Job) -> JobStatus:
    lines = [line for line in job.text[-TAIL_CHARS:].splitlines() if line.strip()]
    return JobStatus(
        id,
        command,
        job.pids,
        job.started,
        job.last_line,
        str(job.output or ""),
        job.stopped,
        job.is_kept,
        job.is_adopted,
        "\n".join(lines[-TAIL_LINES:]),
        bool(job.question),
    )


def _words_for_model(job: Job, command: str) -> str:
    """What the model is told of one of its jobs that has ended."""
    ended = "ended" if job.exit_code is None else f"ended, exit code {job.exit_code}"
    how = "was stopped by the person" if job.stopped else ended
    output = f" Its output is in {job.output} (read_file)." if job.output else ""
    return f"[Job {job.number} {how}: {_line(command)}.{output}]"


def _line(command: str) -> str:
    line, _, more = command.strip().partition("\n")
    return f"{line} …" if more else line
