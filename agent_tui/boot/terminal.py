"""The first milliseconds: the terminal is made ready before anything slow is imported. Standard
library only.

From here to the first frame nothing typed may be lost, and whatever ends the process leaves the
terminal as it was.
"""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import struct
import sys
import termios
import time

from agent_tui.boot.frame import frame, typed_folder
from agent_tui.boot.private_lines import PASTE_BEGINS, PASTE_ENDS, public_keys
from agent_tui.structures.terminal_facts import drawable

TYPE_CHECKING = False  # importing these takes longer than drawing the frame
if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from types import FrameType
    from typing import Any, Final

UNDO: Final = (
    b"\x1b[?2026l\x1b[?2048l\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"
    b"\x1b[?1004l\x1b[?2031l\x1b[0m\x1b[?1049l\x1b[?25h"
)
"""Takes back every mode that the screen sets; only right while the alternate screen is on."""
POP: Final = b"\x1b[<u"
"""Takes back what the screen pushed on the stack of kitty's keyboard modes: once, or the shell's
own goes too."""
COMMANDS: Final = (
    "run",
    "chat",
    "config",
    "sessions",
    "replay",
    "bug",
    "auth",
    "doctor",
    "models",
    "setup",
    "policy",
    "trust",
    "tools",
    "prompt",
)
WITH_ACTION: Final = {
    "config": "show",
    "sessions": "list",
    "auth": "list",
    "models": "list",
    "policy": "check",
    "tools": "list",
}
"""Commands whose first word is an action, and which one it is without."""
VALUED: Final = (
    "--model",
    "--mode",
    "--cwd",
    "--add-dir",
    "--output",
    "--max-steps",
    "--max-cost",
    "--max-tokens",
    "--timeout",
    "--wait",
    "--sandbox",
)
"""Flags whose value is the next word (`-m` too)."""
OPTIONAL: Final = "--resume"
"""A flag whose value may be the next word (`-r` too): an id, which no command is."""
ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
BLOCKED_SECONDS: Final = 0.3
"""So long a terminal that takes no output is waited for at the end."""
UNDERWAY_SECONDS: Final = 0.03
"""So long a key that was pressed just before a signal may be on its way."""
READ_SECONDS: Final = 0.1
"""So often what was typed is read, until the screen reads the keys."""
LEAST_ADDRESSES: Final = 512
"""MB of address space: a session with a turn comes to 380 to 500."""
LEAST_DATA: Final = 160
"""MB of data: it comes to about 100."""

_INTERRUPT: Final = b"\x03"
_ESC_KEY: Final = b"\x1b[27u"
"""Esc, as terminals write it that leave no doubt (sw.kovidgoyal.net/kitty/keyboard-protocol)."""
_PASTE: Final = b"\x1b[?2004h"
_NO_PASTE: Final = b"\x1b[?2004l"
_IFLAG, _LFLAG, _CC = 0, 3, 6
_NO_KEY: Final = b"\0" if sys.platform.startswith("linux") else b"\xff"


