"""No command outlives the program, however that ends: `kill -9` and a crash leave nobody behind who
would end it.

One small process, the guard, starts all commands and outlives the program. It forks a supervisor
for each command; the supervisor starts the command, and stays until nothing of it is left. On Linux
the supervisor adopts whatever loses its parent below it (it is a "child subreaper"): a daemon that
forked twice, in a session of its own and with an empty environment, is still its descendant. What
loses its supervisor is adopted by the guard, and what loses both by the program (`Orphans`).

The program holds one end of a socket. When the program ends, in whatever way, the kernel closes
that end. Then the guard gives the terminal back if the program could not, ends what is left of all
commands, and ends itself. What the person wants to keep goes on, and the guard stays for that. If
the guard is killed, the kernel signals the supervisors (by a parent death signal: the guard has
only one thread).

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import errno
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from agent_tui.safety.process import tree
from agent_tui.safety.process.own_program import own_argv
from agent_tui.safety.process.supervisor import (
    BYTES,
    KILL_SECONDS,
    PAUSE,
    TERM_SECONDS,
    adopt_orphans,
    bury,
    kill_all,
    supervise,
)

_TITLE: Final = "agent-tui: ends what a killed agent-tui leaves"
_SIZE: Final = 4
"""Bytes that say how long it is what the guard is told first."""
_LFLAG: Final = 3
_RAW: Final = termios.ICANON | termios.ECHO | termios.ISIG
"""Flags that the screen switches off; a shell's line editor leaves the last one on."""
NO_PASTE: Final = b"\x1b[?2004l"
_START, _KEEP, _END = b"+", b"k", b"e"
"""What the program says: start a supervisor, or one of those there are goes on when the program
ends, or it ends then."""
_PID: Final = 4
"""Bytes of its number."""


class Process(Protocol):
    """A started part of this program."""

    pid: int

    def poll(self) -> int | None: ...


class Screen:
    """The terminal under the screen: its descriptor, its attributes as they were found, what takes
    back the modes that the screen sets, and a file that begins with `1` while the screen is on."""

    def __init__(self, fd: int, saved: Sequence[Any], undo: bytes, mark: int) -> None:
        self.fd, self.saved, self.undo, self.mark = fd, saved, undo, mark


