"""Finds the facts that are near to a prompt in meaning, by the vectors of an embedding model.

What it keeps is a cache, made of the facts' texts: it may be deleted at any moment, and a damaged
one, or one of another version, is made again. The vectors of facts that are gone go, too.

Where the package sqlite-vec is installed and this Python's SQLite loads extensions, that compares
them; else Python does, so many fewer.

A fact's score says how much nearer it is to the prompt than sentences about nothing in particular
(`ORDINARY`) are: (c - o) / (1 - o) / 0.75, at most 1, where c is its cosine with the prompt and o
their mean one. Models differ in what is near: unrelated texts may have a cosine of 0.1 or of 0.7.
This makes both 0, and a text that says nearly the same 1.
"""

from __future__ import annotations

import hashlib
import math
import os
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from operator import mul
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from agent_tui.paths import make_private
from agent_tui.structures.frozen import frozen

T = TypeVar("T")
Vector: TypeAlias = "array[float]"
VERSION: Final = 1
READ: Final = 2_000
"""Characters of a text that are embedded: many models read no more than 512 tokens."""
MOST_PLAIN: Final = 2_000
"""Facts that Python compares: so many take a twentieth of a second."""
MOST: Final = 20_000
NEAR: Final = 0.75
"""How far from an ordinary text to the same one a score of 1 is: it decides what 0.4 means. Tried with
all-MiniLM-L6-v2 and the questions of tests/context/memory_questions.tsv: of 120 facts both searches
find 95, words alone 90; by meaning, 5 of 15 prompts about other things recall a fact, by words 8."""
SAME: Final = 0.99
"""The cosine of two vectors of one text, if the same model made them."""
ORDINARY: Final = (
    "The train leaves at noon.",
    "She bought bread and a newspaper on the corner.",
    "It rained all afternoon in the mountains.",
    "The children painted a picture of a horse.",
    "He plays the violin in a small orchestra.",
    "A good film needs a good ending.",
    "The river is deep near the old bridge.",
    "They won the match in the last minute.",
)
_SCHEMA: Final = """
create table vector(row integer primary key, model text not null, folder text not null,
    hash text not null, data blob not null, unique(model, hash));
"""
_SUMPROD: Final[Callable[[Iterable[float], Iterable[float]], float] | None] = getattr(
    math, "sumprod", None
)
"""There from Python 3.12 on."""


