"""What is done to a session as a whole: a name for it, and the end of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from agent_tui.protocol.answers import Summary
from agent_tui.protocol.events import Titled
from agent_tui.sessions.index.cache import NoCache, forget, known_sessions, update
from agent_tui.sessions.index.listing import Known, changed_at, recent
from agent_tui.sessions.log.lock import Lock, SessionLocked
from agent_tui.sessions.log.raw import LOG, NoLog, open_log
from agent_tui.sessions.log.repair import Refused
from agent_tui.sessions.log.store import Store, log_path
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

LONGEST: Final = 200
"""Characters of a title."""
SNAPSHOT: Final = ".snapshot"
"""Behind the id: the files before the command that runs."""
_OWN: Final = late.pattern(
    r"\.jsonl|\.msgs\.jsonl|\.snapshot|\.part|\.(?:torn|bad|before-repair)-[0-9T-]+"
)
"""How the names of a session's own files go on behind its id."""


def rename(folder: Path, id: str, title: str) -> None:
    """Put a title of the person's own on record; empty: none. Raises Refused, SessionLocked."""
    title = " ".join(title.split())
    if len(title) > LONGEST:
        raise Refused(f"a title has up to {LONGEST} characters, not {len(title):,}")
    _check(folder, id)
    try:
        store = Store.open(folder, id).store
    except OSError as error:
        raise Refused(f"{id}: {error.strerror or error}") from None
    try:
        if not store.trouble:
            store.append(Titled(title=title, by="person", session=id, at=time.time()))
        if store.trouble:
            raise Refused(f"{id}: the title cannot be saved: {store.trouble}")
    finally:
        store.close()


def files_of(folder: Path, id: str) -> list[Path]:
    """The log of `id` and what is kept with it: the recorded screen, what repairs set aside, whole
    outputs."""
    names = [path for path in _in(folder) if path.name.startswith(id)]
    return sorted(path for path in names if _OWN.fullmatch(path.name[len(id) :])) + sorted(
        _in(_outputs(folder, id))
    )


def _outputs(folder: Path, id: str) -> Path:
    """Where the outputs of commands are that were too long for the log."""
    return folder.parent / "outputs" / id


def _in(folder: Path) -> list[Path]:
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except OSError:
        return []


def delete(folder: Path, id: str) -> list[Path]:
    """Delete the files of session `id`; returns which. Contents of changed files (`blobs`) stay:
    others may need them.

    Raises Refused, SessionLocked.
    """
    _check(folder, id)
    lock = Lock(folder / f"{id}.lock")
    gone = []
    try:
        lock.take()
        log = folder / f"{id}{LOG}"
        for path in files_of(folder, id):
            if path != log:
                path.unlink()
                gone.append(path)
        if _outputs(folder, id).is_dir():
            _outputs(folder, id).rmdir()
        log.unlink()  # last: until then the session is there to be deleted again
        gone.append(log)
    except OSError as error:
        raise Refused(f"{id}: {error.strerror or error}") from None
    finally:
        lock.release()
    return gone


def is_open(folder: Path, id: str) -> bool:
    """Whether a program has the session open."""
    path = folder / f"{id}.lock"
    if not path.exists():
        return False
    lock = Lock(path)
    try:
        lock.take()
    except SessionLocked:
        return True
    except OSError:
        return False
    lock.release()
    return False


def _check(folder: Path, id: str) -> None:
    """Raises Refused where the log is none of ours to change."""
    try:
        open_log(folder / f"{id}{LOG}").close()
    except NoLog as error:
        raise Refused(f"{id}: {error}") from None


DAY: Final = 86_400.0
MB: Final = 1_000_000


@frozen
class Old:
    """A session that is to go: how large its files are, and why."""

    session: Summary
    size: int
    why: str


def old_sessions(
    folder: Path,
    known: dict[str, Known],
    days: int,
    megabytes: int,
    now: float,
    spared: frozenset[str] = frozenset(),
) -> list[Old]:
    """The sessions that are to go, oldest first. Changes nothing."""
    sizes = {one: sum(map(_size, files_of(folder, one.id))) for one in recent(folder, None, known)}
    total = sum(sizes.values())
    found = []
    for session, size in reversed(sizes.items()):
        # By the file too: one that was imported or copied here is not old, whatever its records
        # say.
        aged = (
            days > 0
            and max(session.at, changed_at(log_path(folder, session.id))) < now - days * DAY
        )
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


def _may_go(folder: Path, session: Summary, known: dict[str, Known]) -> bool:
    return (
        session.id in known
        and session.by != "person"
        and not session.labels
        and not is_open(folder, session.id)
    )


def plan_deletions(
    folder: Path,
    cache: Path,
    days: int,
    megabytes: int,
    spared: frozenset[str] = frozenset(),
    check: Callable[[], None] = lambda: None,
) -> list[Old]:
    """What would go now; nothing where both limits are 0. Reads what the logs have gained. Raises
    NoCache."""
    if days <= 0 and megabytes <= 0:
        return []
    update(folder, cache, check)
    return old_sessions(folder, known_sessions(cache), days, megabytes, time.time(), spared)


def prune(
    folder: Path,
    cache: Path,
    days: int,
    megabytes: int,
    spared: frozenset[str],
    check: Callable[[], None] = lambda: None,
) -> tuple[int, int, str]:
    """Delete what is to go: how many, how many bytes, and in a line what went wrong. For the pool:
    it reads logs. `check` is called again and again; what it raises ends it."""
    gone = size = 0
    problem = ""
    try:
        for one in plan_deletions(folder, cache, days, megabytes, spared, check):
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