class Guard:
    """The program's side. `start` starts a program, which inherits the descriptors that it is
    given."""

    def __init__(self, start: Callable[[Sequence[str], Sequence[int]], Process]) -> None:
        self._start = start
        self._process: Process | None = None
        self._socket: socket.socket | None = None
        self._screen: Screen | None = None
        self._broken = False

    @property
    def lives(self) -> bool:
        """Whether it runs, so that it adopts what commands leave."""
        return self._process is not None and not self._broken and self._process.poll() is None

    @property
    def was_killed(self) -> bool:
        """Whether it ended before the program: what it looked after has nobody else than the
        program."""
        return self._process is not None and not self.lives

    def watch(self, screen: Screen) -> None:
        """Start the guard; it gives `screen` back if the program ends without doing so. Raises
        OSError."""
        screen.fd = os.dup(screen.fd)  # the standard ones are not inherited as they are
        self._screen = screen
        self._renew()

    def supervise(self, output: int, *network: int) -> socket.socket:
        """A new supervisor, for a command that writes to the descriptor `output`: the socket on
        which it waits for `request`. `network`: where the socket is sent on which its proxy
        listens. It answers with a line that holds its pid and the command's (or `error`, a number,
        and words where the command could not be confined), later with `ended`, the exit code and
        whether something is left (0 or 1). It closes its end when nothing of the command is left.
        Raises BrokenPipeError where the guard was killed just now, and OSError."""
        if not self.lives:
            self._renew()
        assert self._socket is not None  # from `_renew`
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._socket, [_START], [theirs.fileno(), output, *network])
        except (BrokenPipeError, ConnectionResetError) as error:
            ours.close()
            self._broken = True
            raise BrokenPipeError(*error.args) from None
        return ours

    def keep(self, supervisor: int, on: bool) -> None:
        """What a supervisor looks after goes on when the program ends, or not any more. Raises
        OSError."""
        if self._socket is None or not self.lives:
            raise BrokenPipeError(errno.EPIPE, "the process that watches commands was killed")
        self._socket.sendall((_KEEP if on else _END) + supervisor.to_bytes(_PID, "big"))

    def _renew(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, theirs = socket.socketpair()
        inherited = [theirs.fileno()]
        about: dict[str, Any] = {
            "parent": os.getppid(),
            "group": os.getpgrp(),
            "shared": f"{tempfile.gettempdir()}/agent-tui-{os.urandom(12).hex()}",
        }
        if self._screen is not None:
            inherited += (self._screen.fd, self._screen.mark)
            saved = [
                [c.decode(BYTES) if isinstance(c, bytes) else c for c in part]
                if isinstance(part, list)
                else part
                for part in self._screen.saved
            ]
            about |= {
                "terminal": self._screen.fd,
                "saved": saved,
                "undo": self._screen.undo.decode(BYTES),
            }
            about["mark"] = self._screen.mark
        with theirs:
            # It waits in the socket: everybody can read the arguments of a process.
            told = json.dumps(about).encode()
            self._socket.sendall(len(told).to_bytes(_SIZE, "big") + told)
            argv = own_argv(__name__, str(theirs.fileno()), _TITLE)
            self._process = self._start(argv, inherited)
        self._broken = False


# ------------------------------------------------------------------------------ in the guard itself


def main() -> None:
    """The guard: until the program's end of the socket is closed."""
    program = socket.socket(fileno=int(sys.argv[2]))
    size = int.from_bytes(program.recv(_SIZE, socket.MSG_WAITALL), "big")
    about = json.loads(program.recv(size, socket.MSG_WAITALL) or b"null")
    if about is None:
        return  # the program has ended already
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    supervisors, kept = set[int](), set[int]()
    signal.signal(signal.SIGCHLD, lambda *_: _reap(supervisors))
    own, terminal = os.getpid(), about.get("terminal", -1)
    with program:
        for descriptor in (program.fileno(), *((terminal,) if terminal >= 0 else ())):
            os.set_inheritable(descriptor, False)
        while True:
            data, descriptors, _, _ = socket.recv_fds(program, 1, 3)
            if not data:
                break
            if data != _START:
                pid = int.from_bytes(program.recv(_PID, socket.MSG_WAITALL), "big")
                (kept.add if data == _KEEP else kept.discard)(pid)
                continue
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
            signal.pthread_sigmask(
                signal.SIG_BLOCK, (signal.SIGCHLD,)
            )  # its pid is known before it may be reaped
            pid = os.fork()
            if not pid:
                program.close()
                if terminal >= 0:
                    os.close(terminal)
                supervise(own, about["shared"], *descriptors)
            supervisors.add(pid)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
            for descriptor in descriptors:
                os.close(descriptor)
    if terminal >= 0:
        _give_back(about)
        os.close(terminal)
        os.close(about["mark"])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    kept &= supervisors
    _end_commands(supervisors, kept)
    _outlive(kept)
    shutil.rmtree(about["shared"], ignore_errors=True)


def _end_commands(supervisors: set[int], kept: set[int]) -> None:
    """End all that is not below those that are `kept`."""
    own, deadline = os.getpid(), time.monotonic() + TERM_SECONDS
    tree.signal_all(tree.descendants(own, supervisors, kept), signal.SIGTERM)
    while tree.descendants(own, supervisors, kept) and time.monotonic() < deadline:
        time.sleep(0.02)
    kill_all(supervisors, kept)


def _outlive(kept: set[int]) -> None:
    """Stay until all that are `kept` have ended: they have what they need of a guard, such as their
    temporary folder."""
    while kept:
        pid, status = os.waitpid(-1, 0)
        kept.discard(pid)
        if status:
            _kill_strays(kept)


def _reap(supervisors: set[int]) -> None:
    """Somebody ended. Where it is a supervisor that was killed, what it looked after has no one
    else than the guard."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        if pid in supervisors:
            supervisors.discard(pid)
            if status:
                _kill_strays(supervisors)


def _kill_strays(supervisors: set[int]) -> None:
    """End what lost its supervisor: all below the guard that is not below a supervisor."""
    deadline = time.monotonic() + KILL_SECONDS
    while (strays := tree.children(os.getpid()) - supervisors) and time.monotonic() < deadline:
        tree.kill_trees(strays)
        time.sleep(PAUSE)
        bury(supervisors)


# ------------------------------------------------------------------------------------- the terminal


def _give_back(about: Mapping[str, Any]) -> None:
    """Take the screen back, if the program ended and left it on. The terminal must still belong to
    the program's own job, or to the shell that started it: another program that took it meanwhile
    has set its own modes. So has a shell that was faster: the attributes are only set where they
    are still those of a screen, and where its line editor reads already, pastes stay marked as it
    asked for."""
    fd = about["terminal"]
    try:
        foreground = tree.foreground_group(about["parent"])
        if foreground not in (about["group"], _group(about["parent"])):
            return
        if os.pread(about["mark"], 1, 0) != b"1":
            return
        flags, undo = termios.tcgetattr(fd)[_LFLAG], about["undo"].encode(BYTES)
        edits = bool(flags & termios.ISIG) and not flags & termios.ICANON
        # The attributes first: who sees that the screen is gone may type at once.
        if not flags & _RAW:
            saved = [
                [c.encode(BYTES) if isinstance(c, str) else c for c in part]
                if isinstance(part, list)
                else part
                for part in about["saved"]
            ]
            termios.tcsetattr(fd, termios.TCSANOW, saved)
        if select.select([], [fd], [], 0.1)[1]:
            os.write(fd, undo.replace(NO_PASTE, b"") if edits else undo)
    except (OSError, termios.error):
        return  # the terminal is gone: there is nobody to give it back to


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return -1
