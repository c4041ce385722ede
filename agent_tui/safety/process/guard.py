"""No command outlives the program, however that ends: `kill -9` and a crash leave nobody behind who
would end it.

One small process, the guard, starts all commands and outlives the program. It forks a supervisor
for each command; the supervisor starts the command, and stays until nothing of it is left. On Linux
the supervisor adopts whatever loses its parent below it (it is a "child subreaper"): a daemon that
forked twice, in a session of its own and with an empty environment, is still its descendant. What
loses its supervisor is adopted by the guard, and what loses both by the program (`Orphans`).

The program holds one end of a socket. When the program ends, in whatever way, the kernel closes
that end. Then the guard gives the terminal back if the program could not, ends what is left of all
commands, and ends itself. If the guard is killed, the kernel signals the supervisors (by a parent
death signal: the guard has only one thread).

The guard runs this file by `python -I -S`: only the standard library, and little of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from agent_tui.safety.process import command_folders, tree
from agent_tui.safety.sandbox import confinement, file_attributes, namespaces, profiles
from agent_tui.safety.sandbox.profiles import NAMESPACES, NotConfined, Profile

TERM_SECONDS: Final = 1.0
"""So long commands have to end by themselves when the program was killed."""
PAUSE: Final = 0.001
"""Seconds between two looks at what is being killed."""
KILL_SECONDS: Final = 5.0
"""So long an ending goes on: a process that waits for its disk does not end, whatever it is sent.
"""
GROUP_SECONDS: Final = 0.5
"""Without /proc: how often to look whether the group of a command that ended is empty."""

_SUBREAPER: Final = 36
_DEATH_SIGNAL: Final = 1
_BYTES: Final = "latin-1"
"""JSON holds text, arguments are bytes: each byte is the character of the same number."""
_MAIN: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from agent_tui.safety.process.guard import main; main()"
)
_TITLE: Final = "agent-tui: ends what a killed agent-tui leaves"
_PROBLEM: Final = 1_000
"""Bytes that say why a command did not start."""
_LFLAG: Final = 3
_RAW: Final = termios.ICANON | termios.ECHO | termios.ISIG
"""Flags that the screen switches off; a shell's line editor leaves the last one on."""


NO_PASTE: Final = b"\x1b[?2004l"


