"""Finding every process that a command started, and ending them: also those that left its group or its session.

A command carries a token in the environment, which its descendants inherit: that finds a daemon that forked twice
and was adopted by init. Where there is no /proc, the process group and the tree of `ps` have to do.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

VARIABLE: Final = "AGENT_TUI_COMMAND"
"""Holds the tokens of the command and of those around it, separated by spaces."""
TERM_SECONDS: Final = 1.0
"""So long an editor has to end, when we were told to."""

_PROC: Final = Path("/proc")


def members(leader: int, token: str) -> set[int]:
    """The processes that now belong to a command: its group, its session, its descendants, whoever has its token.

    Never this process itself, nor a zombie.
    """
    table = _table()
    found = {pid for pid, (_, group, session) in table.items() if leader in (group, session, pid)}
    found |= {pid for pid in table if pid not in found and token.encode() in _environment(pid)}
    children: dict[int, list[int]] = {}
    for pid, (parent, _, _) in table.items():
        children.setdefault(parent, []).append(pid)
    todo = [*found, leader]
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found:
                found.add(child)
                todo.append(child)
    found.discard(os.getpid())
    return found


def send(leader: int, token: str, number: signal.Signals) -> set[int]:
    """Signal all members; returns them (empty: nothing is left).

    For KILL it looks again until a look finds nobody new, because a process may fork while it is looked for.
    """
    signalled: set[int] = set()
    for _ in range(8):
        fresh = members(leader, token) - signalled
        if not fresh:
            break
        _signal(fresh, number)
        signalled |= fresh
        if number is not signal.SIGKILL:
            break
    if not _PROC.is_dir():
        send_group(leader, number)
    return signalled


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue  # gone meanwhile, or not ours (sudo): nothing that we can do


def job(leader: int) -> set[int]:
    """`leader` and its descendants, as far as they hold the terminal with us: what set itself apart (a daemon, a window
    of its own) has a life of its own."""
    table, found, todo = _table(), {leader}, [leader]
    while todo:
        parent = todo.pop()
        for pid, (of, group, _) in table.items():
            if of == parent and group == os.getpgrp() and pid not in found:
                found.add(pid)
                todo.append(pid)
    return found


class JobEnd:
    """The end of what has the terminal: TERM, and KILL for whoever is there a moment later."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._asked: set[int] = set()
        self._asked_at = 0.0

    def go_on(self) -> None:
        if not self._asked:
            self._asked, self._asked_at = job(self._leader), time.monotonic()
            _signal(self._asked, signal.SIGTERM)
        elif time.monotonic() - self._asked_at >= TERM_SECONDS:
            _signal(self._asked, signal.SIGKILL)

    def left(self, code: int) -> int:
        """The leader has ended with `code`; if it was told to, what it had started ends before this returns."""
        self._asked.discard(self._leader)
        while self._asked & _table().keys():
            self.go_on()
            time.sleep(0.02)
        return code


def send_group(leader: int, number: signal.Signals) -> None:
    """Signal the process group alone: microseconds, where a search of all processes takes milliseconds."""
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return  # the group is empty, or not ours


def _table() -> dict[int, tuple[int, int, int]]:
    """Parent, group and session of every living process; empty without /proc."""
    table: dict[int, tuple[int, int, int]] = {}
    if not _PROC.is_dir():
        return table
    for name in os.listdir(_PROC):  # noqa: PTH208 - hundreds of names, only numbers matter
        if not name.isdigit():
            continue
        try:
            stat = (_PROC / name / "stat").read_bytes()
        except OSError:
            continue  # ended between the listing and the look, or not ours to see (hidepid)
        # The second field is the program's name in parentheses and may hold anything, also spaces and `)`.
        state, parent, group, session = stat[stat.rindex(b")") + 2 :].split(b" ", 4)[:4]
        if state not in (b"Z", b"X"):
            table[int(name)] = (int(parent), int(group), int(session))
    return table


def _environment(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return b""  # another user's, or gone: then it is not one that we may signal either
