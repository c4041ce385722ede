"""Finding every process that a command started, and ending them: also those that left its group or
its session.

Each command has a supervisor (`guard.py`), to which the kernel gives whatever loses its
parent: the command's processes are the supervisor's descendants, however often they forked and
whatever they did to their environment. Where there is no /proc, the process group of the command
has to do.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

TERM_SECONDS: Final = 1.0
"""So long an editor has to end, when we were told to."""
_PROC: Final = Path("/proc")
_FOREGROUND: Final = 5
"""Place of the terminal's foreground group behind the name."""
_SPENT: Final = 11
"""Place of the time that it computed for itself, behind the name; that for the kernel follows."""
_STARTED: Final = 19
"""Place of the time at which it started behind the name."""
_THREADS: Final = 13
"""Place of the number of threads behind state, parent, group and session."""


def has_proc() -> bool:
    return _PROC.is_dir()


def descendants(root: int, spared: Collection[int] = (), kept: Collection[int] = ()) -> set[int]:
    """The living processes below `root`, without `root` itself; `spared` are not among them, but
    what is below them is; of `kept`, neither is. Empty where there is no /proc."""
    found = _below(root, kept) - {root, *spared}
    return {pid for pid in found if _process(pid) is not None}


def _below(root: int, kept: Collection[int] = ()) -> set[int]:
    """All below `root` and not below `kept`, also processes that have ended and whose parent has
    not asked for them yet."""
    of: dict[int, set[int]] = {}
    if not _children_file(
        root, root
    ).exists():  # an older kernel: all processes have to be looked through
        for pid, (parent, _, _) in _table().items():
            of.setdefault(parent, set()).add(pid)
    found: set[int] = set()
    todo = [root]
    while todo:
        parent = todo.pop()
        fresh = (of.get(parent, set()) if of else children(parent)) - found - {*kept}
        found |= fresh
        todo += fresh
    return found


def children(parent: int) -> set[int]:
    """The processes that `parent` started or adopted, also ended ones that it has not asked for
    yet."""
    found: set[int] = set()
    try:
        threads = os.listdir(_PROC / str(parent) / "task")  # noqa: PTH208 - names are enough
        for thread in threads:
            found |= set(map(int, _children_file(parent, int(thread)).read_bytes().split()))
    except OSError:
        return found  # it has ended meanwhile
    return found


def _children_file(pid: int, thread: int) -> Path:
    return _PROC / str(pid) / "task" / str(thread) / "children"


def foreground_group(pid: int) -> int:
    """The process group that has the terminal which `pid` has, too; 0 where that is not known."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return 0
    return max(0, int(stat[stat.rindex(b")") + 2 :].split()[_FOREGROUND]))


def members(leader: int) -> set[int]:
    """The processes of a program of ours: its group, its session and its descendants, and
    itself."""
    table = _table()
    found = {pid for pid, (_, group, session) in table.items() if leader in (group, session, pid)}
    return (found | descendants(leader)) - {os.getpid()}


_MOST_LOOKS: Final = 20
"""One that forks all the time has a new pid at each look: the others do not wait for it."""


def kill_descendants(root: int, spared: Collection[int] = (), kept: Collection[int] = ()) -> None:
    """Stop everything below `root`, then kill it: a process that runs may fork while it is looked
    for, a stopped one cannot. To be repeated until whoever waits for `root`'s children has none:
    what forks all the time may be missed.
    """
    stopped: set[int] = set()
    refused: set[int] = set()
    for _ in range(_MOST_LOOKS):
        fresh = _below(root, kept) - {root, *spared} - stopped - refused
        if not fresh:
            break
        refused |= signal_all(fresh, signal.SIGSTOP)
        stopped |= fresh - refused
    signal_all(stopped, signal.SIGKILL)


def kill_trees(roots: Collection[int]) -> None:
    """Kill `roots` and everything below them, as `kill_descendants` does."""
    signal_all(roots, signal.SIGSTOP)
    for pid in roots:
        kill_descendants(pid)
    signal_all(roots, signal.SIGKILL)


def identity(pid: int) -> str:
    """What tells a process from a later one with the same number, also after the system was started
    anew; empty where that cannot be known, or it has ended."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
    fields = stat[stat.rindex(b")") + 2 :].split()
    return "" if fields[0] in (b"Z", b"X") else f"{pid} {fields[_STARTED].decode()} {boot}"


def find(known: str) -> int:
    """The process with the identity `known`; 0 where it has ended."""
    number = known.partition(" ")[0]
    return int(number) if number.isdecimal() and known == identity(int(number)) else 0


def spent(pids: Iterable[int]) -> int:
    """The processor time that the processes have had, in ticks of the kernel."""
    return sum(map(_spent, pids))


def _spent(pid: int) -> int:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return 0  # it has ended
    user, system = stat[stat.rindex(b")") + 2 :].split()[_SPENT : _SPENT + 2]
    return int(user) + int(system)


def session(pid: int) -> int:
    """The session of a living process; 0 where it has ended."""
    about = _process(pid)
    return about[2] if about is not None else 0


def signal_all(pids: Iterable[int], number: signal.Signals) -> set[int]:
    """Send a signal; returns those that we may not signal."""
    refused: set[int] = set()
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue  # gone meanwhile
        except PermissionError:
            refused.add(pid)
    return refused


def job(leader: int) -> set[int]:
    """`leader` and its descendants, as far as they hold the terminal with us: what set itself apart
    (a daemon, a window of its own) has a life of its own."""
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
            signal_all(self._asked, signal.SIGTERM)
        elif time.monotonic() - self._asked_at >= TERM_SECONDS:
            signal_all(self._asked, signal.SIGKILL)

    def on_leader_ended(self, code: int) -> int:
        """The leader has ended with `code`; if it was told to, what it had started ends before this
        returns."""
        self._asked.discard(self._leader)
        while self._asked & _table().keys():
            self.go_on()
            time.sleep(0.02)
        return code


def send_group(leader: int, number: signal.Signals) -> None:
    """Signal the process group alone: microseconds, where a search of all processes takes
    milliseconds."""
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return  # the group is empty, or not ours


def _table() -> dict[int, tuple[int, int, int]]:
    """Parent, group and session of every living process; empty without /proc."""
    if not _PROC.is_dir():
        return {}
    pids = (int(name) for name in os.listdir(_PROC) if name.isdigit())  # noqa: PTH208 - only numbers matter
    return {pid: about for pid in pids if (about := _process(pid)) is not None}


def _process(pid: int) -> tuple[int, int, int] | None:
    """Parent, group and session of a living process."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None  # it has ended, or is not ours to see (hidepid)
    # The second field is the program's name in parentheses and may hold anything, also spaces and
    # `)`.
    state, parent, group, session, *more = stat[stat.rindex(b")") + 2 :].split()
    if state in (b"Z", b"X") and int(more[_THREADS]) <= 1:  # else only its first thread has ended
        return None
    return int(parent), int(group), int(session)


def limit_memory(pid: int, most: int) -> None:
    """Give a process at most so many bytes of data (0: no limit), where the system can say so."""
    if most and hasattr(resource, "prlimit"):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
