"""The terminal under the screen: reads keys as they are, sets its modes, and gives it back whatever
happens.

A subclass of Textual's own driver; it leans on that driver's inside, so the version is pinned and
pty tests hold it.
"""

from __future__ import annotations

import os
import select
import signal
import termios
import time
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Final, Protocol, cast

from textual import constants, events
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message

from agent_tui.boot.frame import ENTER
from agent_tui.boot.terminal import ENDING, POP, UNDERWAY_SECONDS, Early
from agent_tui.tui.textual_port.grapheme_fix import settle_graphemes
from agent_tui.tui.textual_port.key_parser import KeyParser, types

if TYPE_CHECKING:
    from agent_tui.tui.runtime.engine_client import Link

ESCAPE_DELAY: Final = 0.05
"""Seconds after which a lone ESC is the Esc key (Textual waits 0.1 and polls; `ESCDELAY` in the
environment wins)."""
STOPPING_DELAY: Final = 0.25
"""The same while Esc would stop a turn: an arrow whose bytes a slow line parts must not. Only the
rest of a key is waited for; with any other byte, it is decided at once."""
TITLE_BACK: Final = "\x1b]2;\x1b\\\x1b[23;2t"
PUSH: Final = (
    "\x1b[>"  # how Textual asks for kitty's keyboard protocol, with its flags and `u` behind
)
NO_SCHEME: Final = "\x1b[?2031l"
NO_PIXELS: Final = "\x1b[?1016l\x1b[?2048l"
"""Textual asks for the mouse in pixels where the terminal tells its size by itself, and takes back
only the latter."""
MOST_READS: Final = 256
"""So many before the first frame, of 4 kB at most: input without end must not hold it up."""
FORCED_END: Final = 6  # seconds that an ending by signal may take before the process ends anyway


class Typed(events.InputEvent, bubble=False):
    """Keys in a row that type something. Others are added as long as nobody took them: what waits
    is one step."""

    def __init__(self, keys: Sequence[events.Key]) -> None:
        super().__init__()
        self._keys = [*keys]
        self._later: deque[Typed] = deque()
        self._taken = False

    def add(self, later: Typed) -> bool:
        """Whether there was still time to add what came later. Called by the thread that reads,
        beside `take`: what was put in before that looked is gone when it is to be taken out again.
        """
        self._later.append(later)
        if not self._taken:
            return True
        try:
            self._later.remove(later)
        except ValueError:
            return True
        return False

    def take(self) -> list[events.Key]:
        """The keys, once."""
        self._taken = True
        keys, self._keys = self._keys, []
        while self._later:
            try:
                keys += self._later.popleft().take()
            except IndexError:  # it was taken out again
                break
        return keys


def join_keys(messages: Iterable[Message]) -> Iterator[Message]:
    """Runs of keys that type, each as one; the order stays."""
    run: list[events.Key] = []
    for message in messages:
        if isinstance(message, events.Key) and types(message):
            run.append(message)
            continue
        if run:
            yield Typed(run)
            run = []
        yield message
    if run:
        yield Typed(run)


class Owner(Protocol):
    """What the terminal needs of the app."""

    early: Early | None
    link: Link

    @property
    def is_recorded(self) -> bool:
        """Whether what is typed goes on record: a session is open."""

    @property
    def esc_stops(self) -> bool:
        """Whether Esc would interrupt what runs now."""

    def end_by_signal(self, number: int) -> None: ...


