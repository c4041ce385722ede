"""Looking for a prompt of before: what was read so far, and which of it holds the words. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final

from agent_tui.structures.frozen import frozen

PAGE: Final = 10


@frozen
class Past:
    """A prompt of before. `here`: it was sent in this folder."""

    text: str
    at: float = 0.0
    here: bool = False


Pasts = tuple[Past, ...]


class Shelf:
    """Some prompts as they were read, newest first, and their texts in small letters."""

    def __init__(self, pasts: Pasts) -> None:
        self.pasts = pasts

    @cached_property
    def plain(self) -> list[str]:
        return [past.text.lower() for past in self.pasts]

    def found(self, words: list[str]) -> Pasts:
        """Those that hold all of `words`."""
        if not words:
            return self.pasts
        first, *others = words
        hits = [number for number, text in enumerate(self.plain) if first in text]
        return tuple(self.pasts[n] for n in hits if all(word in self.plain[n] for word in others))


@frozen
class Recall:
    """The search as it stands. Hits of this folder come first, then the rest, each newest first."""

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

    @property
    def total(self) -> int:
        return len(self.here) + len(self.elsewhere)

    def hit(self, number: int) -> Past:
        return self.here[number] if number < len(self.here) else self.elsewhere[number - len(self.here)]

    @property
    def chosen(self) -> Past | None:
        return self.hit(self.selected) if self.total else None

    def read(self, pasts: Pasts, done: bool) -> Recall:
        """More was read; what is chosen stays so."""
        if not pasts:
            return replace(self, done=done)
        shelf = Shelf(pasts)
        found = shelf.found(self.query.split())
        here = tuple(past for past in found if past.here)
        elsewhere = tuple(past for past in found if not past.here)
        later = len(here) if self.selected >= len(self.here) and self.selected else 0
        return replace(
            self, shelves=(*self.shelves, shelf), here=self.here + here, elsewhere=self.elsewhere + elsewhere,
            selected=self.selected + later, done=done,
        )  # fmt: skip

    def asked(self, query: str) -> Recall:
        """Look for `query` instead."""
        query = query.lower()
        if query == self.query:
            return self
        words = query.split()
        found = [past for shelf in self.shelves for past in shelf.found(words)]
        here = tuple(past for past in found if past.here)
        return replace(
            self, query=query, selected=0, here=here, elsewhere=tuple(past for past in found if not past.here)
        )

    def moved(self, by: int) -> Recall:
        """Older, or nearer if negative; at the ends it stays."""
        return replace(self, selected=max(0, min(self.total - 1, self.selected + by)))