class Process(Protocol):
    """The started guard."""

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
        which it waits for `request`. `network`: where the socket is sent on which its proxy listens.
        It answers with a line that holds its pid and the command's (or `error`,
        a number, and words where the command could not be confined), later with `ended`, the exit
        code and whether something is left (0 or 1). It closes its end when nothing of the command
        is left. Raises BrokenPipeError where the guard was killed just now, and OSError."""
        if not self.lives:
            self._renew()
        assert self._socket is not None  # from `_renew`
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._socket, [b"+"], [theirs.fileno(), output, *network])
        except (BrokenPipeError, ConnectionResetError) as error:
            ours.close()
            self._broken = True
            raise BrokenPipeError(*error.args) from None
        return ours

    def _renew(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, theirs = socket.socketpair()
        inherited = [theirs.fileno()]
        about: dict[str, Any] = {
            "socket": theirs.fileno(),
            "parent": os.getppid(),
            "group": os.getpgrp(),
            "shared": f"{tempfile.gettempdir()}/agent-tui-{os.urandom(12).hex()}",
        }
        if self._screen is not None:
            inherited += (self._screen.fd, self._screen.mark)
            saved = [
                [c.decode(_BYTES) if isinstance(c, bytes) else c for c in part]
                if isinstance(part, list)
                else part
                for part in self._screen.saved
            ]
            about |= {
                "terminal": self._screen.fd,
                "saved": saved,
                "undo": self._screen.undo.decode(_BYTES),
            }
            about["mark"] = self._screen.mark
        root = os.path.abspath(os.path.join(__file__, *4 * [os.pardir]))  # noqa: PTH100, PTH118
        with theirs:
            argv = [sys.executable, "-I", "-S", "-c", _MAIN, root, json.dumps(about), _TITLE]
            self._process = self._start(argv, inherited)
        self._broken = False


def request(
    argv: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    confined: Profile | None = None,
    memory: int = 0,
    moves: bool = False,
) -> bytes:
    """What a supervisor is told to run; `memory`: bytes of data that each process of it may have, 0
    for no limit; `moves`: its shell says in which folder it ended. Raises ValueError where an argument holds a NUL."""
    parts = [*argv, cwd, *environment, *environment.values()]
    if any("\0" in part for part in parts):
        raise ValueError("embedded null byte")
    asked = {
        "argv": [os.fsencode(part).decode(_BYTES) for part in argv],
        "cwd": os.fsencode(cwd).decode(_BYTES),
        "env": {
            os.fsencode(k).decode(_BYTES): os.fsencode(v).decode(_BYTES)
            for k, v in environment.items()
        },
        "memory": memory,
        "moves": moves,
        "confined": None if confined is None else profiles.pack_profile(confined),
    }
    return json.dumps(asked).encode() + b"\n"


# ------------------------------------------------------------------------------ in the guard itself


def main() -> None:
    """The guard: until the program's end of the socket is closed."""
    about = json.loads(sys.argv[2])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    supervisors: set[int] = set()
    signal.signal(signal.SIGCHLD, lambda *_: _reap(supervisors))
    own, terminal = os.getpid(), about.get("terminal", -1)
    with socket.socket(fileno=about["socket"]) as program:
        for descriptor in (program.fileno(), *((terminal,) if terminal >= 0 else ())):
            os.set_inheritable(descriptor, False)
        while True:
            data, descriptors, _, _ = socket.recv_fds(program, 1, 3)
            if not data:
                break
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
                _supervise(own, about["shared"], *descriptors)
            supervisors.add(pid)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
            for descriptor in descriptors:
                os.close(descriptor)
    if terminal >= 0:
        _give_back(about)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    tree.signal_all(tree.descendants(os.getpid(), supervisors), signal.SIGTERM)
    deadline = time.monotonic() + TERM_SECONDS
    while tree.descendants(os.getpid(), supervisors) and time.monotonic() < deadline:
        time.sleep(0.02)
    _kill_all(supervisors)
    shutil.rmtree(about["shared"], ignore_errors=True)


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
        _bury(supervisors)


def _kill_all(supervisors: set[int]) -> None:
    """End everything below this process, which goes on until it has no child."""
    deadline = time.monotonic() + KILL_SECONDS
    while _bury(supervisors) and time.monotonic() < deadline:
        tree.kill_descendants(os.getpid(), supervisors)
        time.sleep(PAUSE)


def _bury(supervisors: set[int]) -> bool:
    """Forget children that have ended; whether there are others."""
    try:
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            supervisors.discard(pid)
    except ChildProcessError:
        return False
    return True


