"""Real processes: they start with nothing to answer, tell as they go, and end as a tree."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tui.safety.process import processes
from agent_tui.safety.process.output_capture import Captured
from agent_tui.safety.process.processes import CommandResult

PATIENCE = 20.0


def run(
    command: str,
    cwd: Path,
    timeout: float = PATIENCE,
    limit: int = 10_000,
    spool: Path | None = None,
    on_output: Callable[[str], None] = lambda _: None,
) -> CommandResult:
    return asyncio.run(
        processes.run(command, cwd, dict(os.environ), timeout, on_output, Captured(limit, spool))
    )


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pid: int) -> bool:
    deadline = time.monotonic() + PATIENCE
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


def number(file: Path) -> int:
    deadline = time.monotonic() + PATIENCE
    while not (file.exists() and file.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return int(file.read_text())


def test_output_and_exit_code(tmp_path: Path) -> None:
    result = run("echo one; echo two >&2; exit 7", tmp_path)
    assert (result.output, result.exit_code, result.timed_out) == ("one\ntwo\n", 7, False)


def test_split_and_invalid_utf8(tmp_path: Path) -> None:
    result = run(r"printf '\xe2\x82'; sleep 0.2; printf '\xac \xff end'", tmp_path)
    assert result.output == "€ \ufffd end"


def test_the_input_is_closed_and_there_is_no_terminal(tmp_path: Path) -> None:
    assert run("read x; echo code $?; tty", tmp_path).output.startswith("code 1\nnot a tty")


def test_nobody_is_asked_for_a_password(tmp_path: Path) -> None:
    output = run('echo $GIT_TERMINAL_PROMPT $PAGER; echo "$BASH_ENV|$LD_PRELOAD"', tmp_path).output
    assert output == "0 cat\n|\n"


def test_a_timeout_ends_what_ignores_term(tmp_path: Path) -> None:
    result = run(
        f"trap '' TERM; echo $$ > {tmp_path}/pid; while true; do sleep 0.1; done",
        tmp_path,
        timeout=0.5,
    )
    assert result.timed_out and result.exit_code is None
    assert gone(number(tmp_path / "pid"))


DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(60)
"""


def test_a_timeout_ends_a_daemon_in_a_session_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "d.py").write_text(DAEMON)
    result = run(f"{sys.executable} d.py pid; sleep 60", tmp_path, timeout=1.5)
    assert result.timed_out and gone(number(tmp_path / "pid"))


def test_a_pipe_that_somebody_keeps_open_holds_nothing_up(tmp_path: Path) -> None:
    async def scene() -> int:
        command = "sleep 45 & echo $! > pid; echo done"
        result = await processes.run(
            command, tmp_path, dict(os.environ), 30, lambda _: None, Captured(1000, None)
        )
        assert (result.output, result.exit_code, result.timed_out) == ("done\n", 0, False)
        pid = number(tmp_path / "pid")
        assert alive(pid) and result.job is not None and result.job.pids == (pid,)
        await processes.settle(PATIENCE)
        return pid

    assert not alive(asyncio.run(scene()))


def test_cancelling_returns_before_the_child_is_gone_and_settle_waits_for_it(
    tmp_path: Path,
) -> None:
    async def scene() -> int:
        command = f"trap '' TERM; echo $$ > {tmp_path}/pid; while true; do sleep 0.1; done"
        run = processes.run(
            command, tmp_path, dict(os.environ), 60, lambda _: None, Captured(1000, None)
        )
        task = asyncio.create_task(run)
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pid = int((tmp_path / "pid").read_text())
        assert alive(pid), "cancelling waited for the child"
        await processes.settle(PATIENCE)
        return pid

    assert not alive(asyncio.run(scene()))


def test_settle_waits_for_a_command_that_was_cancelled_while_it_was_being_started(
    tmp_path: Path,
) -> None:
    """The guard that starts commands stands still meanwhile, as on a machine that is very busy."""
    command = f"trap '' TERM; echo $$ > {tmp_path}/pid; while true; do sleep 0.1; done"
    went_on = False

    async def scene() -> None:
        def go_on() -> None:
            nonlocal went_on
            went_on = True
            os.kill(guard, signal.SIGCONT)

        env = dict(os.environ)
        await processes.run("true", tmp_path, env, 60, lambda _: None, Captured(1000, None))
        process = processes._guard._process
        assert isinstance(process, subprocess.Popen)
        guard = process.pid
        os.kill(guard, signal.SIGSTOP)
        run = processes.run(command, tmp_path, env, 60, lambda _: None, Captured(1000, None))
        task = asyncio.create_task(run)
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        asyncio.get_running_loop().call_later(0.3, go_on)
        await processes.settle(PATIENCE)

    asyncio.run(scene())
    assert went_on, "nothing waited for the command"
    assert not (tmp_path / "pid").exists() or not alive(number(tmp_path / "pid"))


def test_long_output_keeps_head_and_tail_and_goes_to_a_file(tmp_path: Path) -> None:
    spool = tmp_path / "out" / "all.txt"
    result = run("seq 1 100000", tmp_path, limit=2_000, spool=spool)
    assert result.output.startswith("1\n2\n") and result.output.rstrip().endswith("100000")
    assert len(result.output) < 2_500 and result.lost > 500_000
    assert result.spool == spool and len(spool.read_text().splitlines()) == 100_000
    assert spool.stat().st_mode & 0o077 == 0


def test_ten_megabytes_on_one_line_take_little_memory(tmp_path: Path) -> None:
    shown = 0

    def count(text: str) -> None:
        nonlocal shown
        shown += len(text)

    result = run("head -c 10000000 /dev/zero | tr '\\0' x", tmp_path, limit=5_000, on_output=count)
    assert len(result.output) < 6_000 and result.lost > 9_900_000 and 0 < shown <= 10_000_000


@pytest.mark.parametrize("command", ["a\0b", "x" * 3_000_000])
def test_what_cannot_be_started_is_an_error_with_words(tmp_path: Path, command: str) -> None:
    with pytest.raises((OSError, ValueError), match=r"."):
        run(command, tmp_path)


def test_a_program_of_ours_runs_without_a_shell_and_never_raises(tmp_path: Path) -> None:
    def fed(*argv: str, timeout: float = 5) -> int:
        return asyncio.run(processes.feed(argv, b"", tmp_path, os.environ, timeout))[0]

    assert fed("test", "$HOME;x", "=", "$HOME" + ";x") == 0
    assert fed("no-such-program-here") == 127
    assert fed("sleep", "30", timeout=0.2) == 124


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    run("true", tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        run("echo x", tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
