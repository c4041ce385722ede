"""What tests of the screen share: an engine that only records and plays, and a real pseudo-terminal to run in."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pyte

from agent_tui.boot import Early
from agent_tui.paths import shipped
from agent_tui.protocol.event import Event, Restored
from agent_tui.protocol.events import (
    AssistantReplied,
    ModeChanged,
    SessionStarted,
    StepStarted,
    TextDelta,
    TurnEnded,
    TurnStarted,
)  # fmt: skip
from agent_tui.protocol.messages import ToolCall
from agent_tui.protocol.ops import Cancel, Op, SaveDraft, SetMode, Submit
from agent_tui.tui.app import AgentApp
from agent_tui.tui.history import PromptHistory
from agent_tui.tui.model import Model
from agent_tui.tui.theme import load_theme

ROOT = Path(__file__).parents[2]
SESSION = "0b0e1c5a-0000-4000-8000-000000000001"


class PlayedEngine:
    """Records Ops and says what `react` puts on the queue; by default it answers prompts with their own words."""

    def __init__(self, react: Callable[[PlayedEngine, Op], None] | None = None, model: str = "fake/echo") -> None:
        self.events: SimpleQueue[Event | Restored] = SimpleQueue()
        self.resting = False
        self.ops: list[Op] = []
        self.started = 0
        self.stopped = False
        self.turn = 0
        self.model = model
        self._react = react or echo
        self._wake: Callable[[], None] = lambda: None

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self.started += 1
        self.say(SessionStarted(session=SESSION, cwd="/work/shop", model=self.model, window=32_768))

    def send(self, op: Op) -> None:
        self.ops.append(op)
        self._react(self, op)

    def stop(self, timeout: float) -> None:  # noqa: ARG002
        self.stopped = True

    def say(self, *events: Event | Restored) -> None:
        for event in events:
            self.events.put(event)
            if self.resting:
                self.resting = False
                self._wake()

    def asked(self, *, drafts: bool = False) -> list[Op]:
        """The Ops so far, without the drafts."""
        return [op for op in self.ops if drafts or not isinstance(op, SaveDraft)]

    def begin(self, prompt: str, queue_id: str = "") -> None:
        self.turn += 1
        self.say(TurnStarted(session=SESSION, at=time.time(), turn=self.turn, prompt=prompt, queue_id=queue_id),
                 StepStarted(session=SESSION, turn=self.turn, step=1))  # fmt: skip

    def answer(self, text: str, calls: tuple[ToolCall, ...] = ()) -> None:
        self.say(TextDelta(session=SESSION, turn=self.turn, step=1, text=text),
                 AssistantReplied(session=SESSION, turn=self.turn, step=1, text=text, calls=calls))  # fmt: skip

    def end(self, state: Any = "completed") -> None:
        self.say(TurnEnded(session=SESSION, turn=self.turn, state=state, duration_ms=40, steps=1))


def echo(engine: PlayedEngine, op: Op) -> None:
    """Answer every prompt with its own words."""
    match op:
        case Submit():
            engine.begin(op.text, op.queue_id)
            engine.answer(f"You said: {op.text}")
            engine.end()
        case SetMode():
            engine.say(ModeChanged(session=SESSION, mode=op.mode))
        case Cancel():
            engine.end("cancelled")
        case _:
            return


def screen(
    engine: PlayedEngine, *, model: Model | None = None, history: Path | None = None, prompt: str = "",
    theme: str = "dark", early: Early | None = None, at_once: bool = True,
) -> AgentApp:  # fmt: skip
    """The real app on `engine`."""
    return AgentApp(
        engine, load_theme(theme, (shipped("themes"),)), history=PromptHistory(history) if history else None,
        prompt=prompt, early=early, at_once=at_once, model=model,
    )  # fmt: skip


class Pty:
    """A program in a real pseudo-terminal, and what a terminal would show of it."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], size: tuple[int, int] = (80, 24), typed: bytes = b""
    ) -> None:
        width, height = size
        self.emulator = pyte.Screen(width, height)
        self.stream = pyte.ByteStream(self.emulator)
        self.raw = b""
        self.code: int | None = None
        gate, opened = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.close(opened)
            os.read(gate, 1)  # the size and what was typed before come first
            os.execve(sys.executable, [sys.executable, *argv], {**os.environ, **env})
        os.close(gate)
        self.resize(width, height)
        self.before = termios.tcgetattr(self.fd)
        if typed:
            self.type(typed)
        os.write(opened, b"g")
        os.close(opened)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.emulator.resize(height, width)

    def type(self, keys: bytes | str) -> None:
        os.write(self.fd, keys.encode() if isinstance(keys, str) else keys)

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
        return got

    @property
    def text(self) -> str:
        return "\n".join(self.emulator.display)

    def until(self, seen: Callable[[str], bool] | str, seconds: float = 15.0) -> str:
        """Read until the screen shows it. Fails with the screen if it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if seen in self.text if isinstance(seen, str) else seen(self.text):
                return self.text
            if not self.read(0.05) and self.poll() is not None:
                break
        if seen in self.text if isinstance(seen, str) else seen(self.text):
            return self.text
        raise AssertionError(f"never shown: {seen}\nexit code {self.code}\n{self.text}\n{self.raw[-3000:]!r}")

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

    def close(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def restored(self) -> list[str]:
        """What the program left changed in the terminal; empty if nothing."""
        wrong = [
            f"mode {mode.decode()} is still {state}"
            for mode, state, off in MODES
            if self.raw.rfind(off) < self.raw.rfind(off[:-1] + (b"l" if off.endswith(b"h") else b"h"))
        ]
        after = termios.tcgetattr(self.fd)
        return wrong + [f"termios {i}" for i, (a, b) in enumerate(zip(self.before, after, strict=True)) if a != b]


MODES = tuple(
    (number, "on" if end == b"l" else "off", b"\x1b[?" + number + end)
    for number, end in (
        (b"1049", b"l"), (b"1000", b"l"), (b"1003", b"l"), (b"1006", b"l"), (b"1015", b"l"), (b"2004", b"l"),
        (b"1004", b"l"), (b"7", b"h"), (b"25", b"h"),
    )
)  # fmt: skip
