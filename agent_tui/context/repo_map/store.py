"""What is known of the files of one folder, in SQLite: a cache, made from the files and nothing
else. It may be deleted at any moment; where there can be none, the map is made in memory."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from agent_tui.context.repo_map.tags import Tag
from agent_tui.paths import make_private
from agent_tui.structures.frozen import frozen

T = TypeVar("T")
VERSION: Final = 1
KEPT_DAYS: Final = 30
"""After so many days without use the map of a folder is deleted."""
_WAIT: Final = 0.04
"""Seconds until it is looked whether somebody still waits."""
_AT_ONCE: Final = 500
_WORDS: Final = 5_000
"""Words that are written between two looks at whether somebody still waits."""
_SCHEMA: Final = """
create table file(
    path text primary key, size integer not null, changed integer not null, names text not null,
    score real not null default 0, made text not null default '',
    tags text not null default '') without rowid;
create table text(path text primary key, words text not null) without rowid;
create table word(word text primary key, files integer not null, defined integer not null)
    without rowid;
"""


Stamp = tuple[int, int]
"""Size and time of change of a file."""


class NoStore(Exception):
    """There can be none now. The message says why."""


@frozen
class Entry:
    """A file as the first pass found it: the `names` that it seems to define, and its `words`."""

    path: str
    size: int
    changed: int
    names: str
    words: str


class Store:
    """One connection; `folder` None: in memory. Several programs may be at it: who changes it is
    alone. Raises NoStore, sqlite3.Error."""

    def __init__(self, folder: Path | None, start: Path) -> None:
        try:
            self._db = _open(folder, start)
        except OSError as error:
            raise NoStore(f"it cannot be saved ({error.strerror or error})") from None

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def changing(self, check: Callable[[], None]) -> Iterator[None]:
        """Nobody else changes it meanwhile. What is raised inside leaves all as it was."""
        while True:
            check()
            try:
                self._db.execute("begin immediate")
                break
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
        try:
            yield
            self._db.execute("commit")
        finally:
            if self._db.in_transaction:
                self._db.execute("rollback")

    def stamps(self) -> dict[str, Stamp]:
        rows = self._db.execute("select path, size, changed from file")
        return {path: (size, changed) for path, size, changed in rows}

    def defined(self, check: Callable[[], None]) -> Iterator[tuple[str, int, int]]:
        """Each name that is defined: in how many files it stands, and in how many of these it is
        defined."""
        rows = self._db.execute("select word, files, defined from word where defined > 0")
        while some := rows.fetchmany(_WORDS):
            check()
            yield from some

    def uses(self, names: Iterable[str]) -> dict[str, tuple[int, int]]:
        """The same of some names."""
        wanted, found = [*dict.fromkeys(names)], dict[str, tuple[int, int]]()
        for some in _portions(wanted):
            marks = ",".join("?" * len(some))
            rows = self._db.execute(
                f"select word, files, defined from word where word in ({marks})", some
            )
            found |= {word: (files, defined) for word, files, defined in rows}
        return found

    def texts(self, paths: Iterable[str]) -> list[tuple[str, ...]]:
        """The names and the words of these files, each as one text."""
        return self._of("names, words", paths, "file join text using (path)")

    def _of(self, columns: str, paths: Iterable[str], of: str = "file") -> list[tuple[str, ...]]:
        found = list[tuple[str, ...]]()
        for some in _portions([*paths]):
            marks = ",".join("?" * len(some))
            found += self._db.execute(f"select {columns} from {of} where path in ({marks})", some)
        return found

    def names(self) -> list[tuple[str, str, float]]:
        """Path, names and score of all files."""
        return self._db.execute("select path, names, score from file").fetchall()

    def tags(self, paths: Iterable[str]) -> dict[str, tuple[str, tuple[Tag, ...]]]:
        """How the definitions of these files were found, and those; of files that were parsed."""
        return {
            path: (made, tuple(Tag(*one) for one in json.loads(tags)))
            for path, made, tags in self._of("path, made, tags", paths)
            if made
        }

    def change(
        self,
        gone: Collection[str],
        new: Sequence[Entry],
        words: Mapping[str, int],
        names: Mapping[str, int],
        check: Callable[[], None],
    ) -> None:
        """These files are `gone`, those are as they are now; `words` and `names`: in how many more
        files each stands and is defined."""
        for table in ("file", "text"):
            rows = [(path,) for path in gone]
            self._db.executemany(f"delete from {table} where path = ?", rows)
        for some in _portions(new):
            check()
            self._db.executemany(
                "insert or replace into file(path, size, changed, names) values (?, ?, ?, ?)",
                [(one.path, one.size, one.changed, one.names) for one in some],
            )
            texts = [(one.path, one.words) for one in some]
            self._db.executemany("insert or replace into text values (?, ?)", texts)
        for part in _in_order(words, check):
            check()
            self._db.executemany(
                "insert into word values (?, ?, ?) on conflict(word) do update set"
                " files = files + excluded.files, defined = defined + excluded.defined",
                [(word, words[word], names.get(word, 0)) for word in part],
            )

    def keep_scores(self, scores: Mapping[str, float], check: Callable[[], None]) -> None:
        for some in _portions([*scores.items()]):
            check()
            rows = [(score, path) for path, score in some]
            self._db.executemany("update file set score = ? where path = ?", rows)

    def keep_tags(self, path: str, made: str, tags: Sequence[Tag]) -> None:
        value = json.dumps([[t.line, t.name, t.kind, t.column, t.text] for t in tags])
        with suppress(sqlite3.OperationalError):  # another program changes it: they are found again
            change = "update file set made = ?, tags = ? where path = ?"
            self._db.execute(change, (made, value, path))


def _in_order(words: Iterable[str], check: Callable[[], None]) -> Iterator[Sequence[str]]:
    """The words in portions, in the order in which a table takes them fastest. To sort all at once
    would take too long to be stopped."""
    by_letter = dict[str, list[str]]()
    for number, word in enumerate(words):
        if not number % _WORDS:
            check()
        by_letter.setdefault(word[:1], []).append(word)
    for letter in sorted(by_letter):
        yield from _portions(sorted(by_letter[letter]), _WORDS)


def _portions(wanted: Sequence[T], most: int = _AT_ONCE) -> Iterator[Sequence[T]]:
    """SQLite takes so many values at a time."""
    for at in range(0, len(wanted), most):
        yield wanted[at : at + most]


def _open(folder: Path | None, start: Path) -> sqlite3.Connection:
    if folder is None:
        return _prepared(sqlite3.connect(":memory:", isolation_level=None))
    make_private(folder)
    path = folder / f"{hashlib.sha256(os.fsencode(start)).hexdigest()[:32]}-{VERSION}.sqlite"
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path} is not a regular file")
    if not path.exists():
        _forget_old(folder)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    try:
        return _prepared(_connect(path))
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        path.unlink()  # damaged: it is made again
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        return _prepared(_connect(path))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    connection.execute("pragma journal_mode=wal")  # who reads does not wait
    connection.execute("pragma wal_autocheckpoint=0")  # only the end takes long, and once
    connection.execute("pragma synchronous=off")  # it can be made again
    os.utime(path)
    return connection


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("begin immediate")
    if not connection.execute("select count(*) from sqlite_master").fetchone()[0]:
        for statement in _SCHEMA.strip().split(";\n"):
            connection.execute(statement)
    connection.execute("commit")
    return connection


def _forget_old(folder: Path) -> None:
    before = time.time() - KEPT_DAYS * 86_400
    for path in folder.glob("*.sqlite"):
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()
