"""What was once read of the logs, kept for lists and search in SQLite: a cache, made from the logs
and nothing else.

It may be deleted at any moment. A damaged one, or one of another version, is made again; where
there can be none (a folder that cannot be written, an SQLite without FTS5) the callers go without.
One document of the full-text index is a turn of a session, or a piece of a long one; its text is
not kept here, only where in the log it stands.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from agent_tui.sessions.index.facts import SEARCHED_KINDS, SessionFacts, documents, facts_of
from agent_tui.sessions.index.facts import SEARCHED_KINDS as TEXTS
from agent_tui.sessions.index.listing import Known, logs
from agent_tui.sessions.log.private import make_folder
from agent_tui.sessions.log.raw import LOG, NoLog, open_log
from agent_tui.structures.frozen import frozen

VERSION: Final = 2
_READ: Final = SEARCHED_KINDS | TEXTS
_STEP: Final = 32 << 20
"""Bytes of logs between two commits: what an interrupted update keeps."""
_DEAD: Final = 5_000
"""Documents that are no more, beyond which (and beyond half of all) the index is made again."""
_SCHEMA: Final = """
create table session(
    key integer primary key, id text unique not null, size integer not null, changed integer not null,
    inode integer not null, done integer not null, at real not null, cwd text not null, facts text not null,
    base text not null, words text not null);
create table turn(
    row integer primary key, session integer not null, number integer not null, start integer not null,
    stop integer not null);
create index turn_session on turn(session, start);
create virtual table word using fts5(text, content='', detail=none, prefix='2 3', tokenize='unicode61');
"""


class NoCache(Exception):
    """There can be no cache now. The message says why, in a few words."""


@frozen
class Updated:
    """What an update did: sessions that were read, bytes of their logs, and in a line what was
    wrong with the cache."""

    sessions: int = 0
    size: int = 0
    note: str = ""


def cache_file(cache: Path) -> Path:
    return cache / f"sessions-{VERSION}.sqlite"


@contextmanager
def open_cache(cache: Path) -> Iterator[tuple[sqlite3.Connection, str]]:
    """The cache, and in a line what was wrong with it. Raises NoCache, also for what goes wrong
    inside."""
    try:
        make_folder(cache)
    except OSError as error:
        raise NoCache(f"the search index cannot be saved ({error.strerror})") from None
    connection, note = _connected(cache_file(cache))
    with closing(connection):
        try:
            yield connection, note
        except sqlite3.OperationalError as error:
            raise NoCache(f"the search index cannot be used ({error})") from None
        except sqlite3.DatabaseError:  # damage that showed only now: the next one begins anew
            connection.close()
            _remove(cache_file(cache))
            raise NoCache("the search index was damaged: it is being rebuilt") from None


def _connected(path: Path) -> tuple[sqlite3.Connection, str]:
    """Raises NoCache."""
    for one in _files(path):  # SQLite would wait for ever for the other end of a pipe
        if os.path.lexists(one) and not stat.S_ISREG(one.lstat().st_mode):
            raise NoCache(f"the search index cannot be used: {one} is not a regular file")
    try:
        return _prepared(path), ""
    except sqlite3.DatabaseError as error:
        if why := _lasting(error):
            raise NoCache(why) from None
    _remove(path)  # damaged, or no database at all
    try:
        return _prepared(path), "the search index was damaged: it was rebuilt"
    except sqlite3.Error as error:
        raise NoCache(f"the search index cannot be made ({error})") from None


def _lasting(error: sqlite3.DatabaseError) -> str:
    """Why there can be no index now, where that is not the file's own fault."""
    if not isinstance(error, sqlite3.OperationalError):
        return ""
    if error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another program is building the search index"
    if error.sqlite_errorcode != sqlite3.SQLITE_ERROR or "no such module" in str(error):
        return f"the search index cannot be used ({error})"
    return ""  # a table is missing


def _prepared(path: Path) -> sqlite3.Connection:
    """Raises sqlite3.Error."""
    new = not path.exists()
    connection = sqlite3.connect(path, timeout=2.0, isolation_level=None)
    try:
        if new:
            os.chmod(path, 0o600)  # noqa: PTH101  (SQLite made it)
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma synchronous=off")  # it can be made again
        if connection.execute("pragma user_version").fetchone()[0] != VERSION:
            connection.execute("begin immediate")
            if connection.execute("pragma user_version").fetchone()[0] != VERSION:
                _make(connection)
            connection.execute("commit")
        connection.execute("select row from turn limit 1")
        connection.execute("select rowid from word where word match 'a' limit 1")
        connection.execute(
            "select key, id, size, changed, inode, done, at, cwd, facts, base, words from session limit 1"
        )
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    for kind, name in connection.execute(
        "select type, name from sqlite_master where name in ('session', 'turn', 'word')"
    ).fetchall():
        connection.execute(f"drop {kind} {name}")
    for statement in _SCHEMA.strip().split(";\n"):
        connection.execute(statement)
    connection.execute(f"pragma user_version={VERSION}")


