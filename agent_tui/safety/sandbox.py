"""The only place that starts processes: own session, closed stdin, capped output, ended as a tree.

There is no confinement here yet: a command may do what its user may do. What is promised is that it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from agent_tui.safety import process_tree
from agent_tui.safety.captured import Captured
from agent_tui.safety.guarded import guarded
from agent_tui.safety.leash import Leash
from agent_tui.safety.secrets import ScrubbedStream, child_environment

GRACE: Final = 2.0
"""Seconds between TERM and KILL."""
LINGER: Final = 0.3
"""Seconds to wait for output after a command ended whose pipe something else keeps open."""
_READ: Final = 65_536
_FLUSH: Final = 0.05
_LOOK: Final = 0.25
_LIVE: Final = 16_000
"""Characters of live output at a time: what comes faster than a person can see is cut in front."""

_GIT_SETTINGS: Final = (
    ("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null"), ("core.pager", "cat"), ("log.showSignature", "false"),
)  # fmt: skip
_SHELLS: Final = (
    ("/bin/bash", "--noprofile", "--norc", "-c"),
    ("/usr/bin/bash", "--noprofile", "--norc", "-c"),
    ("/usr/local/bin/bash", "--noprofile", "--norc", "-c"),
    ("/bin/sh", "-c"),
)

_background: Final[set[asyncio.Task[None]]] = set()
"""Endings under way: a cancelled call returns at once, its command is ended here."""
_leash: Final = Leash(
    lambda argv, given: subprocess.Popen(
        argv, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        env={"PATH": "/usr/bin:/bin"}, start_new_session=True,
    )
)  # fmt: skip
_left: Final[dict[str, int]] = {}
"""Commands (token, leader) that left processes behind in the background; `settle` ends those."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a process left: `output` is stdout and stderr in order, capped; `lost` counts what the cap left out."""

    output: str
    exit_code: int | None
    timed_out: bool = False
    lost: int = 0
    spool: Path | None = None
    """The file that holds the whole output, where the cap cut it."""
    left: int = 0
    """Processes that the command started and that still run."""


async def run(
    command: str,
    cwd: Path,
    environment: Mapping[str, str],
    timeout: float,
    on_output: Callable[[str], None],
    limit: int,
    spool: Path | None = None,
    secrets: ScrubbedStream | None = None,
) -> CommandResult:
    """Run a shell command (bash, else sh) and wait for it; its output goes to `on_output` as it comes.
    `secrets` hides values in all that is kept and told of the output.

    `timeout` in seconds, 0 for none: then the whole tree gets TERM, and KILL two seconds later. When cancelled, the
    tree gets TERM, the call ends at once, and KILL follows in the background (`settle`). A negative exit code is the
    signal that ended it. Raises OSError (no such folder, command too long) and ValueError (NUL in the command).
    """
    shell = next((argv for argv in _SHELLS if Path(argv[0]).exists()), _SHELLS[-1])
    captured = Captured(limit, spool, secrets)
    process = await _Running.start([*shell, command], cwd, guarded(environment), captured, on_output)
    return await process.result(timeout)


async def quiet(argv: Sequence[str], cwd: Path, timeout: float) -> tuple[int, str]:
    """Run a program of ours without a shell: exit code and stdout (at most 1 MB). 127: cannot be run; 124: timeout.

    git takes no locks, and runs neither hooks nor the monitor nor a pager that the folder's configuration names.
    """
    environment = guarded(child_environment(os.environ))
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS))}
    for number, (key, value) in enumerate(_GIT_SETTINGS):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    captured = Captured(1_000_000, None)
    try:
        process = await _Running.start(argv, cwd, environment, captured, lambda _: None, errors=False)
    except (OSError, ValueError) as error:
        return 127, str(error)
    result = await process.result(timeout)
    code = 124 if result.timed_out or result.exit_code is None else result.exit_code
    return code, result.output


