"""A process that has imported what starts of the program import, and gives birth to such starts.

`python -m tests.fork_server FD` serves the one that started it, through the socket FD: a message is
`(stdin, stdout, stderr, request)`, four descriptors; the answer is a pid, or an error number below 0.
What is born is a child of who asked, not of this process: who asked waits for it as for any other.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import importlib
import io
import json
import os
import platform
import runpy
import signal
import socket
import sys
import termios
import threading
import time
import types
from pathlib import Path
from typing import Any, Final, TextIO, TypedDict

from agent_tui import registry
from agent_tui.tui.textual_port import import_trim

CLONE_PARENT: Final = 0x8000
CLONE: Final = {"x86_64": 56, "aarch64": 220}
"""The number of the system call, by machine."""

FRONT_ENDS: Final = ("agent_tui.tui.runtime.start", "agent_tui.agent.worker")
IMPORTED: Final = (
    "agent_tui.cli.arguments",
    "agent_tui.headless",
    "agent_tui.tui.linear.chat",
    "agent_tui.agent.services.trust",
    "agent_tui.agent.session.directories",
    "agent_tui.agent.hosting",
    "agent_tui.sessions.index.cache",
    "agent_tui.sessions.index.listing",
    "agent_tui.tui.runtime.crash_draft",
    "agent_tui.providers.scripted",
    "agent_tui.providers.demo",
    "tree_sitter_bash",
)
"""Besides the tools, and what is imported after the first frame. Not what reads the environment when
it is imported, as OpenTelemetry and the clients of the services do."""


class Request(TypedDict):
    """What a start is given. `terminal`: its input is the terminal that it controls, in a session of
    its own."""

    argv: list[str]
    env: dict[str, str]
    cwd: str
    umask: int
    session: bool
    terminal: bool


def preload() -> None:
    """As a start does it: first the screen, with the imports that it trims. What is made once from
    the code alone, whatever is started, is made too."""
    importlib.import_module("agent_tui.cli.main")
    with import_trim.trim_imports():
        for name in FRONT_ENDS:
            importlib.import_module(name)
    for name in IMPORTED:
        importlib.import_module(name)
    for _ in registry.import_late():
        pass
    for name in registry.names("agent_tui.tools"):
        registry.load("agent_tui.tools", name, "TOOL").schema()
    importlib.import_module("agent_tui.protocol.codec")._adapter()


def serve(channel: socket.socket) -> tuple[Request, list[int]] | None:
    """Answer requests until there is nobody who asks: None. In a process that is born, its own
    request and its input, output and errors."""
    python, syscall = ctypes.pythonapi, ctypes.PyDLL(None, use_errno=True).syscall
    while True:
        _, fds, _, _ = socket.recv_fds(channel, 1, 4)
        if not fds:
            return None
        python.PyOS_BeforeFork()
        pid = syscall(CLONE[platform.machine()], CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
        if pid == 0:
            python.PyOS_AfterFork_Child()
            with os.fdopen(fds.pop(), encoding="utf-8") as request:
                request.seek(0)
                return json.load(request), fds
        python.PyOS_AfterFork_Parent()
        for fd in fds:
            os.close(fd)
        channel.send(str(pid if pid > 0 else -ctypes.get_errno()).encode())


def become(request: Request, fds: list[int]) -> str:
    """All that a new process gets from who starts it, and all that Python makes of that before it
    runs a line. Returns the module that `-m` names."""
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if request["session"]:
        os.setsid()
    if request["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.umask(request["umask"])
    os.chdir(request["cwd"])
    coerced = {name: os.environ[name] for name in os.environ.keys() - given()}
    os.environ.clear()
    os.environ.update(coerced | request["env"])
    time.tzset()
    threading.main_thread()._set_native_id()  # type: ignore[attr-defined]
    if named := request["env"].get("PYTHONPATH"):
        sys.path[1:] = [named, *(place for place in sys.path[1:] if place != named)]
    sys.path[0] = str(Path.cwd())
    _, _, module, *words = sys.orig_argv = request["argv"]
    sys.argv = ["-m", *words]
    sys.stdin = sys.__stdin__ = _stream(0, "stdin", sys.stdin)
    sys.stdout = sys.__stdout__ = _stream(1, "stdout", sys.stdout)
    sys.stderr = sys.__stderr__ = _stream(2, "stderr", sys.stderr)
    sys.modules["__main__"] = types.ModuleType("__main__")
    return module


def given() -> set[str]:
    """The variables that this process was given: Python adds LC_CTYPE where `LANG=C` is all there
    is (PEP 538)."""
    entries = Path("/proc/self/environ").read_bytes().split(b"\0")
    return {os.fsdecode(entry.partition(b"=")[0]) for entry in entries if entry}


def _stream(fd: int, name: str, like: TextIO) -> TextIO:
    """As Python opens it. What is a matter of the environment, which is alike, is as with `like`:
    encoding, errors, and whether it is buffered."""
    mode = "r" if fd == 0 else "w"
    raw = io.FileIO(fd, mode, closefd=False)
    raw.name = f"<{name}>"  # type: ignore[misc]
    unbuffered: bool = like.write_through  # type: ignore[attr-defined]
    buffer: Any = (
        io.BufferedReader(raw) if fd == 0 else raw if unbuffered else io.BufferedWriter(raw)
    )
    text: Any = io.TextIOWrapper(
        buffer,
        like.encoding,
        like.errors,
        newline="\n",
        line_buffering=not unbuffered and (fd == 2 or raw.isatty()),
        write_through=unbuffered,
    )
    text.mode = mode
    return text  # type: ignore[no-any-return]


if __name__ == "__main__":
    asking = socket.socket(fileno=int(sys.argv[1]))
    preload()
    gc.collect()
    gc.freeze()
    asking.send(b"ready")
    if (born := serve(asking)) is None:
        os._exit(0)
    asking.detach()
    runpy._run_module_as_main(become(*born))  # type: ignore[attr-defined]