@frozen
class Passage:
    """A text to embed, of the fact at `path`."""

    path: Path
    text: str

    @property
    def hash(self) -> str:
        said = f"{self.path.parent}\0{self.text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(said).hexdigest()


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Of two vectors whose length is 1; of two that cannot be compared it is 0."""
    if len(one) != len(other):
        return 0.0
    return _SUMPROD(one, other) if _SUMPROD is not None else sum(map(mul, one, other))


class Vectors:
    """The vectors that `model` made. `cache`: the file that keeps them. All of it takes time: not
    for the loop. Raises sqlite3.Error and OSError."""

    def __init__(self, cache: Path, model: str) -> None:
        self._cache, self._model = cache, model

    def is_same(self, first: Vector) -> bool:
        """Whether `first`, the vector of ORDINARY[0], is what the model made of it before. If not,
        it is another model of that name: nothing of the old one can be compared."""

        def check(connection: sqlite3.Connection) -> bool:
            asked = "select data from vector where model = ? and folder = ''"
            found = connection.execute(asked, (self._model,)).fetchone()
            if found is not None and cosine(_floats(found[0]), first) >= SAME:
                return True
            connection.execute("delete from vector where model = ?", (self._model,))
            self._insert(connection, "", "", first)
            return found is None

        return self._with(check)

    def lacking(self, passages: Mapping[str, Passage], folders: Sequence[str]) -> list[str]:
        """The hashes of those of `passages` that have no vector yet. In these `folders` there are no
        others: what else there was is forgotten."""
        marks = ", ".join("?" * len(folders))
        if not passages and not self._cache.exists():
            return []

        def look(connection: sqlite3.Connection) -> list[str]:
            asked = f"select row, model, hash from vector where folder in ({marks})"
            rows = connection.execute(asked, tuple(map(_said, folders))).fetchall()
            gone = [(row,) for row, _, hash in rows if hash not in passages]
            connection.executemany("delete from vector where row = ?", gone)
            there = {hash for _, model, hash in rows if model == self._model}
            return [hash for hash in passages if hash not in there]

        return self._with(look)

    def keep(self, made: Iterable[tuple[Passage, Vector]]) -> None:
        def insert(connection: sqlite3.Connection) -> None:
            for one, vector in made:
                self._insert(connection, str(one.path.parent), one.hash, vector)

        self._with(insert)

    def _insert(
        self, connection: sqlite3.Connection, folder: str, hash: str, vector: Vector
    ) -> None:
        added = "insert or replace into vector(model, folder, hash, data) values (?, ?, ?, ?)"
        connection.execute(added, (self._model, _said(folder), hash, vector.tobytes()))

    def nearest(
        self, asked: Vector, ordinary: Sequence[Vector], folders: Sequence[str], least: float
    ) -> dict[str, float]:
        """The scores of facts in `folders`, by the hashes of their passages."""
        floor = sum(cosine(asked, one) for one in ordinary) / len(ordinary)
        span = NEAR * max(1.0 - floor, 1e-6)
        marks, data = ", ".join("?" * len(folders)), asked.tobytes()

        def compare(connection: sqlite3.Connection) -> list[tuple[str, float]]:
            near = "1 - vec_distance_cosine(data, ?)"
            if not load_extension(connection):
                near = "nearness(data, ?)"
                connection.create_function(
                    "nearness", 2, lambda kept, _: cosine(_floats(kept), asked)
                )
            return connection.execute(
                f"select hash, {near} as near from vector where model = ? and length(data) = ? "
                f"and folder in ({marks}) and near >= ?",
                (data, self._model, len(data), *map(_said, folders), floor + least * span - 1e-6),
            ).fetchall()

        found = self._with(compare)
        return {hash: round(min((near - floor) / span, 1.0), 3) for hash, near in found}

    def _with(self, work: Callable[[sqlite3.Connection], T]) -> T:
        make_private(self._cache.parent)
        try:
            return self._done(work)
        except sqlite3.OperationalError:  # it is locked
            raise
        except sqlite3.DatabaseError:  # damaged, or no database at all
            self._cache.unlink()
            return self._done(work)

    def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if not self._cache.exists():
            self._cache.touch(0o600)
        with closing(sqlite3.connect(self._cache, timeout=2.0)) as connection:
            connection.execute("pragma synchronous = off")
            if connection.execute("pragma user_version").fetchone()[0] != VERSION:
                connection.executescript(
                    f"begin; drop table if exists vector; {_SCHEMA}"
                    f"pragma user_version = {VERSION}; commit;"
                )
            with connection:
                return work(connection)


def _said(folder: str) -> str:
    """A path as SQLite takes it: the name of a folder need not be UTF-8, and a text must be."""
    return os.fsencode(folder).decode("utf-8", "backslashreplace")


def _floats(data: bytes) -> memoryview[float]:
    return memoryview(data).cast("f")


def has_extension() -> bool:
    """Whether sqlite-vec can compare vectors here; not every Python's SQLite loads extensions."""
    return hasattr(sqlite3.Connection, "enable_load_extension") and bool(find_spec("sqlite_vec"))


def load_extension(connection: sqlite3.Connection) -> bool:
    if not has_extension():
        return False
    import sqlite_vec

    connection.enable_load_extension(True)
    try:
        sqlite_vec.load(connection)
    except sqlite3.OperationalError:  # made for another system
        return False
    finally:
        connection.enable_load_extension(False)
    return True