def adopt_orphans() -> None:
    """This process gets what loses its parent below it, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _supervise(guard: int, shared: str, channel: int, output: int, network: int = -1) -> None:
    """The supervisor of one command. Never returns."""
    code = 1
    try:
        adopt_orphans()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
        if sys.platform == "linux":
            signal.signal(signal.SIGUSR1, lambda *_: _kill_all(set()))
            _die_with_parent(signal.SIGUSR1)
        if os.getppid() == guard:
            with socket.socket(fileno=channel) as program:
                _run(program, output, shared, network)
        code = 0
    finally:
        os._exit(code)


def _die_with_parent(number: signal.Signals) -> None:
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, int(number), 0, 0, 0)


def _run(program: socket.socket, output: int, shared: str, network: int) -> None:
    asked = json.loads(program.makefile("rb").readline() or b"null")
    if asked is None:
        return  # the program has ended, or wants it no more
    temporary, confined, asked["network"] = b"", asked["confined"], network
    try:
        if confined and confined["works"]:
            command_folders.share_temporary(shared, confined, asked["env"])
        elif confined:
            temporary = command_folders.make_temporary(confined, asked["env"])
    except OSError as error:
        _tell(program, f"error {error.errno} it has no temporary folder: {error.strerror}\n")
        return
    try:
        if confined and confined["backend"] == NAMESPACES:
            _watch_apart(program, asked, output)
        else:
            _watch(program, asked, output)
    finally:
        if temporary:
            with contextlib.suppress(RecursionError):  # it is as deep as nobody can follow
                shutil.rmtree(temporary, ignore_errors=True)


def _watch_apart(program: socket.socket, asked: Mapping[str, Any], output: int) -> None:
    """As `_watch`, by a process that is the first in namespaces of its own: when it ends, so does
    all that is in them."""
    try:
        namespaces.leave()
    except NotConfined as error:
        _tell(program, f"error {error.errno} {error.strerror}\n")
        return
    _die_with_parent(signal.SIGUSR1)  # other rights, and it is forgotten
    supervisor, first = os.getpid(), os.fork()
    if first:
        os.close(output)
        os.waitpid(first, 0)
        return
    try:
        _die_with_parent(signal.SIGKILL)
        pids = (supervisor, int(os.readlink("/proc/self")))  # noqa: PTH115
        namespaces.build(profiles.unpack_profile(asked["confined"]))
        _watch(program, asked, output, pids)
    except NotConfined as error:
        _tell(program, f"error {error.errno} {error.strerror}\n")
    finally:
        os._exit(0)


def _watch(
    program: socket.socket,
    asked: Mapping[str, Any],
    output: int,
    pids: tuple[int, int] | None = None,
) -> None:
    """Start the command, and stay until nothing of it is left. `pids`: what the program is told,
    where it knows processes by other numbers."""
    failing, failed = socket.socketpair()
    folder, moved = os.pipe() if asked["moves"] else (-1, -1)
    leader = os.fork()
    if not leader:
        failing.close()
        _execute(asked, output, failed, moved)
    failed.close()
    if moved >= 0:
        os.close(moved)
    os.close(output)
    with failing:
        problem, listeners, _, _ = socket.recv_fds(failing, _PROBLEM, 1)
        if listeners:
            problem = failing.recv(_PROBLEM)
    if problem:  # empty once the command has taken our fork's place
        _tell(program, f"error {' '.join(problem.decode(errors='replace').split())}\n")
        return
    supervisor, first = pids or (os.getpid(), leader)
    if not _tell(program, f"{supervisor} {first}\n"):
        _kill_all(set())
    ends = file_attributes.ends_of_children(
        listeners[0] if listeners else -1,
        confinement.told_calls() if listeners else {},
        [os.fsdecode(one.encode(_BYTES)) for one in asked["confined"]["writable"]]
        if listeners
        else [],
    )
    for pid, status in ends:
        if pid == leader:
            end = command_folders.last_folder(folder) if folder >= 0 else ""
            code, left = os.waitstatus_to_exitcode(status), int(_is_left(leader))
            _tell(program, f"ended {code} {left} {end}\n")
            if not tree.has_proc():
                _wait_for_group(leader)


def _is_left(leader: int) -> bool:
    """Whether the command that ended has left processes."""
    if not tree.has_proc():
        return _has_group(leader)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return False
    return True


def _tell(program: socket.socket, line: str) -> bool:
    """Whether somebody is there to hear it."""
    try:
        program.sendall(line.encode())
    except OSError:
        return False
    return True


def _wait_for_group(leader: int) -> None:
    """Where nobody can adopt: the command's own group is what can be known of what it left."""
    while _has_group(leader):
        time.sleep(GROUP_SECONDS)


