"""How tests start the program: most of a start is to import it, so a process that has imported it
gives birth to those starts (`fork_server.py`), each a child of these tests as any other.

`subprocess` and `Pty` do this by themselves for `python -m agent_tui …`. A start that is about
more than a forked process can tell is executed instead (`EXECUTED`, `_Server.fits`).
"""

from __future__ import annotations

import atexit
import inspect
import json
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.fork_server import CLONE, Request

ROOT: Final = Path(__file__).parents[1]
MODULES: Final = tuple(
    [name]
    for name in (
        "agent_tui",
        "tests.agent.kill_program",
        "tests.agent.queue_program",
        "tests.start_facts",
        "tests.tui.screen_program",
    )
)
EXECUTED: Final = {
    "tests/tui/test_app_boot.py": "the first frame, and keys before anything is imported",
    "tests/tui/test_drawing_imports.py": "what is imported",
    "tests/tui/test_imports.py": "what is imported, and when",
    "tests/tui/test_lean.py": "what is imported",
    "tests/tui/test_not_saved_terminal.py": "who leaves before the engine is up",
    "tests/tui/test_start_ended.py": "signals at any moment of a start",
    "tests/tui/test_unrecorded.py": "kills at any moment of a start",
    "tests/tui/test_warm.py": "what is imported, and when",
    "tests/safety/test_environment.py": "what the system shows of a process",
    "tests/safety/test_environment_block.py": "what the system shows of a process",
    "tests/safety/test_process_guard.py": "which processes there are",
    "tests/test_architecture.py": "what is imported",
}
"""Files of tests whose starts are all executed, and what they are about."""

AT_IMPORT: Final = ("PYTHON", "LC_", "LANG", "TEXTUAL", "ESCDELAY", "LD_")
"""How variables begin that are read before the program runs, or while it is imported."""
PAYS: Final = 3
"""So many starts in an environment of this kind, and it pays to have imported it all."""
DISPOSED: Final = tuple(set(signal.Signals) - {signal.SIGPIPE, signal.SIGXFSZ})
"""Whoever is executed leaves those ignored that its parent ignores. (The two are Python's.)"""

switched_on = True
"""Whether starts may be forked (the file of the test that runs may say no)."""


def fork(
    argv: Sequence[Any],
    env: Mapping[str, str] | None,
    cwd: Any,
    fds: Sequence[int],
    session: bool = False,
    terminal: bool = False,
) -> int:
    """The pid of the program that `argv` starts; 0: it has to be executed.

    `fds`: its input, output and errors. `session`: it leads one; `terminal`: its input is the
    terminal of that one.
    """
    words, env = [os.fsdecode(word) for word in argv], dict(os.environ if env is None else env)
    if not (
        switched_on
        and words[:2] == [sys.executable, "-m"]
        and words[2:3] in MODULES
        and env.get("PYTHONPATH", str(ROOT)) == str(ROOT)
        and not any("\0" in text for text in (*words, *env, *env.values()))
    ):
        return 0
    server = _server(_read_at_import(env))
    if server is None or server.limits != _limits() or _signals_differ():
        return 0
    umask = os.umask(0)
    os.umask(umask)
    try:
        place = str(Path(cwd or ".").resolve(strict=True))
    except OSError:
        return 0  # who executes it says what is wrong
    return server.fork(
        Request(argv=words, env=env, cwd=place, umask=umask, session=session, terminal=terminal),
        fds,
    )


class _Server:
    """One that was started with `env`, which holds what starts read while they are imported."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.limits = _limits()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
                cwd=ROOT,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)
        if self._ours.recv(100) != b"ready":
            raise RuntimeError("the process that forks starts of the program did not start")

    def fork(self, request: Request, fds: Sequence[int]) -> int:
        asked = os.memfd_create("request")
        try:
            os.write(asked, json.dumps(request).encode())
            socket.send_fds(self._ours, [b"!"], [*fds, asked])
        finally:
            os.close(asked)
        pid = int(self._ours.recv(100))
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return pid

    def close(self) -> None:
        self._ours.close()
        self._process.wait()


_servers: dict[tuple[tuple[str, str], ...], _Server] = {}
_asked: Counter[tuple[tuple[str, str], ...]] = Counter()


def _server(env: Mapping[str, str]) -> _Server | None:
    kind = tuple(sorted(env.items()))
    _asked[kind] += 1
    if kind not in _servers and _asked[kind] >= PAYS and _possible():
        _servers[kind] = _Server(env)
    return _servers.get(kind)


@cache
def _possible() -> bool:
    return sys.platform == "linux" and platform.machine() in CLONE


def _read_at_import(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name.startswith(AT_IMPORT) and name != "PYTHONPATH"
    }


def _limits() -> list[tuple[int, int]]:
    kinds = {value for name, value in vars(resource).items() if name.startswith("RLIMIT_")}
    return [resource.getrlimit(kind) for kind in sorted(kinds)]


def _signals_differ() -> bool:
    """Whether a process that is executed now would have other signals ignored, or blocked."""
    ignored = any(signal.getsignal(number) is signal.SIG_IGN for number in DISPOSED)
    return ignored or bool(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


_execute: Final[Any] = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_NAMES: Final = tuple(inspect.signature(_execute).parameters)[2:]
_USUAL: Final = {
    "executable": None,
    "preexec_fn": None,
    "close_fds": True,
    "pass_fds": (),
    "shell": False,
    "restore_signals": True,
    "gid": None,
    "gids": None,
    "uid": None,
    "umask": -1,
    "process_group": -1,
}
_PIPES: Final = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def install() -> None:
    """From now on, `subprocess` forks what can be forked."""
    subprocess.Popen._execute_child = _fork_or_execute  # type: ignore[attr-defined]


def _fork_or_execute(process: Any, args: Any, *rest: Any) -> None:
    """In place of the method of `subprocess.Popen` that makes its process."""
    given = dict(zip(_NAMES, rest, strict=True))
    usual = isinstance(args, list | tuple) and all(
        given.get(name, value) == value for name, value in _USUAL.items()
    )
    ends = (given["p2cread"], given["c2pwrite"], given["errwrite"])
    fds = [own if fd < 0 else fd for own, fd in enumerate(ends)]
    pid = usual and fork(args, given["env"], given["cwd"], fds, given["start_new_session"])
    if not pid:
        _execute(process, args, *rest)
        return
    process.pid, process._child_created = pid, True
    process._close_pipe_fds(*(given[name] for name in _PIPES))