def _files(path: Path) -> Iterator[Path]:
    """The database, and what SQLite may keep beside it."""
    return (path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal"))


def _remove(path: Path) -> None:
    """Raises NoCache."""
    try:
        for one in _files(path):
            one.unlink(missing_ok=True)
    except OSError as error:
        raise NoCache(
            f"the search index is damaged and cannot be removed ({error.strerror})"
        ) from None


def known_sessions(cache: Path) -> dict[str, Known]:
    """What the cache knows of each session, by id; nothing where there is no cache. Makes none, and
    never raises."""
    if not cache_file(cache).is_file():
        return {}
    try:
        with open_cache(cache) as (connection, _):
            return known_in(connection)
    except NoCache:
        return {}


def known_in(connection: sqlite3.Connection, id: str = "") -> dict[str, Known]:
    """Of all sessions, or of session `id` alone."""
    found = {}
    where, value = (" where id = ?", (id,)) if id else ("", ())
    for name, size, changed, facts in connection.execute(
        f"select id, size, changed, facts from session{where}", value
    ):
        try:
            found[name] = Known(size, changed, facts_of(json.loads(facts)))
        except (ValueError, TypeError):
            continue  # not ours: the log is read
    return found


def update(folder: Path, cache: Path, check: Callable[[], None] = lambda: None) -> Updated:
    """Read what the logs in `folder` have gained since the last time. Raises NoCache, and what
    `check` raises: it is called again and again, and what was read until then is kept."""
    with open_cache(cache) as (connection, note):
        try:
            connection.execute("begin immediate")
        except sqlite3.OperationalError:
            return Updated(note="another program is updating the search index")
        try:
            return _updated(connection, folder, check, note)
        finally:
            if connection.in_transaction:
                connection.execute("commit")


def _updated(
    connection: sqlite3.Connection, folder: Path, check: Callable[[], None], note: str
) -> Updated:
    _tidy(connection)
    before = {
        row[1]: row
        for row in connection.execute("select key, id, size, changed, inode, done from session")
    }
    there: list[tuple[int, Path, os.stat_result]] = []
    for path in logs(folder):
        try:
            about = path.lstat()
        except OSError:
            continue
        there.append((about.st_mtime_ns, path, about))
    names = {path.name.removesuffix(LOG) for _, path, _ in there}
    for id in before.keys() - names:
        _forget(connection, before[id][0])
    sessions = size = unsaved = 0
    for changed, path, about in sorted(there, key=lambda one: one[0]):
        row = before.get(path.name.removesuffix(LOG))
        if row is not None and row[2:5] == (about.st_size, changed, about.st_ino):
            continue
        try:
            read = _index(connection, path, row, check)
        except NoLog:
            continue
        sessions, size, unsaved = sessions + 1, size + read, unsaved + read
        if unsaved > _STEP:
            connection.execute("commit")
            connection.execute("begin immediate")
            unsaved = 0
    return Updated(sessions, size, note)


def _tidy(connection: sqlite3.Connection) -> None:
    """Begin anew when most documents are of what is no more: the index cannot forget single
    ones."""
    live, last = connection.execute("select count(*), coalesce(max(row), 0) from turn").fetchone()
    if last - live > _DEAD and last > 2 * live:
        _make(connection)


def _forget(connection: sqlite3.Connection, key: int) -> None:
    connection.execute("delete from turn where session = ?", (key,))
    connection.execute("delete from session where key = ?", (key,))


def forget(cache: Path, id: str) -> None:
    """Nothing points to session `id` any more: it was deleted. Without a cache there is nothing to
    do."""
    if cache_file(cache).is_file():
        with suppress(NoCache), open_cache(cache) as (connection, _):
            for (key,) in connection.execute(
                "select key from session where id = ?", (id,)
            ).fetchall():
                _forget(connection, key)


Row = tuple[int, str, int, int, int, int]


def _index(
    connection: sqlite3.Connection, path: Path, row: Row | None, check: Callable[[], None]
) -> int:
    """Read what a log has gained; returns how many bytes that were. Raises NoLog."""
    with open_log(path) as file:
        about = os.fstat(file.fileno())
        if row is not None and (about.st_ino != row[4] or about.st_size < row[2]):
            _forget(connection, row[0])  # another file than it was: repaired, or written anew
            row = None
        id = path.name.removesuffix(LOG)
        key, done, facts = (
            _gone_so_far(connection, row)
            if row is not None
            else (_new(connection, id), 0, SessionFacts())
        )
        # The last document may go on: it is read again the next time, from what was known at its
        # start.
        ready, base = done, json.dumps(facts.dump())
        connection.execute("delete from turn where session = ? and start >= ?", (key, done))
        file.seek(done)
        for found in documents(file, facts, check):
            cursor = connection.execute(
                "insert into turn(session, number, start, stop) values (?, ?, ?, ?)",
                (key, found.turn, found.start, found.stop),
            )
            connection.execute(
                "insert into word(rowid, text) values (?, ?)", (cursor.lastrowid, _kept(found.text))
            )
            ready, base = found.start, json.dumps(found.before.dump())
    where = (about.st_size, about.st_mtime_ns, about.st_ino, ready)
    values = (*where, facts.at, _kept(facts.cwd), json.dumps(facts.dump()), base)
    connection.execute(
        "update session set size=?, changed=?, inode=?, done=?, at=?, cwd=?, facts=?, base=?, words=? where key=?",
        (*values, _kept(facts.words(id)), key),
    )
    return about.st_size - done


def _kept(text: str) -> str:
    """`text` without halves of characters, which a model may have said and no database takes."""
    return text.encode("utf-8", "replace").decode()


def _gone_so_far(connection: sqlite3.Connection, row: Row) -> tuple[int, int, SessionFacts]:
    base = connection.execute("select base from session where key = ?", (row[0],)).fetchone()[0]
    try:
        return row[0], row[5], facts_of(json.loads(base))
    except (ValueError, TypeError):
        return row[0], 0, SessionFacts()


def _new(connection: sqlite3.Connection, id: str) -> int:
    made = connection.execute(
        "insert into session(id, size, changed, inode, done, at, cwd, facts, base, words)"
        " values (?, 0, 0, 0, 0, 0, '', '{}', '{}', '')",
        (id,),
    )
    assert made.lastrowid is not None
    return made.lastrowid