async def feed(
    argv: Sequence[str], data: bytes, cwd: Path, environment: Mapping[str, str], timeout: float,
    output: IO[bytes] | None = None,
) -> tuple[int, str]:  # fmt: skip
    """Give `data` to a program of ours on its stdin, without a shell: exit code, and the end of its stderr. 127: cannot
    be run; 124: timeout. Ended with all it started on timeout and when cancelled, but what it leaves in the background
    stays: a clipboard tool serves from there what it took, also after this program has ended. Its stdout: `output`."""
    token = uuid.uuid4().hex
    marked = guarded(child_environment(environment)) | {process_tree.VARIABLE: token}
    try:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:  # files: nothing waits for a pipe
            given.write(data)
            given.seek(0)
            process = await asyncio.create_subprocess_exec(
                *argv, cwd=cwd, env=marked, stdin=given, stdout=output or asyncio.subprocess.DEVNULL,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
            try:
                code = await asyncio.wait_for(process.wait(), timeout)
            except TimeoutError:
                process_tree.send(process.pid, token, signal.SIGKILL)
                with contextlib.suppress(TimeoutError):  # it may be one that not even KILL ends at once
                    await asyncio.wait_for(process.wait(), GRACE)
                return 124, f"no end after {timeout:g} s"
            except asyncio.CancelledError:
                process_tree.send(process.pid, token, signal.SIGKILL)
                raise
            return code, os.pread(errors.fileno(), _LIVE, 0).decode("utf-8", "replace").strip()
    except (OSError, ValueError) as error:
        return 127, str(error)


def foreground(argv: Sequence[str], ends: Callable[[], bool]) -> int:
    """Run the person's own program on the terminal, with their environment, and wait for it: its exit code, negative
    for a signal. Once `ends` is true it is ended. Ctrl+C and Ctrl+\\ are its own meanwhile. Raises OSError."""
    keys = {number: signal.signal(number, _heard) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        process = subprocess.Popen(argv, env=os.environ)  # what the system has of it is without keys
        end = process_tree.JobEnd(process.pid)
        while True:
            try:
                return end.left(process.wait(_LOOK))
            except subprocess.TimeoutExpired:
                if ends():
                    end.go_on()
    finally:
        for number, before in keys.items():
            signal.signal(number, before)


def _heard(*_: object) -> None:
    """A key for the program on the terminal. To ignore it here would be to ignore it there, too."""


async def settle(timeout: float) -> None:
    """Wait for the endings under way, at most `timeout` seconds, then KILL what is left of all commands."""
    if _background:
        await asyncio.wait(set(_background), timeout=timeout)
    for token, leader in list(_left.items()):
        process_tree.send(leader, token, signal.SIGKILL)
    _left.clear()


class _Running:
    """A started command: its process, and the reading end of its output."""

    def __init__(
        self, process: asyncio.subprocess.Process, pipe: int, token: str, captured: Captured,
        on_output: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._process, self._pipe, self._token, self._captured = process, pipe, token, captured
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._pending = ""
        self._flush_at: asyncio.TimerHandle | None = None
        self._resume_at: asyncio.TimerHandle | None = None
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._readable)

    @classmethod
    async def start(
        cls, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], captured: Captured,
        on_output: Callable[[str], None], errors: bool = True,
    ) -> _Running:  # fmt: skip
        """Start it in a session of its own. The pipe is ours, not asyncio's, whose `wait` would wait for its end."""
        token = uuid.uuid4().hex
        around = environment.get(process_tree.VARIABLE, "")
        marked = {**environment, process_tree.VARIABLE: f"{around} {token}".strip()}
        _leash.begun(token)
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, cwd=cwd, env=marked, stdin=asyncio.subprocess.DEVNULL, stdout=writing,
                stderr=writing if errors else asyncio.subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except BaseException:
            os.close(reading)
            _leash.ended(token)
            raise
        finally:
            os.close(writing)
        _leash.begun(token, process.pid)
        return cls(process, reading, token, captured, on_output)

    async def result(self, timeout: float) -> CommandResult:
        """Wait for the end. Ends the tree on timeout, and in the background when cancelled."""
        timed_out = False
        try:
            try:
                await asyncio.wait_for(self._process.wait(), timeout or None)
            except TimeoutError:
                timed_out = True
                await self._end()
            with contextlib.suppress(TimeoutError):  # whoever keeps the pipe open is no part of this call
                await asyncio.wait_for(self._ended.wait(), LINGER)
        except asyncio.CancelledError:
            process_tree.send_group(self._process.pid, signal.SIGTERM)  # at once; the search for the rest takes longer
            self._in_background()
            raise
        finally:
            self._close()
        left = 0 if timed_out else len(process_tree.members(self._process.pid, self._token))
        if left:
            _left[self._token] = self._process.pid
        else:
            _leash.ended(self._token)
        code = self._process.returncode
        return CommandResult(
            self._captured.text(), None if timed_out else code, timed_out, self._captured.lost,
            self._captured.spool, left,
        )  # fmt: skip

    def _signal(self, number: signal.Signals) -> set[int]:
        return process_tree.send(self._process.pid, self._token, number)

    async def _end(self) -> None:
        """TERM, then KILL what is left after the grace time. Killed at once if this is cancelled too."""
        try:
            self._signal(signal.SIGTERM)
            deadline = self._loop.time() + GRACE
            while process_tree.members(self._process.pid, self._token) and self._loop.time() < deadline:
                await asyncio.sleep(0.1)
        finally:
            self._signal(signal.SIGKILL)
        await self._process.wait()
        _leash.ended(self._token)

    def _in_background(self) -> None:
        task = self._loop.create_task(self._end(), name="end of a command")
        _background.add(task)
        task.add_done_callback(_background.discard)

    def _readable(self) -> None:
        try:
            data = os.read(self._pipe, _READ)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._pipe)
            self._ended.set()
            return
        self._show(self._captured.feed(data))
        if self._captured.flooded:  # let a flood block on its pipe most of the time, instead of eating a core
            self._loop.remove_reader(self._pipe)
            self._resume_at = self._loop.call_later(0.01, self._loop.add_reader, self._pipe, self._readable)

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
        self._loop.remove_reader(self._pipe)
        for timer in (self._flush_at, self._resume_at):
            if timer is not None:
                timer.cancel()
        os.close(self._pipe)
        self._pending += self._captured.feed(b"", final=True)
        self._flush()
        self._captured.close()
