"""What is done to a session as a whole: a name for it, and the end of it."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Final

from agent_tui.protocol.events import Titled
from agent_tui.sessions.lock import Lock, SessionLocked
from agent_tui.sessions.maintain import Refused
from agent_tui.sessions.raw import LOG, NoLog, open_log
from agent_tui.sessions.store import Store

LONGEST: Final = 200
"""Characters of a title."""
SNAPSHOT: Final = ".snapshot"
"""Behind the id: the files before the command that runs."""
_OWN: Final = re.compile(r"\.jsonl|\.msgs\.jsonl|\.snapshot|\.part|\.(?:torn|bad|before-repair)-[0-9T-]+")
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
    """The log of `id` and what is kept with it: the recorded screen, what repairs set aside, whole outputs."""
    names = [path for path in _in(folder) if path.name.startswith(id)]
    return sorted(path for path in names if _OWN.fullmatch(path.name[len(id) :])) + sorted(_in(_outputs(folder, id)))


def _outputs(folder: Path, id: str) -> Path:
    """Where the outputs of commands are that were too long for the log."""
    return folder.parent / "outputs" / id


def _in(folder: Path) -> list[Path]:
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except OSError:
        return []


def delete(folder: Path, id: str) -> list[Path]:
    """Delete the files of session `id`; returns which. Contents of changed files (`blobs`) stay: others may need them.

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
