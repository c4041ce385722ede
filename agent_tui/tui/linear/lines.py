"""Lines from standard input: from a terminal (with its own editing, or readline's), a pipe or a
file. And where lines go: whole ones, made harmless, at once."""

from __future__ import annotations

import asyncio
import codecs
import locale
import os
import select
import sys
import termios
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from getpass import getpass
from typing import Any, Final, Literal

from agent_tui.structures.visible import visible
from agent_tui.tui.linear.links import links

CHUNK: Final = 65_536
BURST: Final = 0.02
"""Lines that follow one another so closely were pasted: they are one prompt."""
END: Final = b"\x04"
"""Ctrl+D."""
FENCE: Final = '"""'


class Assembler:
    """Makes prompts of lines: a backslash at the end goes on in the next line, three quotes hold
    many of them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._fenced = False

    @property
    def open(self) -> bool:
        """A prompt has begun, and is not at its end."""
        return self._fenced or bool(self._parts)

    def feed(self, line: str) -> str | None:
        """The prompt that `line` ends; None if more of it is to come."""
        if self._fenced:
            if not line.rstrip().endswith(FENCE):
                self._parts.append(line)
                return None
            last = line.rstrip()[: -len(FENCE)]
            return self._whole(*([last] if last else []))
        if not self._parts and line.lstrip().startswith(FENCE):
            first = line.lstrip()[len(FENCE) :]
            if first.rstrip().endswith(FENCE) and first.strip():
                return first.rstrip()[: -len(FENCE)]
            self._fenced, self._parts = True, [first] if first.strip() else []
            return None
        if line.endswith("\\"):
            self._parts.append(line[:-1])
            return None
        return self._whole(line)

    @property
    def begun_text(self) -> str:
        """The lines so far."""
        return "\n".join(self._parts)

    def rest(self) -> str:
        """What was begun, when no more can come."""
        return self._whole()

    def _whole(self, *last: str) -> str:
        parts, self._parts, self._fenced = [*self._parts, *last], [], False
        return "\n".join(parts)


class Input:
    """Standard input. `terminal`: somebody may type; `edits`: with readline."""

    def __init__(self, fd: int = 0) -> None:
        self.fd = fd
        self.lines: deque[str] = deque()
        self.ended = False
        self.terminal = os.isatty(fd)
        self.edits = self.terminal and os.isatty(1) and _has_readline()
        self._kept: list[bytes] = []
        """The beginning of a line that is not at its end."""
        self._kept_early = False
        self._early_lines = 0
        """That, and so many of `lines`, were begun before what was said last."""
        self.early = False
        """So was the line that was taken last."""
        self._told: Callable[[], None] = lambda: None
        self._restore: Callable[[], None] = lambda: None
        self._hidden = False

    def open(self, told: Callable[[], None]) -> None:
        """Read from now on, in the running loop; `told` is called when there is more, or the
        end."""
        self._told = told
        if self.terminal:
            self._keep_on_interrupt()
        try:
            asyncio.get_running_loop().add_reader(self.fd, self._readable)
        except PermissionError:  # a plain file: it is there as a whole
            while not self.ended:
                self._take(os.read(self.fd, CHUNK))

    def go_on(self) -> None:
        """An end that was typed (Ctrl+D) is none yet: more lines may come."""
        self.ended = False
        asyncio.get_running_loop().add_reader(self.fd, self._readable)

    def _keep_on_interrupt(self) -> None:
        """Ctrl+C drops nothing that was typed, until the program ends."""
        with suppress(termios.error):  # the terminal is gone, which the next read tells
            mode = termios.tcgetattr(self.fd)
            kept = [*mode[:3], mode[3] | termios.NOFLSH, *mode[4:]]
            termios.tcsetattr(self.fd, termios.TCSANOW, kept)
            self._restore = lambda: termios.tcsetattr(self.fd, termios.TCSANOW, mode)

    def hide(self, hidden: bool) -> None:
        """Whether the terminal shows what is typed while the program works."""
        if not self.terminal or hidden == self._hidden:
            return
        self._hidden = hidden
        with suppress(termios.error):  # the terminal is gone, which the next read tells
            mode = termios.tcgetattr(self.fd)
            local = mode[3] & ~termios.ECHO | termios.ECHONL if hidden else mode[3] | termios.ECHO
            self._set_mode([*mode[:3], local, *mode[4:]])

    def close(self) -> None:
        """The terminal is as it was."""
        restore, self._restore = self._restore, lambda: None
        with suppress(termios.error):
            restore()

    def lend_terminal(self) -> Callable[[], None]:
        """A shell has the terminal, as it was before us, until what is returned is called."""
        with suppress(termios.error):
            ours = termios.tcgetattr(self.fd)
            self._restore()
            return lambda: self._set_mode(ours)
        return lambda: None

    def _set_mode(self, mode: list[Any]) -> None:
        with suppress(termios.error):  # the terminal is gone, which the next read tells
            termios.tcsetattr(self.fd, termios.TCSANOW, mode)

    def ask(self, prompt: str, hidden: bool = False) -> str | None:
        """One line (or what was pasted) with readline's editing; blocks. None: the end. `hidden`:
        it is not shown as it is typed, nor in readline's history."""
        try:
            if hidden:
                return getpass(prompt)
            lines = [input(prompt)]
        except EOFError:
            return None
        with suppress(EOFError):  # a Ctrl+D right behind a line ends that, and nothing else
            while select.select([self.fd], [], [], BURST)[0]:
                lines.append(input())
        return "\n".join(lines).encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def keep_begun(self) -> str:
        """What is being typed and was not ended: it stays the beginning of the next line, and
        nobody else reads it."""
        self._pull_begun()
        return b"".join(self._kept).decode("utf-8", "replace")

    def mark_begun(self) -> None:
        """What is being typed now was begun before what is said next. The terminal keeps it until
        its Enter, unless it is told anew that it edits lines."""
        if self.terminal:
            self._pull_begun()
            self._early_lines, self._kept_early = len(self.lines), self.has_begun

    def take_begun(self) -> str:
        """What is being typed and was not ended: it is no part of a line any more."""
        if not self.terminal:
            return ""
        self._pull_begun()
        begun, self._kept, self._kept_early = b"".join(self._kept), [], False
        return begun.decode("utf-8", "replace")

    def _pull_begun(self) -> None:
        try:
            mode = termios.tcgetattr(self.fd)
            raw = [*mode[:3], mode[3] & ~termios.ICANON, *mode[4:]]
            if mode[3] & termios.ICANON:
                termios.tcsetattr(self.fd, termios.TCSANOW, raw)
                termios.tcsetattr(self.fd, termios.TCSANOW, mode)
            if select.select([self.fd], [], [], 0)[0] and (begun := self._read()):
                self._take(begun)
        except termios.error:  # the terminal is gone, which the next read tells
            return

    @property
    def has_begun(self) -> bool:
        """Whether a line was begun that readline does not have."""
        return any(self._kept)

    def pop_line(self) -> str:
        """The next line."""
        self.early = self._early_lines > 0
        self._early_lines = max(0, self._early_lines - 1)
        return self.lines.popleft()

    def _readable(self) -> None:
        if not self.terminal:
            self._take(self._read())
        else:
            pasted = self._read()
            while pasted and select.select([self.fd], [], [], BURST)[0] and (more := self._read()):
                pasted += more
            self._take(pasted)
        if self.ended:
            asyncio.get_running_loop().remove_reader(self.fd)
        self._told()

    def _read(self) -> bytes:
        try:
            return os.read(self.fd, CHUNK)
        except OSError:  # the terminal is gone
            return b""

    def _take(self, data: bytes) -> None:
        """The lines in `data`; of a terminal they are one thing, as they came together."""
        if not data:
            self.ended = True
            data = b"\n" * any(self._kept)
        if self.terminal:
            data = data.replace(END, b"")  # a key that readline did not come to
        self._kept.append(data)
        if b"\n" not in data:
            return
        *whole, rest = b"".join(self._kept).split(b"\n")
        self._kept = [rest]
        lines = [line.decode("utf-8", "replace").rstrip("\r") for line in whole]
        self.lines.extend(["\n".join(lines)] if self.terminal and lines else lines)
        if self._kept_early:
            self._early_lines, self._kept_early = len(self.lines), False


