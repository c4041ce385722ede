"""The one list to choose from: its entries, what was typed to find one, and which are found, best
first. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agent_tui.structures.frozen import frozen
from agent_tui.structures.fuzzy import Corpus, Matches, begin, fold, scorer, step
from agent_tui.structures.tone import Tone

SCORED: Final = 400
"""So many entries are scored letter by letter: of more that fit, those that hold the words as they
are come first."""
WHOLE: Final = 1_000
"""What it is worth that a word stands in the name in one piece."""
ASIDE: Final = -1_000
"""What it costs that a word stands only in what is said of the entry."""
MOST: Final = 64
"""Files that are shown of those that fit."""


@frozen
class Entry:
    """`id` is what it stands for; `about` is shown while the cursor is on it, and found too."""

    id: str
    label: str
    detail: str = ""
    about: str = ""
    group: str = ""
    tone: Tone = "normal"
    key: str = ""
    """What is written before it: the key that goes to it, or takes it."""
    value: str = ""
    """How it is now, or the key that does the same anywhere: a column of its own before `detail`.
    """
    path: str = ""
    """The file that it stands for, where a question about the row names it."""


@frozen
class Picker:
    """`shown` are the entries that fit `query`; the cursor is on number `at`. `ordered`: they keep
    their order, the
    newest last. `files`, where there are any, takes the place of `entries`."""

    entries: tuple[Entry, ...] = ()
    query: str = ""
    shown: tuple[Entry, ...] = ()
    at: int = 0
    ordered: bool = False
    files: Matches | None = None
    touched: bool = False
    """The person has moved the cursor."""
    asked: str = ""
    """The entry for which the sheet did last what it does for the one under the cursor."""
    extra: tuple[Entry, ...] = ()
    """What was found for `query` elsewhere than in the entries: it is shown behind them."""

    lost: bool = False
    """What the cursor was on has gone, and no key was pressed since."""

    @property
    def chosen_entry(self) -> Entry | None:
        """What the cursor is on."""
        return self.shown[self.at] if self.shown else None

    @property
    def count(self) -> int:
        """How many entries there are in all."""
        return len(self.entries) if self.files is None else len(self.files.corpus.paths)

    def with_entries(self, entries: tuple[Entry, ...], on: str = "", done: str = "") -> Picker:
        """The same list with other entries: the cursor stays where the person put it; before that,
        it is on `on`. `done`: the entry that the person did away with, which nobody misses."""
        wanted = (
            (self.chosen_entry.id if self.chosen_entry is not None else "") if self.touched else on
        )
        new = replace(self, entries=entries).looked_up(self.query)
        at = new.place_of(wanted) if wanted else -1
        if at >= 0:
            return replace(new, at=at)
        near = max(0, min(self.at, len(new.shown) - 1))
        missed = bool(wanted) and wanted != done
        return replace(new, at=near, lost=new.lost or missed) if self.touched else new

    def listing(self, files: Corpus) -> Picker:
        """The same list, of files."""
        return replace(self, files=begin(files, self.query)).looked_up(self.query)

    def looked_up(self, query: str) -> Picker:
        """`query` was typed: the cursor is on what fits best."""
        if self.files is not None:
            found = begin(self.files.corpus, query, self.files)
            while not found.done:
                found = step(found, most=MOST)
            shown = tuple(
                Entry(path, path) for path in (found.corpus.paths[place] for place in found.best)
            )
            return replace(self, files=found, query=query, shown=shown, at=0)
        shown = rank_entries(self.entries, query, self.ordered)
        extra = self.extra if query == self.query else ()
        if extra:
            there = {one.id for one in shown}
            shown += tuple(one for one in extra if one.id not in there)
        return replace(
            self,
            query=query,
            extra=extra,
            shown=shown,
            at=max(0, len(shown) - 1) if self.ordered else 0,
        )

    def place_of(self, id: str) -> int:
        """The place of the entry `id` among those that are shown; negative: it is not there."""
        return next((place for place, one in enumerate(self.shown) if one.id == id), -1)

    def move_to(self, to: int) -> Picker:
        return replace(self, at=max(0, min(to, len(self.shown) - 1)), touched=True, lost=False)


def rank_entries(entries: Sequence[Entry], query: str, ordered: bool = False) -> tuple[Entry, ...]:
    """The entries that hold every word of `query`: in the name letter by letter, or else as it is
    anywhere."""
    words = fold(query).split()
    if not words:
        return tuple(entries)
    if ordered:
        return tuple(one for one in entries if all(word in _text(one) for word in words))
    found: list[tuple[int, int]] = []
    marks = list[_Mark]()
    for number, entry in enumerate(entries):
        name, given = fold(entry.label), list[int]()
        for place, word in enumerate(words):
            if place == len(marks):  # of a long query most entries lack one of the first words
                marks.append(_marker(word))
            worth = marks[place](name, entry, len(found) < SCORED)
            if worth is None:
                break
            given.append(worth)
        else:
            found.append((-sum(given), number))
    return tuple(entries[number] for _, number in sorted(found))


def _text(entry: Entry) -> str:
    return fold(f"{entry.label} {entry.value} {entry.detail} {entry.about} {entry.group}")


_Mark = Callable[[str, Entry, bool], int | None]


@lru_cache(maxsize=64)
def _marker(word: str) -> _Mark:
    """How well an entry fits `word`; None: not at all."""
    letters = re.compile(
        "".join(f"[^{letter}]*+{letter}" for letter in map(re.escape, word)), re.DOTALL
    )
    score, plain = scorer(word), word.lstrip("/")

    def mark(name: str, entry: Entry, closely: bool) -> int | None:
        if word in name:
            called = name.lstrip("/")
            exact = WHOLE * (1 + (called.partition(" ")[0] == plain) + called.startswith(plain))
            return exact + (score(name, name) if closely else 0)
        if letters.match(name):
            return score(name, name) if closely else 0
        return ASIDE if word in _text(entry) else None

    return mark
