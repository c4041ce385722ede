"""The only place that starts processes: own session, closed stdin, capped output, ended as a tree.

A command may do what its user may do, unless it is run with a profile (`confinement.py`): then it
may do what that says, and if that cannot be had, it does not run. Either way it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from agent_tui.programs import find_program, own_path
from agent_tui.safety.process import tree
from agent_tui.safety.process.adopted import AdoptedCommand
from agent_tui.safety.process.background import CommandResult as CommandResult
from agent_tui.safety.process.background import Job as Job
from agent_tui.safety.process.command_folders import LAST
from agent_tui.safety.process.environment import in_english, unattended_environment
from agent_tui.safety.process.guard import Screen
from agent_tui.safety.process.orphans import Orphans
from agent_tui.safety.process.output_capture import Captured, find_refusal
from agent_tui.safety.process.running import RunningCommand
from agent_tui.safety.process.supervisor import request
from agent_tui.safety.process.watch import GRACE as GRACE
from agent_tui.safety.process.watch import Watch
from agent_tui.safety.sandbox.network_proxy import Proxy
from agent_tui.safety.sandbox.profiles import Profile
from agent_tui.structures import late

SETTLED: Final = 0.5
"""Seconds that a command which begins in the background is waited for: what fails at once is told
at once."""
_LOOK: Final = 0.25
_PROBLEM: Final = 16_000
"""Bytes of what a program of ours says on its stderr."""

_SHELLS: Final = (
    ("/bin/bash", "--noprofile", "--norc", "-c"),
    ("/usr/bin/bash", "--noprofile", "--norc", "-c"),
    ("/usr/local/bin/bash", "--noprofile", "--norc", "-c"),
    ("/bin/sh", "-c"),
)

_MOVES: Final = late.pattern(r"\b(?:cd|pushd|popd)\b")
_SAYS_FOLDER: Final = (
    f"trap '{{ set +x; builtin pwd -P >&{LAST}; }} 2>/dev/null' EXIT; "
    '_agent_tui_command=$1; shift; eval "$_agent_tui_command"'
)
"""The shell runs a command that may change its folder by this: its own words stay as they are, and
so do the lines of its errors."""

_orphans: Final = Orphans()


def _start_own(argv: Sequence[str], inherited: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start a part of this program that looks after commands."""
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


_watch: Final = Watch(_start_own, _orphans)
_guard: Final = _watch.guard


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
    on_question: Callable[[str], None] = lambda _: None,
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
    began otherwise. It has no timeout then. `on_question`: it seems to wait for input behind this
    line; "": it goes on.
    """
    shell = next((argv for argv in _SHELLS if Path(argv[0]).exists()), _SHELLS[-1])
    await _watch.wait_for_endings()
    environment = unattended_environment(environment)
    if confined is not None:
        environment = in_english(environment)
    if network is not None:
        environment = network.add_variables(environment)
    moves = shell[0].endswith("bash") and _MOVES.search(command) is not None
    argv = [*shell, _SAYS_FOLDER, "bash", command] if moves else [*shell, command]
    asked = request(argv, str(cwd), environment, confined, memory, moves)
    process = await RunningCommand.start(asked, captured, on_output, network, _watch)
    process.on_question = on_question
    moved = moved or asyncio.Event()
    if background:
        timeout = 0
        asyncio.get_running_loop().call_later(SETTLED, moved.set)
    result = await process.result(timeout, moved)
    if confined is None:
        return result
    refused = find_refusal(
        command, result.exit_code, result.output, confined.works, confined.forbidden
    )
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
            return code, os.pread(errors.fileno(), _PROBLEM, 0).decode("utf-8", "replace").strip()
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
    """`argv` with the whole path of its program: the system would also look where PATH leads into
    the project. Raises FileNotFoundError."""
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


def adopt(identity: str, output: Path | None, limit: int) -> Job:
    """The job that an earlier run of the program kept, whose supervisor has this identity; at most
    `limit` characters of its `output` are told. Raises ProcessLookupError: it has ended;
    OSError."""
    job = Job(AdoptedCommand(identity, output, limit, _watch, lambda: job.end()), _watch.jobs)
    job.is_kept = job.is_adopted = True
    _watch.jobs.add(job)
    return job


async def wait_for_endings() -> None:
    """Wait until what was cancelled has ended: a command that ignores TERM writes on for a
    while."""
    await _watch.wait_for_endings()


async def settle(timeout: float) -> None:
    """Wait for the endings under way, at most `timeout` seconds, and end what is left of all
    commands."""
    await _watch.settle(timeout)