class Early:
    """The terminal as it was found, and how to give it back. `fd` is the terminal's input."""

    def __init__(self, fd: int, saved: list[Any]) -> None:
        self.fd = fd
        self.saved = saved
        self.cooked = 0
        """Bytes typed before the terminal was ready and not given to the screen yet: in them a line
        feed was the Enter key."""
        self._cooked = 0
        """The same, of what is in `typed`."""
        self._screen = False
        self._mark = -1
        self.pushed = False
        """The stack of keyboard modes has ours on it (kept by the terminal driver)."""
        self.title = b""
        """What gives the title of the terminal back."""
        self.typed: bytes | None = b""
        """What was typed and is on record nowhere, as it came (kept by the terminal driver); None:
        all of it is."""
        self.unread = b""
        """What was read from the terminal before the screen did: it comes before all else."""
        self.off_record = False
        """Nothing of what is typed goes to disk, whatever ends the program."""
        self._kept: tuple[str, int] | None = None
        """The file that has it, and the descriptor that locks it."""
        self._written = b""
        self.done = False

    def draw(self, arguments: Sequence[str] = ()) -> None:
        """Enter the alternate screen with the first frame in it. No signal comes between the two
        and their record."""
        try:
            size = os.get_terminal_size(self.fd)
            drawn = frame(size.columns, size.lines, os.environ, arguments)
            if not drawn or not select.select([], [2], [], 0)[1]:
                return
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
            try:
                os.write(2, drawn)
                self.screen = True
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except OSError:
            return  # a terminal that cannot be drawn on is said where the screen begins

    @property
    def screen(self) -> bool:
        """The alternate screen is on (kept by the terminal driver)."""
        return self._screen

    @screen.setter
    def screen(self, on: bool) -> None:
        self._screen = on
        if self._mark >= 0:
            os.pwrite(self._mark, b"1" if on else b"0", 0)

    def share(self) -> tuple[int, list[Any], bytes, int] | None:
        """What somebody needs who gives the terminal back if this process is killed: the terminal,
        its attributes as they were found, what takes back all that a screen may have set, and a
        file whose first byte is `1` while the screen is on. None where the system has no such file.
        """
        if not sys.platform.startswith("linux"):
            return None
        self._mark = os.memfd_create("agent-tui-screen")
        self.screen = self._screen
        return self.fd, self.saved, POP + UNDO, self._mark

    def read_soon(self) -> None:
        """From now on, what is typed is soon read, and on disk unless it is off the record: `kill
        -9` takes along what waits in the terminal. A start is that slow on a busy machine. Ctrl+C
        is a key, and no signal, which would end the program for a byte of what is pasted."""
        attributes = termios.tcgetattr(self.fd)
        attributes[_CC][termios.VINTR] = _NO_KEY
        termios.tcsetattr(self.fd, termios.TCSANOW, attributes)
        signal.signal(signal.SIGALRM, self._take_keys)
        signal.setitimer(signal.ITIMER_REAL, READ_SECONDS, READ_SECONDS)

    def hand_over(self) -> tuple[str, int] | None:
        """The screen reads the keys now. The file that has what was typed, if there is one, and
        what locks it."""
        if signal.setitimer(signal.ITIMER_REAL, 0)[1]:
            self._take_keys()
        kept, self._kept = self._kept, None
        return kept

    def _take_keys(self, *_: object) -> None:
        if self.typed is None or not self.take_waiting(0.0):
            return
        if _interrupts(self.unread):
            words = self.typed.strip(_INTERRUPT + b" \t\r\n")
            self.end(signal.SIGINT, keeps=bool(words))
        if self.off_record:
            return
        try:
            self._write(public_keys(self.typed, self._cooked))
        except OSError:
            return  # the session says it, where it cannot write either

    def _write(self, keys: bytes) -> None:
        """The file has `keys`: mostly more of them than before, but a line may have become private.
        Raises OSError."""
        if self._kept is None and not keys:
            return
        if self._kept is None:
            self._kept = _typed_file()
        head = os.fsencode(os.getcwd()) + b"\0"  # noqa: PTH109
        same = len(self._written) if keys.startswith(self._written) else 0
        os.pwrite(
            self._kept[1], keys[same:] if same else head + keys, len(head) * bool(same) + same
        )
        os.ftruncate(self._kept[1], len(head) + len(keys))
        self._written = keys

    def restore(self) -> None:
        """Give the terminal back as it was found. Safe at any moment and any number of times."""
        if self.done:
            return
        self.done = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        for undo in (self._leave_screen, self._reset_attributes):
            try:
                undo()
            except (OSError, termios.error):
                continue  # the terminal is gone: there is nobody to give it back to

    def _leave_screen(self) -> None:
        if select.select([], [2], [], BLOCKED_SECONDS)[1]:
            os.write(2, POP * self.pushed + (self.title + UNDO if self.screen else _NO_PASTE))
        self.screen = self.pushed = False

    def _reset_attributes(self) -> None:
        termios.tcsetattr(self.fd, termios.TCSANOW, self.saved)

    def end(self, number: int, _: FrameType | None = None, *, keeps: bool = False) -> None:
        """A signal handler for the time before the screen runs its own, and for a screen that does
        not end. `keeps`: as for `keep_typed`."""
        # before the terminal edits lines again, or the shell would read it as commands
        self.take_waiting()
        self.restore()
        self.keep_typed(number, keeps=keeps)
        os._exit(128 + number)

    def take_waiting(self, seconds: float = UNDERWAY_SECONDS) -> bytes:
        """Read what waits in the terminal, or comes within `seconds`: it counts as typed, and the
        screen gets it."""
        try:
            select.select([self.fd], [], [], seconds)
            count: int = struct.unpack("i", fcntl.ioctl(self.fd, termios.FIONREAD, b"\0\0\0\0"))[0]
            data = os.read(self.fd, count) if count else b""
        except OSError:
            return b""  # the terminal is gone, and what waited there with it
        if data and not data.startswith(b"["):  # else it is the rest of a key
            self._end_escape()
        self.unread += data
        if self.typed is not None:
            self.typed += data
        return data

    def _end_escape(self) -> None:
        """An ESC that nothing followed for as long as it takes to read again was the key Esc, and
        not Alt with the key behind it. All is fed at once later, so that has to be written."""
        more = len(_ESC_KEY) - 1
        if self.unread.endswith(b"\x1b"):
            self.cooked += more if self.cooked >= len(self.unread) else 0
            self.unread = self.unread[:-1] + _ESC_KEY
        if self.typed is not None and self.typed.endswith(b"\x1b"):
            self._cooked += more if self._cooked >= len(self.typed) else 0
            self.typed = self.typed[:-1] + _ESC_KEY

    def keep_typed(self, number: int, *, keeps: bool = False) -> None:
        """Whoever ends the program from outside must not take a prompt along: the next start here
        gives it back. SIGINT and SIGQUIT are the person's own; `keeps`: but the key Ctrl+C, which
        clears words into the history later on, loses none here either."""
        typed, self.typed = public_keys(self.typed or b"", self._cooked), None
        kept = self.hand_over()
        try:
            wanted = keeps or number in (signal.SIGTERM, signal.SIGHUP)
            if typed and wanted and not self.off_record:
                _, fd = _typed_file()
                os.write(fd, os.fsencode(os.getcwd()) + b"\0" + typed)  # noqa: PTH109
                os.fsync(fd)
                os.close(fd)
            if kept:
                os.unlink(kept[0])  # noqa: PTH108
        except OSError as error:
            if number != signal.SIGHUP:
                print(
                    f"agent-tui: the text that you typed could not be saved: {error.strerror}",
                    file=sys.stderr,
                )