def _has_readline() -> bool:
    if codecs.lookup(locale.nl_langinfo(locale.CODESET)).name == "ascii":
        # with LC_ALL=C it drops every letter beyond ASCII; without it, the terminal edits the line
        # itself
        return True
    try:
        import readline
    except ImportError:
        return False
    readline.parse_and_bind("set enable-bracketed-paste off")
    readline.set_auto_history(True)
    return True


def remember(entries: tuple[str, ...]) -> None:
    """Give readline the prompts of before, the newest last."""
    readline = sys.modules.get("readline")
    if readline is not None:
        for entry in entries:
            if "\n" not in entry:
                readline.add_history(entry)


def typed_line() -> str:
    """What stands in the line that readline edits."""
    readline = sys.modules.get("readline")
    return str(readline.get_line_buffer()) if readline is not None else ""


Tone = Literal["", "you", "assistant", "tool", "warning", "bad"]
COLOURS: Final[dict[Tone, str]] = {
    "you": "1", "assistant": "36", "tool": "35", "warning": "33", "bad": "31",
}  # fmt: skip
ADDED, REMOVED = "32", "31"


class Out:
    """`coloured`: asked for; else no control sequence ever leaves. With it, a terminal that takes
    links gets them."""

    def __init__(self, coloured: bool = False) -> None:
        self.coloured = coloured
        if sys.stdout is None:  # closed by who started us
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end
        self.links = links(os.environ, coloured, self.terminal)

    @property
    def terminal(self) -> bool:
        return sys.stdout.isatty()

    def say(self, lines: Iterable[str], tone: Tone = "") -> None:
        """Append `lines`; the first has the colour of its `tone`."""
        for number, text in enumerate(lines):
            for line in visible(text).split("\n"):
                sys.stdout.write(f"{self._coloured(line.rstrip(), tone if number == 0 else '')}\n")
        sys.stdout.flush()

    def show_begun(self, text: str) -> None:
        """A line that goes on where it was left."""
        sys.stdout.write(visible(text))
        sys.stdout.flush()

    def _coloured(self, line: str, tone: Tone) -> str:
        code = COLOURS.get(tone, "")
        if not code and tone == "" and line[:1] in ("+", "-"):
            code = ADDED if line[0] == "+" else REMOVED
        shown = self.links.mark(line) if self.links else line
        return f"\x1b[{code}m{shown}\x1b[0m" if self.coloured and code and line else shown
