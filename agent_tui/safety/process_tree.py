"""Finding every process that a command started, and ending them: also those that left its group or its session.

A command carries a token in the environment, which its descendants inherit: that finds a daemon that forked twice
and was adopted by init. Where there is no /proc, the process group and the tree of `ps` have to do.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Final

VARIABLE: Final = "AGENT_TUI_COMMAND"
"""Holds the tokens of the command and of those around it, separated by spaces."""

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
