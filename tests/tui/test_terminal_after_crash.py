"""The program is killed under a real shell, in a real terminal: the shell has a terminal that
works."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from agent_tui.safety.process.tree import children
from tests.tui.pty_stage import MODES, ROOT, Pty

PATIENCE = 8.0
SHELLS = [shell for shell in ("/bin/dash", "/bin/bash") if Path(shell).exists()]
LAUNCH = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"


def started(tmp_path: Path, shell: str) -> tuple[Pty, int]:
    """A shell in a terminal in which the program shows its screen, watched; and the program's pid."""
    environment = {
        "AGENT_TUI_HOME": str(tmp_path),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "PS1": "$ ",
    }
    pty = Pty(
        ["-c", LAUNCH, shell, "-i"],
        {**environment, "TERM": "xterm-256color", "ENV": "", "HISTFILE": ""},
    )
    pty.until(lambda text: bool(text.strip()))
    pty.type(f"stty -a > {tmp_path}/before; {shlex.quote(sys.executable)} -m agent_tui --demo\n")
    pty.until("Enter send")
    pty.type("hello")  # the engine starts with the first words at the latest
    pty.until("hello")
    [program] = children(pty.pid)
    deadline = time.monotonic() + PATIENCE
    while not guarded(program) and time.monotonic() < deadline:
        pty.read(0.05)
    assert guarded(program)
    return pty, program


def guarded(program: int) -> bool:
    """Whether its guard runs, and has the terminal."""
    guards = [
        pid
        for pid in children(program)
        if b"ends what a killed" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return any(_target(one).startswith("/dev/pts/") for pid in guards for one in _open_files(pid))


def _open_files(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/fd").iterdir())
    except FileNotFoundError:
        return []  # the guard is just starting, and was seen before its exec


def _target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except FileNotFoundError:
        return ""  # the guard closes what it inherited while it starts


def settings(pty: Pty, file: Path) -> set[str]:
    """What `stty -a` says, once the shell runs it: a shell without line editing has no echo of its
    own."""
    deadline = time.monotonic() + PATIENCE
    pty.type(f"\rstty -a > {file}.part && mv {file}.part {file}\r")
    while not file.exists() and time.monotonic() < deadline:
        pty.read(0.1)
    return set(re.split(r"[;\s]+", file.read_text()))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_has_a_terminal_that_works_after_the_program_was_killed(
    tmp_path: Path, shell: str, number: signal.Signals
) -> None:
    pty, program = started(tmp_path, shell)
    try:
        os.kill(program, number)
        deadline = time.monotonic() + PATIENCE
        while b"\x1b[?1049l" not in pty.raw and time.monotonic() < deadline:
            pty.read(0.05)
        before = set(re.split(r"[;\s]+", (tmp_path / "before").read_text()))
        assert settings(pty, tmp_path / "after") == before
        for mode, _, off in MODES:
            if mode != b"2004":  # the line editor of a shell switches it on and off itself
                on = off[:-1] + (b"l" if off.endswith(b"h") else b"h")
                assert pty.raw.rfind(off) >= pty.raw.rfind(on), mode
        assert b"\x1b[<u" in pty.raw
        if number != signal.SIGKILL:
            written = "".join(file.read_text() for file in (tmp_path / "logs").glob("agent-*.log"))
            assert "Fatal Python error" in written and "most recent call first" in written
    finally:
        pty.close()


def test_a_line_editor_that_was_faster_keeps_its_marks_of_pastes(tmp_path: Path) -> None:
    pty, program = started(tmp_path, "/bin/bash")
    guards = [
        pid
        for pid in children(program)
        if b"ends what a killed" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    try:
        at = len(pty.raw)
        for pid in guards:
            os.kill(pid, signal.SIGSTOP)
        os.kill(program, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while b"\x1b[?2004h" not in pty.raw[at:] and time.monotonic() < deadline:
            pty.read(0.05)
        assert b"\x1b[?1049l" not in pty.raw[at:], "the prompt went to the screen of the program"
        for pid in guards:
            os.kill(pid, signal.SIGCONT)
        while b"\x1b[?1049l" not in pty.raw[at:] and time.monotonic() < deadline:
            pty.read(0.05)
        assert pty.raw.rfind(b"\x1b[?2004h") > pty.raw.rfind(b"\x1b[?2004l")
    finally:
        pty.close()


def test_after_an_end_in_order_nothing_is_written_over_the_shell(tmp_path: Path) -> None:
    pty, _ = started(tmp_path, SHELLS[0])
    try:
        pty.type("\x15\x04")
        deadline = time.monotonic() + PATIENCE
        while b"\x1b[?1049l" not in pty.raw and time.monotonic() < deadline:
            pty.read(0.05)
        settings(pty, tmp_path / "after")
        pty.read(0.5)
        assert pty.raw.count(b"\x1b[?1049l") == 1
    finally:
        pty.close()


def test_a_screen_that_somebody_else_has_taken_is_left_alone(tmp_path: Path) -> None:
    """Stopped, and killed while an editor has the terminal: that one's modes stay."""
    other = "import sys, termios, tty, time; tty.setraw(0); print('\x1b[?1049hOTHER', flush=True); time.sleep(60)"
    pty, program = started(tmp_path, "/bin/bash")
    try:
        pty.type("\x15\x1a")
        deadline = time.monotonic() + PATIENCE
        while b"\x1b[?1049l" not in pty.raw and time.monotonic() < deadline:
            pty.read(0.05)
        pty.type(f"{shlex.quote(sys.executable)} -c {shlex.quote(other)}\n")
        pty.until("OTHER")
        at = len(pty.raw)
        os.kill(program, signal.SIGKILL)
        pty.read(1.5)
        assert b"\x1b[?1049l" not in pty.raw[at:]
    finally:
        pty.close()
