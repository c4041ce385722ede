"""Finds the facts that a prompt is about, with the full-text search of SQLite (FTS5).

What it keeps is a cache, made of the facts' files and nothing else: it may be deleted at any
moment, and a damaged one, or one of another version, is made again.

A fact's score says how much it has in common with the prompt, from 0 to 1: c / (c + h), where c is
the weight of the words in both. A word weighs the more, the fewer facts it stands in, and h is a bit
more than the most that one can weigh: a word of this fact alone gives almost 0.5, a common one next
to nothing. The order of what has enough of that is BM25.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from agent_tui.context.memory import FactFile
from agent_tui.paths import make_private
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

VERSION: Final = 2
LEAST_SCORE: Final = 0.4
MOST: Final = 5
"""Facts that one prompt recalls."""
HALF: Final = 1.1
"""How many words that only one fact has give a score of 0.5."""
_IMAGINED: Final = 20
"""Facts that count as there, too: of two facts nobody can say which words are rare."""
WORDS: Final = 24
"""Words of a prompt that are looked for: the rarest among the facts."""
READ: Final = 4_000
"""Characters of a prompt that are looked at."""
CANDIDATES: Final = 40
COMMON: Final = 0.1
"""Part of all facts in which a word may stand and still be looked for, where there are rarer
ones."""
_FEW: Final = 50
"""Facts that are so few that none of their words is common."""
_TOKENS: Final = "tokenize='porter unicode61 remove_diacritics 2'"
_SCHEMA: Final = f"""
create table file(row integer primary key, path blob unique not null, folder blob not null,
    changed text not null);
create virtual table fact using fts5(text, {_TOKENS});
create virtual table vocabulary using fts5vocab(fact, 'row');
"""
_ASKED: Final = f"""
create virtual table temp.asked using fts5(text, {_TOKENS});
create virtual table temp.stem using fts5vocab('temp', 'asked', 'instance');
"""
_WORD: Final = late.pattern(r"\w+")
_GRAMMAR: Final = """\
a about above after again all also am an and any are as at be because been before being but by
can could did do does doing don for from further get had has have having he her here him his how
i if in into is it its just let like make may me more most my no not now of off on once only or
other our out over own please same she should so some such than that the their them then there
these they this those through to too under until up use very want was we were what when where
which while who why will with would you your"""
"""Words that say nothing of what a sentence is about."""
_EMPTY: Final = frozenset(_GRAMMAR.split())


@frozen
class Found:
    """A fact that fits, by its path, and how well it does."""

    path: Path
    score: float


class Recall:
    """The search over the facts in some folders. `cache`: the file that it keeps. All of it takes
    time: not for the loop. Raises sqlite3.Error and OSError."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._known: tuple[FactFile, ...] | None = None
        self._folders: tuple[bytes, ...] = ()
        """As bytes, as all paths in the cache: a name need not be UTF-8, and a text must be."""

    def search(
        self, files: tuple[FactFile, ...], text: str, least: float = LEAST_SCORE, most: int = MOST
    ) -> list[Found]:
        """Those of `files` that `text` is about, the best first."""
        make_private(self._cache.parent)
        try:
            return self._search(files, text, least, most)
        except sqlite3.OperationalError:  # it is locked, or there is no FTS5
            raise
        except sqlite3.DatabaseError:  # damaged, or no database at all
            self._cache.unlink()
            self._known = None
            return self._search(files, text, least, most)

    def _search(
        self, files: tuple[FactFile, ...], text: str, least: float, most: int
    ) -> list[Found]:
        if not self._cache.exists():
            self._cache.touch(0o600)
            self._known = None
        with closing(_connect(self._cache)) as connection:
            if files is not self._known:
                self._folders = tuple(sorted({os.fsencode(one.path.parent) for one in files}))
                _bring_up_to_date(connection, files, self._folders)
                self._known = files
            return _search(connection, self._folders, text, least, most)


def _connect(path: Path) -> sqlite3.Connection:
    """A database as this version makes it; what another one made goes."""
    connection = sqlite3.connect(path, timeout=2.0)
    try:
        connection.execute("pragma synchronous = off")
        if connection.execute("pragma user_version").fetchone()[0] != VERSION:
            for name in ("vocabulary", "fact", "file"):
                connection.execute(f"drop table if exists {name}")
            connection.executescript(f"begin; {_SCHEMA} pragma user_version = {VERSION}; commit;")
        connection.executescript(_ASKED)
    except BaseException:
        connection.close()
        raise
    return connection