def _has_group(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except OSError:
        return False
    return True


def _execute(asked: Mapping[str, Any], output: int, failed: socket.socket, moved: int) -> None:
    """Take the command's place. Never returns. What is written to `failed` says that nothing was
    started."""
    problem = f"{errno.EPERM} it could not be started"
    try:
        os.setsid()
        for number in (
            signal.SIGHUP,
            signal.SIGINT,
            signal.SIGQUIT,
            signal.SIGTERM,
            signal.SIGTSTP,
            signal.SIGPIPE,
            signal.SIGXFSZ,
            signal.SIGUSR1,
        ):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, place in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(descriptor, place)
        if moved >= 0:
            command_folders.offer(moved)
        os.chdir(asked["cwd"].encode(_BYTES))
        argv = [part.encode(_BYTES) for part in asked["argv"]]
        environment = {
            name.encode(_BYTES): value.encode(_BYTES) for name, value in asked["env"].items()
        }
        if asked["memory"]:
            confinement.limit_memory(asked["memory"])
        if asked["confined"]:
            profile = profiles.unpack_profile(asked["confined"])
            if asked["network"] >= 0:
                argv = [*namespaces.hand_over_listener(asked["network"], profile.backend, argv)]
            argv = [
                *confinement.apply(profile, argv, lambda listener: _hand_over(failed, listener))
            ]
        os.execvpe(argv[0], argv, environment)
    except NotConfined as error:
        problem = f"{error.errno} {error.strerror}"
    except OSError as error:
        problem = str(error.errno)
    finally:
        failed.send(problem.encode()[:_PROBLEM])
        os._exit(127)


def _hand_over(channel: socket.socket, listener: int) -> None:
    socket.send_fds(channel, [b"+"], [listener])
    os.close(listener)


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
        flags, undo = termios.tcgetattr(fd)[_LFLAG], about["undo"].encode(_BYTES)
        edits = bool(flags & termios.ISIG) and not flags & termios.ICANON
        # The attributes first: who sees that the screen is gone may type at once.
        if not flags & _RAW:
            saved = [
                [c.encode(_BYTES) if isinstance(c, str) else c for c in part]
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


LOOKS: Final = 5
"""So often in a row nobody is found before all are ended: one that forks all the time is easily
missed."""


class Orphans:
    """The children of this program: those that it started, those that its own programs left, and
    the others."""

    def __init__(self) -> None:
        self._started: set[int] = set()
        self._spared: set[int] = set()
        self._starts: set[object] = set()
        """Programs that are just being started: their pids are not known yet."""

    @contextlib.contextmanager
    def guard_start(self) -> Iterator[Callable[[int], None]]:
        """Around the start of a program of ours, whose pid is given to what this yields."""
        start = object()
        self._starts.add(start)
        try:
            yield self._started.add
        finally:
            self._starts.discard(start)

    def on_process_ended(self, pid: int) -> None:
        """A program of ours has ended, and was waited for."""
        self._started.discard(pid)

    def adopt(self) -> None:
        """From now on this program gets what loses its parent below it."""
        adopt_orphans()

    def spare(self) -> None:
        """All children that there are belong to programs of ours. To be called only while the guard
        lives."""
        self._bury()
        self._spared = tree.children(os.getpid())

    async def end(self) -> set[int]:
        """End what commands left, when the guard was killed. Returns those that could not be ended."""
        empty, deadline = 0, time.monotonic() + KILL_SECONDS
        while empty < LOOKS and time.monotonic() < deadline:
            empty = 0 if self._starts or (found := self._strays()) else empty + 1
            if not empty and not self._starts:
                tree.kill_trees(found)
            await asyncio.sleep(PAUSE)
            self._bury()
        return self._strays()

    def _strays(self) -> set[int]:
        """Not those in our own session: the person's own programs are there, and no command is."""
        others = tree.children(os.getpid()) - self._started - self._spared
        return {pid for pid in others if tree.session(pid) not in (0, os.getsid(0))}

    def _bury(self) -> None:
        """Ask for those that have ended and that nobody else asks for."""
        if self._starts:
            return
        for pid in tree.children(os.getpid()) - self._started:
            with contextlib.suppress(ChildProcessError):  # somebody asks for it after all
                os.waitpid(pid, os.WNOHANG)