class Terminal(LinuxDriver):
    """The driver of the real screen. It waits for keys without polling."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        out = self._file  # with PYTHONUNBUFFERED, what a signal interrupts is lost in it
        assert out is not None
        self._file = open(  # noqa: SIM115  # it is the terminal, as long as it is the screen's
            out.fileno(), "w", encoding=out.encoding, errors=out.errors, closefd=False
        )
        self._owner = cast(Owner, app)
        self._early = self._owner.early or Early(self.fileno, termios.tcgetattr(self.fileno))
        self._early.off_record |= self._owner.link.unrecorded.is_over
        self._parser = KeyParser(debug)
        self._wake: tuple[int, int] | None = None
        self._ending = False
        self._ended_by = 0
        """The signal that the thread which reads is to hand on, behind all that was typed."""
        self._began_before = False
        self._entered = False
        self._titled = False
        self._typed: Typed | None = None  # the keys that came last; nothing else came after them
        self._reading = Event()
        """The thread reads: what was typed before the first frame is with the app."""

    def start_application_mode(self) -> None:
        self._wake, self._parser = os.pipe(), KeyParser(self._debug)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        if (kept := self._early.hand_over()) is not None:
            self._owner.link.unrecorded.adopt(*kept)
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._end)
        self._entered = (
            self._early.screen
        )  # the boot frame stands there: entering again would clear it
        self._early.screen = True
        super().start_application_mode()  # type: ignore[no-untyped-call]
        signal.signal(signal.SIGWINCH, self._size_changed)
        if not self._began_before:
            self.attrs_before = self._early.saved
            self._began_before = True

    def stop_application_mode(self) -> None:
        if self._titled:
            self.write(TITLE_BACK)
            self._titled, self._early.title = False, b""
        self.write(NO_SCHEME)
        super().stop_application_mode()

    def ask(self, *questions: str) -> None:
        """Ask the terminal; what it answers comes among the keys."""
        self._parser.asked = time.monotonic()
        for question in questions:
            self.write(question)
        self.flush()

    def set_title(self, text: str) -> None:
        """The title from before comes back at the end, where the terminal keeps it for us; else
        there is none."""
        if not self._titled:
            self.write("\x1b[22;2t")
            self._titled, self._early.title = True, TITLE_BACK.encode()
        self.write(f"\x1b]2;{text}\x1b\\")
        self.flush()

    def disable_input(self) -> None:
        if not self._reading.is_set():
            self._early.take_waiting()  # what nobody has read is thrown away now
            self._reading.set()
        wake, self._wake = self._wake, None
        if wake is not None:
            os.write(wake[1], b"x")
        super().disable_input()
        self.write(
            NO_PIXELS
        )  # here: while keys are read, an answer that was on its way may turn them on
        for fd in wake or ():
            os.close(fd)

    def close(self) -> None:
        """Everything is written; only now is the terminal out of our hands."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self._writer_thread.stop()
            self._early.screen = False

    @property
    def is_key_underway(self) -> bool:
        """Whether something was read of which is not known yet what it is."""
        return self._parser.patience is not None

    @property
    def ending(self) -> bool:
        """Whether a signal has told us to end."""
        return self._ending

    def stop_job(self) -> None:
        """Stop with all that the shell started as one job with us; `_sigtstp_application` gives the
        terminal back."""
        os.kill(0, signal.SIGTSTP)

    def _sigtstp_application(self, *_: object) -> None:
        if self._auto_restart:
            self._soon(super()._sigtstp_application)
        else:
            super()._sigtstp_application()

    def _sigcont_application(self, *_: object) -> None:
        if self._auto_restart:
            self._soon(self._go_on)

    def _soon(self, do: Callable[[], object]) -> None:
        """Not now: a signal may come in the midst of a write, and another write would wait for that
        without end."""
        with suppress(RuntimeError):  # the loop has ended just now
            self._loop.call_soon_threadsafe(do)

    def _go_on(self) -> None:
        """Where we were stopped out of order (`kill -STOP`), the terminal may be in any mode: set
        all anew."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self.suspend_application_mode()
            self._must_signal_resume = True
        self.resume_application_mode()

    def take_mouse(self, taken: bool) -> None:
        """Whether mouse events come to us, or the terminal keeps them; it stays so when the program
        was stopped."""
        if taken == self._mouse:
            return
        self._mouse = True
        (self._enable_mouse_support if taken else self._disable_mouse_support)()
        if taken and self._in_band_window_resize:
            # the parser reckons in pixels since the terminal told its size in them
            self._enable_mouse_pixels()
        self._mouse = taken

    def write(self, data: str) -> None:
        """Write to the screen; nothing happens if the terminal is gone."""
        if data.startswith(PUSH) and data.endswith("u"):
            self._early.pushed = True
        elif data == POP.decode():
            if not self._early.pushed:
                return
            self._early.pushed = False
        if self._entered and data == ENTER:
            self._entered = False
        elif self._writer_thread is not None and self._writer_thread.is_alive():
            self._owner.link.keys.on_frame_painted()
            self._writer_thread.write(settle_graphemes(data))

    def take_type_ahead(self) -> list[events.Event]:
        """The keys and pastes of before the first frame, so that it shows what they make: on their
        way through the loop they may come behind it. From now on the thread reads."""
        ahead: list[events.Event] = []

        def hand_on(message: Message) -> None:
            if isinstance(message, events.Key | events.Paste | Typed):
                ahead.append(message)
            else:
                self.process_message(message)

        if not self._reading.is_set():
            for _ in range(MOST_READS):
                if not (self._waits(0.0) and (data := self._read())):
                    break
                self._told(self._parser.feed(self._decode(data)), hand_on)
            self._told(self._parser.end_row(), hand_on)
            self._reading.set()
        return ahead

    def run_input_thread(self) -> None:
        """Read keys until the input is disabled or the terminal hangs up."""
        assert self._wake is not None
        woken = self._wake[0]
        self._reading.wait()
        while not self.exit_event.is_set() and not self._ended_by:
            if self._waits(self._parser.patience, woken):
                if not (data := self._read()):
                    self._ended_by = signal.SIGHUP
                    break
                self._told(self._parser.feed(self._decode(data)), self.process_message)
            self._told(self._parser.tick(), self.process_message)
        if self._ended_by:
            with suppress(RuntimeError):  # the loop has ended just now
                self._hand_on_rest()

    def _hand_on_rest(self) -> None:
        """A signal ends the program: what was typed before, and what came of a paste, is in the
        draft that is saved."""
        for _ in range(MOST_READS):
            if not (self._waits(UNDERWAY_SECONDS) and (data := self._read())):
                break
            self._told(self._parser.feed(self._decode(data)), self.process_message)
        self._told(self._parser.finish(), self.process_message)
        self._loop.call_soon_threadsafe(self._owner.end_by_signal, self._ended_by)

    def _waits(self, seconds: float | None, *wake: int) -> bool:
        """Whether there is something to read by then (None: whenever), or by the time that `wake`
        can be read."""
        return (
            bool(self._early.unread)
            or self.fileno in select.select([self.fileno, *wake], [], [], seconds)[0]
        )

    def _told(self, messages: Iterable[Message], hand_on: Callable[[Message], object]) -> None:
        """Hand on what came; keys that type are added to those before them, while these wait."""
        for message in join_keys(messages):
            typed = message if isinstance(message, Typed) else None
            if typed is None or self._typed is None or not self._typed.add(typed):
                self._typed = typed
                if isinstance(message, events.Key | Typed):
                    self._owner.link.keys.read()
                hand_on(message)

    def _read(self) -> bytes:
        """What was typed; empty if the terminal is gone. An Enter of before the start came as a
        line feed."""
        try:
            data = self._early.unread or os.read(self.fileno, 4096)
        except OSError:
            return b""
        if self._early.typed is not None and not self._early.unread:
            self._early.typed = None if self._owner.is_recorded else self._early.typed + data
        self._early.unread = b""
        if not os.environ.get("ESCDELAY"):
            waits = STOPPING_DELAY if self._owner.esc_stops else ESCAPE_DELAY
            constants.ESCAPE_DELAY = waits  # type: ignore[misc]
        cooked, self._early.cooked = self._early.cooked, max(0, self._early.cooked - len(data))
        return data[:cooked].replace(b"\n", b"\r") + data[cooked:] if cooked else data

    def _size_changed(self, *_: object) -> None:
        """Textual asks for the size here; a second signal meanwhile is told first, with a size that
        is older."""
        self._soon(self._tell_size)

    def _tell_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))

    def _get_terminal_size(self) -> tuple[int, int]:
        try:
            width, height = os.get_terminal_size(self.fileno)
        except OSError:
            return super()._get_terminal_size()
        return width or 80, height or 25

    def _end(self, number: int, _: FrameType | None = None) -> None:
        """TERM, HUP, INT or QUIT: end in order; a second one, or too long a wait, ends at once."""
        if self._ending:
            self._end_now(number)
        self._ending = True
        signal.signal(signal.SIGALRM, lambda *_: self._end_now(number))
        signal.alarm(FORCED_END)
        if self._is_reading and self._wake is not None:
            self._ended_by = self._ended_by or number
            os.write(self._wake[1], b"x")
            return
        try:
            self._loop.call_soon_threadsafe(self._owner.end_by_signal, number)
        except RuntimeError:  # the loop has ended just now
            self._end_now(number)

    @property
    def _is_reading(self) -> bool:
        """Whether the thread reads keys, and goes on until it is told not to."""
        thread = self._key_thread
        alive = thread is not None and thread.is_alive()
        return alive and self._reading.is_set() and not self.exit_event.is_set()

    def _end_now(self, number: int) -> None:
        if self._owner.is_recorded:
            self._early.typed = None
        self._early.end(number)