def _bring_up_to_date(
    connection: sqlite3.Connection, files: Sequence[FactFile], folders: Sequence[bytes]
) -> None:
    """Take in what is new or another, and forget what is gone from these `folders`: others may
    belong to another session."""
    marks = ", ".join("?" * len(folders))
    stored = f"select row, path, changed from file where folder in ({marks})"
    wanted = {os.fsencode(one.path): one for one in files}
    stamps = {path: "{} {}".format(*one.changed) for path, one in wanted.items()}
    with connection:
        connection.execute("begin immediate")  # another session may do the same just now
        rows = connection.execute(stored, folders).fetchall()
        kept = {path: changed for _, path, changed in rows}
        gone = [(row,) for row, path, changed in rows if stamps.get(path) != changed]
        new = [wanted[path] for path, stamp in stamps.items() if kept.get(path) != stamp]
        connection.executemany("delete from fact where rowid = ?", gone)
        connection.executemany("delete from file where row = ?", gone)
        for one in new:
            path = os.fsencode(one.path)
            values = (path, os.fsencode(one.path.parent), stamps[path])
            added = "insert into file(path, folder, changed) values (?, ?, ?)"
            row = connection.execute(added, values).lastrowid
            said = f"{one.fact.name.replace('-', ' ')} {one.fact.text}"
            connection.execute("insert into fact(rowid, text) values (?, ?)", (row, said))
    if not gone and not new:
        return
    with suppress(sqlite3.OperationalError):  # another program has it: the next time
        connection.execute("insert into fact(fact) values ('optimize')")
        connection.commit()


def _search(
    connection: sqlite3.Connection, folders: Sequence[bytes], text: str, least: float, most: int
) -> list[Found]:
    asked = _stems(connection, {0: text[:READ]})[0]
    total = connection.execute("select count(*) from file").fetchone()[0]
    if not asked or not total:
        return []
    counts = _counts(connection, asked)
    wanted = _rarest(asked, counts, total)
    if not wanted:
        return []
    query = " OR ".join(f'"{asked[stem]}"' for stem in wanted)
    marks = ", ".join("?" * len(folders))
    rows = connection.execute(
        "select fact.rowid, file.path, fact.text from fact join file on file.row = fact.rowid "
        f"where fact match ? and file.folder in ({marks}) order by rank limit {CANDIDATES}",
        (query, *folders),
    ).fetchall()
    facts = _stems(connection, {row: said for row, _, said in rows})
    many = total + _IMAGINED
    weights = {stem: math.log(1 + many / count) for stem, count in counts.items() if count}
    half = HALF * math.log(1 + many)
    scored = (
        Found(Path(os.fsdecode(path)), round(_score(asked, facts[row], weights, half), 3))
        for row, path, _ in rows
    )
    return [one for one in scored if one.score >= least][:most]


def _rarest(asked: Mapping[str, str], counts: Mapping[str, int], total: int) -> list[str]:
    known = sorted((stem for stem in asked if counts[stem]), key=lambda stem: (counts[stem], stem))
    rare = [stem for stem in known if counts[stem] <= max(_FEW, total * COMMON)]
    return (rare or known)[:WORDS]


def _score(
    asked: Iterable[str], fact: Iterable[str], weights: Mapping[str, float], half: float
) -> float:
    common = sum(weights.get(stem, 0.0) for stem in set(asked) & set(fact))
    return common / (common + half)


def _counts(connection: sqlite3.Connection, stems: Iterable[str]) -> dict[str, int]:
    """In how many facts each stands."""
    count = "select doc from vocabulary where term = ?"
    found = ((stem, connection.execute(count, (stem,)).fetchone()) for stem in stems)
    return {stem: row[0] if row else 0 for stem, row in found}


def _stems(connection: sqlite3.Connection, texts: Mapping[int, str]) -> dict[int, dict[str, str]]:
    """The words of each text as SQLite reduces them, each with one word that it stands for."""
    words = [
        (number, word)
        for number, text in texts.items()
        for word in dict.fromkeys(_WORD.findall(text.casefold().replace("_", " ")))
        if len(word) > 1 and word not in _EMPTY
    ]
    distinct = list(dict.fromkeys(word for _, word in words))
    connection.execute("delete from temp.asked")
    connection.executemany(
        "insert into temp.asked(rowid, text) values (?, ?)", enumerate(distinct, 1)
    )
    stems = {
        distinct[row - 1]: str(term)
        for term, row in connection.execute("select term, doc from temp.stem")
    }
    found: dict[int, dict[str, str]] = {number: {} for number in texts}
    for number, word in words:
        if (stem := stems.get(word)) is not None:
            found[number].setdefault(stem, word)
    return found
