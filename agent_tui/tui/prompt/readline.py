"""Readline's way with a text and a caret, as pure functions: words, kills and what they leave
behind."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from agent_tui.structures.frozen import frozen

MOST_KILLED: Final = 60
"""Texts that a kill ring holds."""


@frozen
class Edit:
    """Put `text` in the place of what stands from `start` to `end`; then the caret stands at
    `caret`."""

    start: int
    end: int
    text: str
    caret: int


@frozen
class KillRing:
    """What was killed, newest first. `turn` counts how far it was rotated since the last yank."""

    texts: tuple[str, ...] = ()
    turn: int = 0

    def with_kill(self, text: str, *, joins: bool, before: bool) -> KillRing:
        """`text` was killed; it `joins` the newest if the key before killed too, in front if it
        stood `before`."""
        if not text:
            return self
        if joins and self.texts:
            newest = text + self.texts[0] if before else self.texts[0] + text
            return KillRing((newest, *self.texts[1:]))
        return KillRing((text, *self.texts)[:MOST_KILLED])

    @property
    def text(self) -> str:
        """What is yanked now; empty if nothing was killed."""
        return self.texts[self.turn % len(self.texts)] if self.texts else ""

    def rotate(self) -> KillRing:
        return replace(self, turn=(self.turn + 1) % max(1, len(self.texts)))

    def without_run(self) -> KillRing:
        return self if not self.turn else replace(self, turn=0)


def kind(character: str) -> int:
    """0: stands between words. Scripts without spaces have a number each, so that a word ends where
    they change."""
    if character.isascii():
        return int(character.isalnum() or character == "_")
    if "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff":
        return 2
    if "\u3041" <= character <= "\u309f":
        return 3
    if "\u30a0" <= character <= "\u30ff":
        return 4
    return int(character.isalnum() or unicodedata.category(character)[0] == "M")


def word_right(text: str, at: int) -> int:
    """The end of the word that `at` stands in or before."""
    end = len(text)
    while at < end and not kind(text[at]):
        at += 1
    if at < end:
        word = kind(text[at])
        while at < end and kind(text[at]) == word:
            at += 1
    return at


def word_left(text: str, at: int) -> int:
    """The beginning of the word that `at` stands in or behind."""
    while at and not kind(text[at - 1]):
        at -= 1
    if at:
        word = kind(text[at - 1])
        while at and kind(text[at - 1]) == word:
            at -= 1
    return at


def space_left(text: str, at: int) -> int:
    """As `word_left`, where only white space stands between words."""
    while at and text[at - 1].isspace():
        at -= 1
    while at and not text[at - 1].isspace():
        at -= 1
    return at


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def kill_line(text: str, at: int) -> int:
    """To the end of the line; at the end, over it."""
    end = line_end(text, at)
    return end if end > at else min(len(text), at + 1)


def kill_back(text: str, at: int) -> int:
    """To the start of the line; at the start, over the end of the one before."""
    start = line_start(text, at)
    return start if start < at else max(0, at - 1)


def changed_word(text: str, at: int, change: Callable[[str], str]) -> Edit:
    """The rest of the word is changed; the caret goes behind it."""
    end = word_right(text, at)
    new = change(text[at:end])
    return Edit(at, end, new, at + len(new))


def capitalise(word: str) -> str:
    """The first letter large, the rest small; what stands before it stays."""
    first = next((n for n, character in enumerate(word) if kind(character)), len(word))
    return word[:first] + word[first : first + 1].upper() + word[first + 1 :].lower()
