"""Looking for a prompt of before: what was read so far, and which of it holds the words. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from agent_tui.structures.frozen import frozen

PAGE: Final = 10
MOST: Final = 500
"""Hits of a kind that are looked for at once."""


class Past(NamedTuple):
    """A prompt of before. `here`: it was sent in this folder. A tuple: many cost the collector of
    garbage nothing."""

    text: str
    at: float = 0.0
    here: bool = False


Pasts = tuple[Past, ...]


class Texts:
    """Some prompts, newest first, and their texts in small letters."""

    __slots__ = ("pasts", "plain")

    def __init__(self, pasts: Pasts) -> None:
        self.pasts = pasts
        self.plain = [past.text.lower() for past in pasts]

    def find_all(self, words: list[str]) -> Pasts:
        """Those that hold all of `words`."""
        if not words or not self.pasts:
            return self.pasts
        first, *others = words
        hits = [number for number, text in enumerate(self.plain) if first in text]
        return tuple(self.pasts[n] for n in hits if all(word in self.plain[n] for word in others))


class Shelf:
    """What was read at a time: prompts of this folder, and behind them those of others and the
    commands, which nobody looks for first."""

    __slots__ = ("elsewhere", "here", "pasts")

    def __init__(self, pasts: Pasts) -> None:
        self.pasts = pasts
        prompts = tuple(past for past in pasts if not _is_command(past))
        commands = tuple(past for past in pasts if _is_command(past))
        others = (past for past in prompts if not past.here)
        self.here = Texts(tuple(past for past in prompts if past.here))
        self.elsewhere = Texts((*others, *commands))


def _is_command(past: Past) -> bool:
    """Whether it is a line such as `/effort high`; a path has a second slash."""
    return past.text.startswith("/") and "/" not in past.text[1:].partition(" ")[0]


@frozen
class Recall:
    """The search as it stands. Prompts of this folder come first, then the rest, each newest first
    and with the commands at its end.

    No more are looked for than `most` of each kind (and the rest of a shelf), so that a key never
    waits for a word that is everywhere; who goes on to the last of them gets more.
    """

    number: int
    """Which opening this is: what was read for an earlier one comes too late."""
    query: str = ""
    shelves: tuple[Shelf, ...] = ()
    here: Pasts = ()
    elsewhere: Pasts = ()
    selected: int = 0
    """How many hits are nearer."""
    done: bool = False
    """All there is has been read."""
    most: int = MOST

    @property
    def total(self) -> int:
        return len(self.here) + len(self.elsewhere)

    @property
    def has_more(self) -> bool:
        """Whether there may be more hits than these."""
        return not self.done or len(self.here) >= self.most or len(self.elsewhere) >= self.most

    def hit_at(self, number: int) -> Past:
        return (
            self.here[number]
            if number < len(self.here)
            else self.elsewhere[number - len(self.here)]
        )

    @property
    def chosen_hit(self) -> Past | None:
        return self.hit_at(self.selected) if self.total else None

    def read(self, pasts: Pasts, done: bool) -> Recall:
        """More was read; what is chosen stays so."""
        if not pasts:
            return replace(self, done=done)
        shelf = Shelf(pasts)
        after = self._put(replace(self, shelves=(*self.shelves, shelf), done=done), shelf)
        elsewhere = self.selected and self.selected >= len(self.here)
        return (
            replace(after, selected=self.selected + len(after.here) - len(self.here))
            if elsewhere
            else after
        )

    @staticmethod
    def _put(to: Recall, shelf: Shelf) -> Recall:
        """The hits of `shelf` too, where there are not enough yet."""
        words = to.query.split()
        here = to.here + shelf.here.find_all(words) if len(to.here) < to.most else to.here
        enough = len(to.elsewhere) >= to.most
        return replace(
            to,
            here=here,
            elsewhere=to.elsewhere if enough else to.elsewhere + shelf.elsewhere.find_all(words),
        )

    def with_query(self, query: str) -> Recall:
        """Look for `query` instead."""
        query = query.lower()
        return (
            self
            if query == self.query
            else replace(self, query=query, selected=0, most=MOST)._again()
        )

    def _again(self) -> Recall:
        after = replace(self, here=(), elsewhere=())
        for shelf in self.shelves:
            after = self._put(after, shelf)
        return after

    def move_by(self, by: int) -> Recall:
        """Older, or nearer if negative; at the ends it stays."""
        to = self.selected + by
        ends = (len(self.here), len(self.here)), (len(self.elsewhere), self.total)
        near = any(count >= self.most and to >= end - PAGE for count, end in ends)
        now = replace(self, most=self.most + MOST)._again() if near else self
        return replace(now, selected=max(0, min(now.total - 1, to)))
