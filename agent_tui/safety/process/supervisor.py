"""The supervisor of one command, which the guard forks: it runs the command, confined where it must
be, adopts what that leaves, and tells the program."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

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
BYTES: Final = "latin-1"
"""JSON holds text, arguments are bytes: each byte is the character of the same number."""
_PROBLEM: Final = 1_000
"""Bytes that say why a command did not start."""


def request(
    argv: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    confined: Profile | None = None,
    memory: int = 0,
    moves: bool = False,
) -> bytes:
    """What a supervisor is told to run; `memory`: bytes of data that each process of it may have, 0
    for no limit; `moves`: its shell says in which folder it ended. Raises ValueError where an
    argument holds a NUL."""
    parts = [*argv, cwd, *environment, *environment.values()]
    if any("\0" in part for part in parts):
        raise ValueError("embedded null byte")
    asked = {
        "argv": [os.fsencode(part).decode(BYTES) for part in argv],
        "cwd": os.fsencode(cwd).decode(BYTES),
        "env": {
            os.fsencode(k).decode(BYTES): os.fsencode(v).decode(BYTES)
            for k, v in environment.items()
        },
        "memory": memory,
        "moves": moves,
        "confined": None if confined is None else profiles.pack_profile(confined),
    }
    return json.dumps(asked).encode() + b"\n"


def kill_all(supervisors: set[int], kept: Collection[int] = ()) -> None:
    """End everything below this process, which goes on until it has no child but those that are
    `kept`."""
    own, deadline = os.getpid(), time.monotonic() + KILL_SECONDS
    while bury(supervisors) and time.monotonic() < deadline:
        if kept and tree.children(own) <= set(kept):
            return
        tree.kill_descendants(own, supervisors, kept)
        time.sleep(PAUSE)


def bury(supervisors: set[int]) -> bool:
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


def supervise(guard: int, shared: str, channel: int, output: int, network: int = -1) -> None:
    """The supervisor of one command. Never returns."""
    code = 1
    try:
        adopt_orphans()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
        if sys.platform == "linux":
            signal.signal(signal.SIGUSR1, lambda *_: kill_all(set()))
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
        kill_all(set())
    ends = file_attributes.ends_of_children(
        listeners[0] if listeners else -1,
        confinement.told_calls() if listeners else {},
        [os.fsdecode(one.encode(BYTES)) for one in asked["confined"]["writable"]]
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
        os.chdir(asked["cwd"].encode(BYTES))
        argv = [part.encode(BYTES) for part in asked["argv"]]
        environment = {
            name.encode(BYTES): value.encode(BYTES) for name, value in asked["env"].items()
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
