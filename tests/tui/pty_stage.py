"""A real pseudo-terminal for tests: runs a program, types, and shows what a terminal would show."""

from __future__ import annotations

import atexit
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pyte

from tests import starts

ROOT = Path(__file__).parents[2]

REST_SECONDS = 0.04
"""A frame comes in pieces, one soon after the other: after so long a silence it has ended."""


@cache
def empty_folder() -> str:
    """Where programs work that a test starts in no folder of its own: what stands beside the tests,
    such as AGENTS.md, is nothing that they are about."""
    name = tempfile.mkdtemp(prefix="agent-tui-tests-")
    atexit.register(shutil.rmtree, name, ignore_errors=True)
    return name


def _start(argv: Sequence[str], env: Mapping[str, str], cwd: str | None, terminal: int) -> int:
    """The pid of a program that has the terminal."""
    pid = starts.fork(argv, env, cwd, [terminal] * 3, session=True, terminal=True) or os.fork()
    if pid == 0:
        os.login_tty(terminal)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        if cwd:
            os.chdir(cwd)
        os.execve(argv[0], argv, env)
    return pid


class Pty:
    """A program in a real pseudo-terminal, and what a terminal would show of it."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        size: tuple[int, int] = (80, 24),
        typed: bytes = b"",
    ) -> None:
        width, height = size
        self.emulator = pyte.Screen(width, height)
        self.stream = pyte.ByteStream(self.emulator)
        self.raw = b""
        self.shown: str | None = None
        self.code: int | None = None
        self.fd, inside = pty.openpty()
        self.resize(width, height)
        self.before = termios.tcgetattr(self.fd)
        if typed:
            self.type(typed)
        cwd = empty_folder() if Path.cwd() == ROOT else None
        self.pid = _start([sys.executable, *argv], {**os.environ, **env}, cwd, inside)
        os.close(inside)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.emulator.resize(height, width)
        self.shown = None

    def clear(self) -> None:
        """The emulator knows no second screen, and a terminal clears that when it is entered."""
        self.emulator.reset()
        self.shown = None

    def type(self, keys: bytes | str) -> None:
        os.write(self.fd, keys.encode() if isinstance(keys, str) else keys)

    def paste(self, text: str) -> None:
        """Paste `text`, and press Enter as a person would: a line end right behind a paste sends
        nothing."""
        self.type(f"\x1b[200~{text}\x1b[201~")
        time.sleep(0.2)
        self.type("\r")

    def read(self, seconds: float) -> bytes:
        """What comes within `seconds`, or until the program is gone."""
        end, got = time.monotonic() + seconds, b""
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.fd], [], [], left)
            if not ready:
                break
            try:
                data = os.read(self.fd, 65_536)
            except OSError:
                break
            if not data:
                break
            got += data
            self.raw += data
            self.stream.feed(data)
            self.shown = None
        return got

    def pause(self) -> None:
        """As a person does who reads before the next key: keys in a row without a pause take
        nothing."""
        self.read(1.0)

    def choose(self, key: str) -> None:
        """An answer of the question that is open; Enter takes it then."""
        self.type(key)
        self.until("press Enter to answer")
        self.read(0.3)

    @property
    def text(self) -> str:
        if self.shown is None:  # who waits looks often, and to put the cells together takes long
            self.shown = "\n".join(self.emulator.display)
        return self.shown

    def until(self, seen: Callable[[str], bool] | str, seconds: float = 15.0) -> str:
        """The screen, once it shows this and the frame that shows it has ended. Fails with the
        screen if it never does.

        What is gone with the next piece is returned as it was seen last."""
        shown = seen if callable(seen) else lambda text: seen in text
        end, gone = time.monotonic() + seconds, False
        while not shown(self.text):
            if gone or time.monotonic() >= end:
                said = (
                    f"never shown: {seen}\nexit code {self.code}\n{self.text}\n{self.raw[-3000:]!r}"
                )
                raise AssertionError(said)
            gone = not self.read(0.05) and self.poll() is not None
        text = self.text
        while time.monotonic() < end and self.read(REST_SECONDS) and shown(self.text):
            text = self.text
        return text

    def poll(self) -> int | None:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def wait(self, seconds: float = 15.0) -> int:
        """The exit code, once the program has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            if self.poll() is not None:
                self.read(0.2)
                assert self.code is not None
                return self.code
        raise AssertionError(f"did not end\n{self.text}")

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """The terminal window is closed."""
        os.close(self.fd)
        self.fd = -1

    def close(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.fd >= 0:
            os.close(self.fd)

    def restored(self) -> list[str]:
        """What the program left changed in the terminal; empty if nothing."""
        wrong = [
            f"mode {mode.decode()} is still {state}"
            for mode, state, off in MODES
            if self.raw.rfind(off)
            < self.raw.rfind(off[:-1] + (b"l" if off.endswith(b"h") else b"h"))
        ]
        after = termios.tcgetattr(self.fd)
        return wrong + [
            f"termios {i}"
            for i, (a, b) in enumerate(zip(self.before, after, strict=True))
            if a != b
        ]


MODES = tuple(
    (number, "on" if end == b"l" else "off", b"\x1b[?" + number + end)
    for number, end in (
        (b"1049", b"l"),
        (b"1000", b"l"),
        (b"1003", b"l"),
        (b"1006", b"l"),
        (b"1015", b"l"),
        (b"2004", b"l"),
        (b"1004", b"l"),
        (b"7", b"h"),
        (b"25", b"h"),
    )
)
