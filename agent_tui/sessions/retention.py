"""Which old sessions go, by age and by the room that all take. Off unless the person asks for it (`sessions.*`).

A session that is open, that a person named or labelled, or that is `spared` (the one at hand), never goes: nor does one
whose facts are not known, because it may be one of those.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_tui.protocol.answers import Summary
from agent_tui.sessions.cache import NoCache, forget, known, update
from agent_tui.sessions.index import Known, recent
from agent_tui.sessions.lock import SessionLocked
from agent_tui.sessions.maintain import Refused
from agent_tui.sessions.manage import delete, files_of, is_open
from agent_tui.sessions.store import log_path

DAY: Final = 86_400.0
MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Old:
    """A session that is to go: how large its files are, and why."""

    session: Summary
    size: int
    why: str


def old(
    folder: Path, known: dict[str, Known], days: int, megabytes: int, now: float, spared: frozenset[str] = frozenset()
) -> list[Old]:
    """The sessions that are to go, oldest first. Changes nothing."""
    sizes = {one: sum(map(_size, files_of(folder, one.id))) for one in recent(folder, None, known)}
    total = sum(sizes.values())
    found = []
    for session, size in reversed(sizes.items()):
        # By the file too: one that was imported or copied here is not old, whatever its records say.
        aged = days > 0 and max(session.at, _changed(log_path(folder, session.id))) < now - days * DAY
        if not aged and not (megabytes > 0 and total > megabytes * MB):
            continue
        if session.id in spared or not _may_go(folder, session, known):
            continue
        why = f"older than {days} days" if aged else f"all sessions take more than {megabytes} MB"
        found.append(Old(session, size, why))
        total -= size
    return found


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # another program deletes too
        return 0


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _may_go(folder: Path, session: Summary, known: dict[str, Known]) -> bool:
    return session.id in known and session.by != "person" and not session.labels and not is_open(folder, session.id)


def planned(
    folder: Path, cache: Path, days: int, megabytes: int, spared: frozenset[str] = frozenset(),
    check: Callable[[], None] = lambda: None,
) -> list[Old]:  # fmt: skip
    """What would go now; nothing where both limits are 0. Reads what the logs have gained. Raises NoCache."""
    if days <= 0 and megabytes <= 0:
        return []
    update(folder, cache, check)
    return old(folder, known(cache), days, megabytes, time.time(), spared)


def prune(
    folder: Path, cache: Path, days: int, megabytes: int, spared: frozenset[str],
    check: Callable[[], None] = lambda: None,
) -> tuple[int, int, str]:  # fmt: skip
    """Delete what is to go: how many, how many bytes, and in a line what went wrong. For the pool: it reads logs.
    `check` is called again and again; what it raises ends it."""
    gone = size = 0
    problem = ""
    try:
        for one in planned(folder, cache, days, megabytes, spared, check):
            check()
            try:
                delete(folder, one.session.id)
                forget(cache, one.session.id)
            except (Refused, SessionLocked) as error:
                problem = problem or str(error)
                continue
            gone, size = gone + 1, size + one.size
    except NoCache as error:
        problem = f"no session was checked for its age: {error}"
    return gone, size, problem