def _interrupts(typed: bytes) -> bool:
    """Whether Ctrl+C is among the keys: not in what was pasted."""
    while typed:
        keys, _, pasted = typed.partition(PASTE_BEGINS)
        if _INTERRUPT in keys:
            return True
        typed = pasted.partition(PASTE_ENDS)[2]
    return False


def _typed_file() -> tuple[str, int]:
    """A new file for what was typed, and its descriptor, which locks it while this process lives.
    Raises OSError."""
    folder = typed_folder(os.environ)
    before = os.umask(0o077)  # for what is missing above it, too
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    finally:
        os.umask(before)
    path = os.path.join(folder, f"{time.time_ns()}-{os.getpid()}")  # noqa: PTH118
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return path, fd


def command(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Which command the words name (`run`, `chat`, `config`, or none), and its own words. Flags may
    come before it; the first word that is neither a flag nor the value of one is the command, or
    else the prompt."""
    skip = may = False
    for number, word in enumerate(arguments):
        before, after = list(arguments[:number]), list(arguments[number + 1 :])
        if skip:
            skip = False
        elif word in COMMANDS:
            if before and word in WITH_ACTION:
                return word, [*(after or [WITH_ACTION[word]]), *before]
            return word, [*before, *after]
        elif may and not word.startswith("-"):
            may = False
        elif word == "--" or not word.startswith("-"):
            break
        elif word.startswith("--"):
            long = "=" not in word and len(word) > 3
            skip = long and any(flag.startswith(word) for flag in VALUED)
            may = long and OPTIONAL.startswith(word)
        else:
            skip, may = word in ("-m", "-cm"), word in ("-r", "-cr")
    return "", list(arguments)


def wants_screen(arguments: Sequence[str]) -> bool:
    """Whether the command line asks for the full screen."""
    if command(arguments)[0]:
        return False
    return not any(word in ("-h", "--help", "--version") for word in arguments)


def lacks_memory(arguments: Sequence[str]) -> str:
    """Why there is too little memory for an engine, in one line; empty: there is enough, or no
    engine is asked for. Without it every turn would fail, and the end might be a crash in the midst
    of the screen."""
    name = command(arguments)[0]
    if name not in ("", "run", "chat") or any(
        word in ("-h", "--help", "--version") for word in arguments
    ):
        return ""
    for limit, flag, least in (
        (resource.RLIMIT_AS, "-v", LEAST_ADDRESSES),
        (resource.RLIMIT_DATA, "-d", LEAST_DATA),
    ):
        allowed = resource.getrlimit(limit)[0]
        if allowed != resource.RLIM_INFINITY and allowed < least << 20:
            return f"only {allowed >> 20} MB of memory are allowed here (ulimit {flag}), but agent-tui needs {least} MB"
    return ""


def collect_signals() -> list[int]:
    """From now on, while the program closes what it has open, the first signal is put on the list,
    for the exit code; a second one ends the program at once."""
    heard: list[int] = []

    def hear(number: int, _: FrameType | None) -> None:
        if heard:
            os._exit(128 + number)
        heard.append(number)

    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, hear)
    return heard


def prepare(arguments: Sequence[str]) -> Early | None:
    """Make the terminal ready if the full screen is wanted and the terminal is ours; else do
    nothing."""
    if not wants_screen(arguments) or not drawable(os.environ):
        return None
    early = take_terminal()
    if early is not None:
        early.off_record = any(len(word) > 2 and "--otr".startswith(word) for word in arguments)
        early.draw(arguments)
        early.read_soon()
    return early


def take_terminal() -> Early | None:
    """Stop line editing, so that keys wait in order; typed text still shows. None where this is not
    our terminal."""
    try:
        if not (os.isatty(0) and os.isatty(1) and os.isatty(2)) or os.tcgetpgrp(0) != os.getpgrp():
            return None
        early = Early(0, termios.tcgetattr(0))
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, early.end)
        termios.tcsetattr(0, termios.TCSANOW, _ready(termios.tcgetattr(0)))
        waiting: bytes = fcntl.ioctl(0, termios.FIONREAD, b"\0\0\0\0")
        early.cooked = early._cooked = struct.unpack("i", waiting)[0]
        os.write(2, _PASTE)  # a paste of before the first frame is text too, not a row of Enters
    except (OSError, termios.error) as error:
        print(f"agent-tui: the terminal could not be prepared: {error}", file=sys.stderr)
        return None
    return early


def forget_size(environment: MutableMapping[str, str], fd: int = 2) -> None:
    """COLUMNS and LINES were exported for another terminal, or for what this one was before: where
    it tells its size they say nothing."""
    try:
        width, height = os.get_terminal_size(fd)
    except OSError:
        return
    if width and height:
        environment.pop("COLUMNS", None)
        environment.pop("LINES", None)


def without_echo(attributes: list[Any]) -> list[Any]:
    """Those for a terminal between two screens: keys wait for the next one, and nobody sees
    them."""
    between = _ready([*attributes])
    between[_LFLAG] &= ~termios.ECHO
    return between


def _ready(attributes: list[Any]) -> list[Any]:
    """Keys come one by one and unchanged; Ctrl+C interrupts; control characters are not shown as
    `^X` while echo is on."""
    attributes[_IFLAG] &= ~(
        termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON | termios.IXOFF
    )
    attributes[_LFLAG] &= ~(termios.ICANON | termios.IEXTEN | termios.ECHOCTL)
    control = list(attributes[_CC])
    control[termios.VMIN], control[termios.VTIME] = 1, 0
    control[termios.VSUSP] = control[termios.VQUIT] = _NO_KEY
    attributes[_CC] = control
    return attributes
