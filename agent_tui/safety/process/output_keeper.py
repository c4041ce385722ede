"""Reads the output of a job that goes on when the program ends: a process of its own, so that the
job never writes into a closed pipe, and its file grows as before.

It takes the pipe over while the program runs, with the state of what hides secrets: nothing is
lost, whenever and however the program ends. What it writes into the file it also gives to the
program, as long as that is there. It ends when nobody can write into the pipe any more.

It runs this file by `python -I -S`: only the standard library.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from agent_tui.safety.process.output_capture import Captured, OutputFile
from agent_tui.safety.process.own_program import own_argv

_TITLE: Final = "agent-tui: keeps the output of a job"
_READ: Final = 65_536
_SIZE: Final = 4
"""Bytes that say how long the state is which comes first."""
_FLOOD_SECONDS: Final = 0.01
"""One that wrote more than is kept blocks on its pipe for so long, time and again."""


def hand_over(
    pipe: int, captured: Captured, start: Callable[[Sequence[str], Sequence[int]], object]
) -> int:
    """Let a keeper read `pipe` from now on, and write the file of `captured`. Returns the
    descriptor from which comes what it read, without secrets. Raises OSError: then all is as
    before."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            descriptors = (captured.descriptor, pipe, theirs.fileno())
            words = (*map(str, descriptors), _TITLE)
            start(own_argv(__name__, *words), [one for one in descriptors if one >= 0])
            state = pickle.dumps(captured.hand_over())
            ours.sendall(len(state).to_bytes(_SIZE, "big") + state)
        except BaseException:
            ours.close()
            raise
    return ours.detach()


# ----------------------------------------------------------------------------- in the keeper itself


def main() -> None:
    """The keeper: until the last one that can write has ended."""
    file, pipe, channel = map(int, sys.argv[2:5])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    os.set_blocking(pipe, True)
    with socket.socket(fileno=channel) as program:
        size = int.from_bytes(program.recv(_SIZE, socket.MSG_WAITALL), "big")
        state: Any = pickle.loads(program.recv(size, socket.MSG_WAITALL))
        secrets, written, limit = state
        kept, told = OutputFile(file, written, limit), True
        while True:
            data = os.read(pipe, _READ)
            free = secrets.feed(data, final=not data) if secrets is not None else data
            kept.write(free)
            told = told and _tell(program, free)
            if not data:
                return
            if kept.is_full:
                time.sleep(_FLOOD_SECONDS)


def _tell(program: socket.socket, data: bytes) -> bool:
    """Whether the program is there to take it."""
    try:
        program.sendall(data)
    except OSError:
        return False
    return True
