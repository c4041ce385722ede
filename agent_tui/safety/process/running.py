"""A command that runs: its supervisor, its output as it comes, its end, and what it leaves."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable
from typing import Final

from agent_tui.safety.process import tree
from agent_tui.safety.process.background import CommandResult, Job
from agent_tui.safety.process.input_wait import InputWait
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.output_keeper import hand_over
from agent_tui.safety.process.supervisor import KILL_SECONDS, PAUSE
from agent_tui.safety.process.watch import GRACE, LINGER, Watch
from agent_tui.safety.sandbox.network_proxy import Proxy
from agent_tui.safety.sandbox.profiles import NotConfined

_READ: Final = 65_536
_FLUSH: Final = 0.05
_LIVE: Final = 16_000
"""Characters of live output at a time: what comes faster than a person can see is cut in front."""


class RunningCommand:
    """A started command: its supervisor, and the reading end of its output."""

    def __init__(
        self,
        channel: socket.socket,
        supervisor: int,
        leader: int,
        pipe: int,
        captured: Captured,
        on_output: Callable[[str], None],
        network: Proxy | None,
        watch: Watch,
    ) -> None:
        self._network, self._watch = network, watch
        self.on_question: Callable[[str], None] = lambda _: None
        """It seems to wait for input behind this; "": it goes on."""
        self._channel, self._supervisor, self._leader, self._pipe = (
            channel,
            supervisor,
            leader,
            pipe,
        )
        self.captured, self._on_output = captured, on_output
        self._loop = asyncio.get_running_loop()
        self._exit_code: int | None = None
        self._folder = ""
        self._said = b""
        self._left = False
        self._ended, self._silent, self._empty = asyncio.Event(), asyncio.Event(), asyncio.Event()
        """The command has ended; nobody can write any more; nothing of it is left."""
        self._unwatched: asyncio.Task[str] | None = None
        self._job: Job | None = None
        self._is_handed_over = False
        self._wait = InputWait(
            lambda: captured.begun_line, lambda: tree.spent(self.members()), self._question_changed
        )
        self._pending = ""
        self._flush_at: asyncio.TimerHandle | None = None
        self._resume_at: asyncio.TimerHandle | None = None
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._readable)
        self._loop.add_reader(channel, self._heard)

    @classmethod
    async def start(
        cls,
        asked: bytes,
        captured: Captured,
        on_output: Callable[[str], None],
        network: Proxy | None,
        watch: Watch,
    ) -> RunningCommand:
        """Start what is asked for in a session of its own. Raises OSError. When cancelled, it is
        ended once it began."""
        starting = asyncio.ensure_future(cls._started(asked, captured, on_output, network, watch))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            watch.begin_end(_end_unwanted(starting), "end of a command that was being started")
            raise

    @classmethod
    async def _started(
        cls,
        asked: bytes,
        captured: Captured,
        on_output: Callable[[str], None],
        network: Proxy | None,
        watch: Watch,
    ) -> RunningCommand:
        loop = asyncio.get_running_loop()
        reading, writing = os.pipe()
        channel: socket.socket | None = None
        try:
            with contextlib.nullcontext() if network is None else network.open() as way_out:
                passed = () if way_out is None else (way_out.fileno(),)
                channel = await watch.supervise(writing, *passed)
            channel.setblocking(False)
            await loop.sock_sendall(channel, asked)
            line = b""
            while not line.endswith(b"\n") and (data := await loop.sock_recv(channel, 1)):
                line += data
            first, _, second = line.decode().strip().partition(" ")
            if first == "error":
                number, _, words = second.partition(" ")
                if words:
                    raise NotConfined(int(number), f"the command cannot be confined: {words}")
                raise OSError(int(number), os.strerror(int(number)))
            if not second:
                raise OSError("the process that starts commands has ended")
            pids = int(first), int(second)
            return cls(channel, *pids, reading, captured, on_output, network, watch)
        except BaseException:
            os.close(reading)
            if channel is not None:
                channel.close()
            if network is not None:
                network.close()
            raise
        finally:
            os.close(writing)

    @property
    def exit_code(self) -> int | None:
        return self._exit_code

    def members(self) -> set[int]:
        return tree.descendants(self._supervisor)

    @property
    def question(self) -> str:
        return self._wait.question

    def _question_changed(self, question: str) -> None:
        if self._job is None:
            self.on_question(question)
        else:
            self._job.on_question()

    @property
    def identity(self) -> str:
        return tree.identity(self._supervisor)

    @property
    def has_network(self) -> bool:
        return self._network is not None

    def keep(self, on: bool) -> None:
        """Let it go on when the program ends, and its output into its file; or not any more. Raises
        OSError."""
        if on and not (self._is_handed_over or self._silent.is_set()):
            self._hand_over()
        self._watch.guard.keep(self._supervisor, on)

    def _hand_over(self) -> None:
        """Another process reads its output from now on, and gives it to this one."""
        theirs = self._pipe
        self._pipe = hand_over(theirs, self.captured, self._watch.start_keeper)
        self._is_handed_over = True
        if self._resume_at is not None:
            self._resume_at.cancel()
        self._loop.remove_reader(theirs)
        os.close(theirs)
        os.set_blocking(self._pipe, False)
        self._loop.add_reader(self._pipe, self._readable)

    async def result(self, timeout: float, moved: asyncio.Event) -> CommandResult:
        """Wait for the end, or until it is moved into the background. Ends the tree on timeout, and
        in the background when cancelled."""
        timed_out = False
        try:
            await _first_of(self._ended, moved, timeout)
            if not self._ended.is_set():
                if moved.is_set():
                    return self._told(None, False)
                timed_out = True
                await self._end()
            with contextlib.suppress(
                TimeoutError
            ):  # whoever keeps the pipe open is no part of this call
                await asyncio.wait_for(self._silent.wait(), LINGER)
                if self._left:
                    await asyncio.wait_for(self._empty.wait(), LINGER)
            unwatched = (
                await asyncio.shield(self._unwatched) if self._unwatched and not timed_out else ""
            )
        except asyncio.CancelledError:
            self.abandon()
            raise
        if self._left and not timed_out and not self._empty.is_set():
            return self._told(self._exit_code, False, unwatched)
        self._close()
        return self._told(None if timed_out else self._exit_code, timed_out, unwatched, ends=True)

    def _told(
        self, exit_code: int | None, timed_out: bool, unwatched: str = "", ends: bool = False
    ) -> CommandResult:
        """What the call is told that waited; unless it `ends`, it goes on as a job."""
        if not ends:
            self._flush()
            self._on_output = lambda _: None  # it belongs to a call that is over
            self.captured.begin_file()
            self._job = Job(self, self._watch.jobs)
            self._watch.jobs.add(self._job)
        return CommandResult(
            self.captured.text(),
            exit_code,
            timed_out,
            self.captured.lost_characters,
            self.captured.loss,
            self.captured.spool,
            self._job,
            self.question,
            unwatched,
            folder=self._folder,
        )

    async def _end(self) -> None:
        """TERM, then KILL what is left after the grace time. Killed at once if this is cancelled
        too."""
        try:
            tree.send_group(self._leader, signal.SIGTERM)
            tree.signal_all(self.members(), signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), GRACE)
        finally:
            tree.kill_descendants(self._supervisor)
        if not tree.has_proc():
            tree.send_group(self._leader, signal.SIGKILL)
        deadline = self._loop.time() + KILL_SECONDS
        while not self._empty.is_set() and self._loop.time() < deadline:
            await asyncio.sleep(PAUSE)
            tree.kill_descendants(self._supervisor)

    def abandon(self) -> None:
        """End it without waiting, and take no more of its output."""
        tree.send_group(
            self._leader, signal.SIGTERM
        )  # at once; the search for the rest takes longer
        self.end_in_background()
        self._close()

    def end_in_background(self) -> None:
        self._watch.begin_end(self._end(), "end of a command")

    def _heard(self) -> None:
        """The supervisor says that the command has ended; when it ends itself, nothing is left."""
        try:
            data = self._channel.recv(_READ)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        self._said += data
        if self._said.startswith(b"ended ") and self._said.endswith(b"\n"):
            _, code, left, *folder = self._said.split()
            self._exit_code, self._left, self._said = int(code), left == b"1", b""
            self._folder = os.fsdecode(bytes.fromhex(folder[0].decode())) if folder else ""
            self._ended.set()
        if data:
            return
        self._hang_up()
        if self._exit_code is None:
            self._exit_code = -signal.SIGKILL  # so was the supervisor
            ending = self._watch.end_unwatched()
            self._unwatched = self._watch.begin_end(ending, "end of an unwatched command")
        self._ended.set()
        self._empty.set()
        if self._job is not None:
            if self._is_handed_over and not self._silent.is_set():
                self._watch.begin_end(self._end_handed_over(self._job), "last output of a job")
            else:
                self._end_job(self._job)

    def _end_job(self, job: Job) -> None:
        self._readable()
        self._close()
        job.end()

    async def _end_handed_over(self, job: Job) -> None:
        """Its last output comes from the keeper, a moment later: that may only be starting."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._silent.wait(), KILL_SECONDS)
        self._end_job(job)

    def _hang_up(self) -> None:
        if self._channel.fileno() >= 0:
            self._loop.remove_reader(self._channel)
            self._channel.close()
            if self._network is not None:
                self._network.close()

    def _readable(self) -> None:
        try:
            data = os.read(self._pipe, _READ)
        except BlockingIOError:
            return
        except ConnectionResetError:  # the keeper was killed
            data = b""
        if not data:
            self._loop.remove_reader(self._pipe)
            self._silent.set()
            return
        self._show(self.captured.feed(data))
        self._wait.on_output()
        if (
            self.captured.is_flooded
        ):  # let a flood block on its pipe most of the time, instead of eating a core
            self._loop.remove_reader(self._pipe)
            self._resume_at = self._loop.call_later(
                0.01, self._loop.add_reader, self._pipe, self._readable
            )

    def _show(self, text: str) -> None:
        self._pending = (self._pending + text)[-_LIVE:]
        if self._pending and self._flush_at is None:
            self._flush_at = self._loop.call_later(_FLUSH, self._flush)

    def _flush(self) -> None:
        self._flush_at = None
        text, self._pending = self._pending, ""
        if text:
            self._on_output(text)

    def _close(self) -> None:
        """Take no more of its output."""
        self._wait.stop()
        self._loop.remove_reader(self._pipe)
        for timer in (self._flush_at, self._resume_at):
            if timer is not None:
                timer.cancel()
        os.close(self._pipe)
        if self._ended.is_set() and not self._left:  # nothing more will be said
            self._hang_up()
        self._pending += self.captured.feed(b"", final=True)
        self._flush()
        self.captured.close()


async def _first_of(ended: asyncio.Event, moved: asyncio.Event, timeout: float) -> None:
    """Wait until one of them is set, or `timeout` seconds (0: none) are over."""
    waits = [asyncio.ensure_future(one.wait()) for one in (ended, moved)]
    try:
        await asyncio.wait(waits, timeout=timeout or None, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


async def _end_unwanted(starting: asyncio.Future[RunningCommand]) -> None:
    """Its call was cancelled while it was being started."""
    try:
        running = await starting
    except OSError:
        return  # it never began
    running.abandon()
