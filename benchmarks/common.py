"""What the benchmarks share: a table, percentiles, a program in a real pty, and its CPU time."""

from __future__ import annotations

import fcntl
import math
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def quick() -> bool:
    """Whether a tiny run was asked for (`--quick`): it shows that the benchmark works and judges
    nothing."""
    return "--quick" in sys.argv[1:]


PACE = 0.2 if quick() else 1.0
"""How long the rests are, of those a measurement has: in a quick run nothing depends on them."""
LETTERS = "абвгдежзиклмнопрстуфхцчшщыэюя"
"""Typed as keys: nothing else on the screen holds them, so their bytes in the output are their
echo."""


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of `values` that at least `share` (0 to 1) of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def median(values: Sequence[float]) -> float:
    return percentile(values, 0.5)


@dataclass(frozen=True, slots=True)
class Goal:
    """What must hold, in words, and whether it did; None: this run was too small to say."""

    words: str
    kept: bool | None

    @property
    def verdict(self) -> str:
        return {True: "kept", False: "MISSED", None: "not judged (quick run)"}[self.kept]


def judged(words: str, kept: bool) -> Goal:
    return Goal(words, None if quick() else kept)


def report(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], goals: Sequence[Goal]
) -> None:
    """Print a table (Markdown) and the verdict on each goal."""
    widths = [max(len(line[column]) for line in (header, *rows)) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return (
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            + " |"
        )

    print(f"\n## {title}\n")
    print(line(header))
    print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for row in rows:
        print(line(row))
    print()
    for goal in goals:
        print(f"goal: {goal.words}: {goal.verdict}")
    sys.stdout.flush()


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def pair(values: Sequence[float], share: float) -> str:
    """The median of `values` and what that `share` of them does not exceed."""
    return f"{ms(median(values))} / {ms(percentile(values, share))}" if values else ""


def environment(home: Path, **more: str) -> dict[str, str]:
    """The small, same environment that every measured program gets; `home` holds all its files."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "AGENT_TUI_HOME": str(home / "agent-tui"),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        **more,
    }


@contextmanager
def folder() -> Iterator[Path]:
    """A fresh home with an empty working folder `work` in it."""
    with tempfile.TemporaryDirectory(prefix="agent-tui-bench-", ignore_cleanup_errors=True) as name:
        home = Path(name).resolve()
        (home / "work").mkdir()
        yield home


@contextmanager
def server() -> Iterator[str]:
    """`benchmarks/server.py` in a process of its own; yields its base URL."""
    command = [sys.executable, "-m", "benchmarks.server"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


class Pty:
    """A program in a pty of its own. All output is read here; `seen` is what came since the last
    `mark`."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        env: dict[str, str],
        rows: int = 40,
        columns: int = 120,
    ):
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.chdir(cwd)
                os.execvpe(command[0], list(command), env)
            finally:
                os._exit(127)
        os.set_blocking(self.fd, False)
        self.seen = b""
        self.ended = False
        self.written = 0
        """Bytes that the program has written so far."""
        self.last = self.started
        """When the newest of them were read."""

    @staticmethod
    def now() -> float:
        return time.perf_counter()

    def mark(self) -> None:
        self.seen = b""

    def write(self, text: str) -> None:
        os.write(self.fd, text.encode())

    @property
    def echoes(self) -> bool:
        """Whether the kernel echoes what is typed (no program has taken the terminal over yet)."""
        return bool(termios.tcgetattr(self.fd)[3] & termios.ECHO)

    def pump(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Read for at most `seconds`, or until `until()`; whether it became true. What is there at
        the end is read: this process may have been kept waiting (by a machine that was stopped)."""
        deadline = time.perf_counter() + seconds
        while not until():
            left = max(0.0, deadline - time.perf_counter())
            if self.ended:
                return False
            if select.select([self.fd], [], [], left)[0]:
                self._read()
            if not left:
                return until()
        return True

    def _read(self) -> None:
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return
        except OSError:  # the other side has closed
            data = b""
        self.ended = not data
        self.written += len(data)
        self.last = time.perf_counter()
        self.seen = (self.seen + data)[-(1 << 20) :]

    def hand_over(self, text: str, piece: int, patience: float) -> None:
        """Write more than the terminal takes at once, as fast as it takes it; what the program says
        is read."""
        left = memoryview(text.encode())
        while left:
            select.select([], [self.fd], [], patience)
            with suppress(BlockingIOError):
                left = left[os.write(self.fd, left[:piece]) :]
            self.pump(0.0)

    def wait(self, text: str, seconds: float = 15.0) -> float:
        """Read until `text` was written since the mark; returns the time (perf_counter). Raises
        TimeoutError."""
        wanted = text.encode()
        if not self.pump(seconds, lambda: wanted in self.seen):
            raise TimeoutError(
                f"{text!r} did not appear; the last output was {self.seen[-2000:]!r}"
            )
        return time.perf_counter()

    def key(self, letter: str, seconds: float = 5.0) -> float:
        """Type `letter` and take it back; returns the seconds from the key to its echo. What was
        seen stays seen."""
        before, self.seen = self.seen, b""
        start = time.perf_counter()
        self.write(letter)
        echo = self.wait(letter, seconds) - start
        self.seen = before + self.seen
        self.write("\x7f")
        return echo

    def ready(self, seconds: float = 30.0) -> float:
        """Type until a letter is drawn by the program itself; returns the seconds from the start of
        the program."""
        deadline = self.started + seconds
        while self.echoes and time.perf_counter() < deadline:
            self.pump(0.002)
        self.mark()
        typed = ""
        while time.perf_counter() < deadline:
            letter = LETTERS[len(typed) % len(LETTERS)]
            typed += letter
            self.write(letter)
            if self.pump(0.02, partial(self._holds_any, typed)):
                took = time.perf_counter() - self.started
                self.pump(0.3 * PACE)
                self.write("\x7f" * len(typed))
                return took
        raise TimeoutError(f"no key was echoed; the last output was {self.seen[-2000:]!r}")

    def _holds_any(self, letters: str) -> bool:
        return any(letter.encode() in self.seen for letter in letters)

    def quiet(self, seconds: float, limit: float = 15.0) -> None:
        """Read until nothing was written for `seconds` (less in a quick run), for `limit` seconds
        at most."""
        seconds *= PACE
        deadline = time.perf_counter() + limit
        while time.perf_counter() < deadline:
            self.mark()
            if not self.pump(seconds, lambda: bool(self.seen)):
                return

    def settle(self, seconds: float = 0.4, limit: float = 10.0) -> float:
        """Read until nothing was written for `seconds` (less in a quick run); when the last byte
        came."""
        seconds *= PACE
        deadline = time.perf_counter() + limit
        while (now := time.perf_counter()) < deadline and now < self.last + seconds:
            self.pump(min(deadline, self.last + seconds) - now)
        return self.last

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def memory(self) -> float:
        """Resident megabytes (MiB) of the process. Linux."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def cpu(self) -> float:
        """Seconds of CPU time that the process (all its threads) has used. Linux: the process's own
        clock."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        self.pump(3.0, lambda: self.ended)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


@contextmanager
def running(command: Sequence[str], home: Path, **more: str) -> Iterator[Pty]:
    """`command` in a pty, in the working folder of `home`."""
    terminal = Pty(command, home / "work", environment(home, **more))
    try:
        yield terminal
    finally:
        terminal.close()


def agent(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "agent_tui", *arguments]


def bare(*arguments: str) -> list[str]:
    """The floor: a Textual app that holds one TextArea (see `bare.py`)."""
    return [sys.executable, "-m", "benchmarks.bare", *arguments]


def model(url: str) -> dict[str, str]:
    """The variables that make `openai/bench` the model behind `url`."""
    return {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "none"}
