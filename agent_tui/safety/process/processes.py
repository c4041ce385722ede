"""The only place that starts processes: own session, closed stdin, capped output, ended as a tree.

A command may do what its user may do, unless it is run with a profile (`confinement.py`): then it
may do what that says, and if that cannot be had, it does not run. Either way it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from agent_tui.programs import find_program, own_path
from agent_tui.safety.process import tree
from agent_tui.safety.process.background import CommandResult as CommandResult
from agent_tui.safety.process.background import Job as Job
from agent_tui.safety.process.command_folders import LAST
from agent_tui.safety.process.environment import in_english, unattended_environment
from agent_tui.safety.process.guard import Guard, Screen
from agent_tui.safety.process.orphans import Orphans
from agent_tui.safety.process.output_capture import Captured, find_refusal
from agent_tui.safety.process.supervisor import KILL_SECONDS, PAUSE, request
from agent_tui.safety.sandbox.network_proxy import Proxy
from agent_tui.safety.sandbox.profiles import NotConfined, Profile

GRACE: Final = 2.0
"""Seconds between TERM and KILL."""
LINGER: Final = 0.3
"""Seconds to wait for what a command left: what ends so soon is no job, and its output belongs to
the command."""
SETTLED: Final = 0.5
"""Seconds that a command which begins in the background is waited for: what fails at once is told
at once."""
_READ: Final = 65_536
_FLUSH: Final = 0.05
_LOOK: Final = 0.25
_LIVE: Final = 16_000
"""Characters of live output at a time: what comes faster than a person can see is cut in front."""

_SHELLS: Final = (
    ("/bin/bash", "--noprofile", "--norc", "-c"),
    ("/usr/bin/bash", "--noprofile", "--norc", "-c"),
    ("/usr/local/bin/bash", "--noprofile", "--norc", "-c"),
    ("/bin/sh", "-c"),
)

_MOVES: Final = re.compile(r"\b(?:cd|pushd|popd)\b")
_SAYS_FOLDER: Final = (
    f"trap '{{ set +x; builtin pwd -P >&{LAST}; }} 2>/dev/null' EXIT; "
    '_agent_tui_command=$1; shift; eval "$_agent_tui_command"'
)
"""The shell runs a command that may change its folder by this: its own words stay as they are, and
so do the lines of its errors."""

_T = TypeVar("_T")

_endings: Final[set[asyncio.Task[Any]]] = set()
"""Endings under way: a cancelled call returns at once, its command is ended here."""
_orphans: Final = Orphans()
_jobs: Final[set[Job]] = set()
"""Commands that left processes behind in the background; `settle` ends those."""


def _start_guard(argv: Sequence[str], inherited: Sequence[int]) -> subprocess.Popen[bytes]:
    _orphans.adopt()
    null = subprocess.DEVNULL
    with _orphans.guard_start() as started:
        process = subprocess.Popen(
            argv,
            stdin=null,
            stdout=null,
            stderr=null,
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
            start_new_session=True,
            pass_fds=inherited,
        )
        started(process.pid)
    return process


_guard: Final = Guard(_start_guard)


async def run(
    command: str,
    cwd: Path,
    environment: Mapping[str, str],
    timeout: float,
    on_output: Callable[[str], None],
    captured: Captured,
    *,
    confined: Profile | None = None,
    memory: int = 0,
    network: Proxy | None = None,
    moved: asyncio.Event | None = None,
    background: bool = False,
) -> CommandResult:
    """Run a shell command (bash, else sh) and wait for it; its output goes into `captured`, and to
    `on_output` as it comes. It begins when what was cancelled before has ended.

    `timeout` in seconds, 0 for none: then the whole tree gets TERM, and KILL two seconds later.
    When cancelled, the
    tree gets TERM, the call ends at once, and KILL follows in the background (`settle`). A negative
    exit code is the
    signal that ended it. Raises OSError (no such folder, command too long) and ValueError (NUL in
    the command).

    `confined`: all that it may do; else what its user may do. Raises NotConfined where that cannot
    be had: then it did not run. `memory`: bytes of data that each of its processes may have, 0 for
    no limit. `network`: the one way out that it has, where it is confined in namespaces.

    A command that holds a word which changes the folder says where it ended (`folder`), with bash.
    `background`: it goes on as a job, unless it ends at once. Once `moved` is set, so does one that
    began otherwise. It has no timeout then.
    """
    shell = next((argv for argv in _SHELLS if Path(argv[0]).exists()), _SHELLS[-1])
    await wait_for_endings()
    environment = unattended_environment(environment)
    if confined is not None:
        environment = in_english(environment)
    if network is not None:
        environment = network.add_variables(environment)
    moves = shell[0].endswith("bash") and _MOVES.search(command) is not None
    argv = [*shell, _SAYS_FOLDER, "bash", command] if moves else [*shell, command]
    asked = request(argv, str(cwd), environment, confined, memory, moves)
    process = await _Running.start(asked, captured, on_output, network)
    moved = moved or asyncio.Event()
    if background:
        timeout = 0
        asyncio.get_running_loop().call_later(SETTLED, moved.set)
    result = await process.result(timeout, moved)
    if confined is None:
        return result
    refused = find_refusal(command, result.exit_code, result.output, confined.works)
    return replace(result, refused=refused)


async def feed(
    argv: Sequence[str],
    data: bytes,
    cwd: Path,
    environment: Mapping[str, str],
    timeout: float,
    output: IO[bytes] | None = None,
    memory: int = 0,
) -> tuple[int, str]:
    """Give `data` to a program of ours on its stdin, without a shell: exit code, and the end of its
    stderr. 127: cannot be run; 124: timeout. Ended with all it started on timeout and when
    cancelled, but what it leaves in the background stays: a clipboard tool serves from there what
    it took, also after this program has ended. Its stdout: `output`. `memory`: as in `run`."""
    try:
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as errors,
        ):  # files: nothing waits for a pipe
            given.write(data)
            given.seek(0)
            with _orphans.guard_start() as started:
                process = await asyncio.create_subprocess_exec(
                    *_located(argv),
                    cwd=cwd,
                    env=unattended_environment(environment),
                    stdin=given,
                    stdout=output or asyncio.subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
                started(process.pid)
            tree.limit_memory(process.pid, memory)
            try:
                code = await asyncio.wait_for(process.wait(), timeout)
            except TimeoutError:
                tree.signal_all(tree.members(process.pid), signal.SIGKILL)
                with contextlib.suppress(
                    TimeoutError
                ):  # it may be one that not even KILL ends at once
                    await asyncio.wait_for(process.wait(), GRACE)
                return 124, f"did not end within {timeout:g} s"
            except asyncio.CancelledError:
                tree.signal_all(tree.members(process.pid), signal.SIGKILL)
                raise
            _own_ended(process.pid)
            return code, os.pread(errors.fileno(), _LIVE, 0).decode("utf-8", "replace").strip()
    except (OSError, ValueError) as error:
        return 127, str(error)


def foreground(argv: Sequence[str], ends: Callable[[], bool]) -> int:
    """Run the person's own program on the terminal, with their environment, and wait for it: its
    exit code, negative for a signal. Once `ends` is true it is ended. Ctrl+C and Ctrl+\\ are its
    own meanwhile. Raises OSError."""
    keys = {number: signal.signal(number, _heard) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        with _orphans.guard_start() as started:
            process = subprocess.Popen(
                _located(argv), env=os.environ
            )  # what the system has of it is without keys
            started(process.pid)
        end = tree.JobEnd(process.pid)
        while True:
            try:
                code = end.on_leader_ended(process.wait(_LOOK))
                _own_ended(process.pid)
                return code
            except subprocess.TimeoutExpired:
                if ends():
                    end.go_on()
    finally:
        for number, before in keys.items():
            signal.signal(number, before)


def start_beside(argv: Sequence[str]) -> Callable[[], int | None]:
    """Start a program of ours that needs no terminal. What is returned tells its exit code, and
    None until it has one. Raises OSError."""
    null = subprocess.DEVNULL
    with _orphans.guard_start() as started:
        process = subprocess.Popen(
            _located(argv),
            env=os.environ,
            stdin=null,
            stdout=null,
            stderr=null,
            start_new_session=True,
        )
        started(process.pid)
    return process.poll


def _own_ended(pid: int) -> None:
    """What a program of ours left in the background lives on."""
    _orphans.on_process_ended(pid)
    if _guard.lives:
        _orphans.spare()


def _located(argv: Sequence[str]) -> list[str]:
    """`argv` with the whole path of its program: the system would also look where PATH leads into the
    project. Raises
    FileNotFoundError."""
    program = find_program(argv[0], own_path(os.environ))
    if program is None:
        raise FileNotFoundError(errno.ENOENT, "is not on PATH outside this project", argv[0])
    return [program, *argv[1:]]


def _heard(*_: object) -> None:
    """A key for the program on the terminal. To ignore it here would be to ignore it there, too."""


def guard_terminal(fd: int, saved: Sequence[Any], undo: bytes, mark: int) -> None:
    """From now on the terminal at `fd` is given back when the program ends without doing so: its
    attributes are set to
    `saved`, and `undo` is written, which takes back the modes of the screen. `mark`: a file that
    begins with `1` while
    the screen is on. Raises OSError."""
    _guard.watch(Screen(fd, saved, undo, mark))


async def wait_for_endings() -> None:
    """Wait until what was cancelled has ended: a command that ignores TERM writes on for a while."""
    while _endings:
        await asyncio.wait(set(_endings))


async def settle(timeout: float) -> None:
    """Wait for the endings under way, at most `timeout` seconds, and end what is left of all
    commands."""
    for job in tuple(_jobs):
        job.stop()
    deadline = time.monotonic() + timeout
    while _endings and (left := deadline - time.monotonic()) > 0:  # one may begin another
        await asyncio.wait(set(_endings), timeout=left)
    if _guard.was_killed:
        await _orphans.end()


async def _supervise(output: int, *network: int) -> socket.socket:
    """A supervisor, as `Guard.supervise` gives it. What an earlier guard left is ended first.
    Raises OSError."""
    if _guard.was_killed:
        await _orphans.end()
    elif _guard.lives:
        _orphans.spare()
    try:
        return _guard.supervise(output, *network)
    except BrokenPipeError:  # it was killed just now
        await _orphans.end()
        return _guard.supervise(output, *network)


async def _end_unwatched() -> str:
    """The supervisor of a command was killed: the guard ends what is left of the command, and where
    it was killed, too, that is done here. Returns what came of it, for the model."""
    deadline = time.monotonic() + LINGER
    while not _guard.was_killed and time.monotonic() < deadline:
        await asyncio.sleep(PAUSE)
    left = await _orphans.end() if _guard.was_killed else ()
    pids = " ".join(map(str, sorted(left)))
    end = (
        f"processes could not be ended: pid {pids}"
        if left
        else "what was left of this command was ended"
    )
    return f"The process that watches commands was killed; {end}."


class _Running:
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
    ) -> None:
        self._network = network
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
    ) -> _Running:
        """Start what is asked for in a session of its own. Raises OSError. When cancelled, it is
        ended once it began."""
        starting = asyncio.ensure_future(cls._started(asked, captured, on_output, network))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            _ends(_end_unwanted(starting), "end of a command that was being started")
            raise

    @classmethod
    async def _started(
        cls,
        asked: bytes,
        captured: Captured,
        on_output: Callable[[str], None],
        network: Proxy | None,
    ) -> _Running:
        loop = asyncio.get_running_loop()
        reading, writing = os.pipe()
        channel: socket.socket | None = None
        try:
            with contextlib.nullcontext() if network is None else network.open() as way_out:
                passed = () if way_out is None else (way_out.fileno(),)
                channel = await _supervise(writing, *passed)
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
            return cls(channel, int(first), int(second), reading, captured, on_output, network)
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
            self._job = Job(self, _jobs)
            _jobs.add(self._job)
        return CommandResult(
            self.captured.text(),
            exit_code,
            timed_out,
            self.captured.lost_characters,
            self.captured.loss,
            self.captured.spool,
            self._job,
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
        _ends(self._end(), "end of a command")

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
            self._unwatched = _ends(_end_unwatched(), "end of an unwatched command")
        self._ended.set()
        self._empty.set()
        if self._job is not None:
            self._readable()
            self._close()
            self._job.end()

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
        if not data:
            self._loop.remove_reader(self._pipe)
            self._silent.set()
            return
        self._show(self.captured.feed(data))
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


def _ends(ending: Coroutine[Any, Any, _T], name: str) -> asyncio.Task[_T]:
    """Let `ending` go on in the background; the next command and `settle` wait for it."""
    task = asyncio.get_running_loop().create_task(ending, name=name)
    _endings.add(task)
    task.add_done_callback(_endings.discard)
    return task


async def _end_unwanted(starting: asyncio.Future[_Running]) -> None:
    """Its call was cancelled while it was being started."""
    try:
        running = await starting
    except OSError:
        return  # it never began
    running.abandon()
