"""What a command lists for another one: the words that stand for these files where `xargs`, a
substitution or `read` puts them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agent_tui.safety.shell import find_expression
from agent_tui.safety.shell.words import (
    STEPS_OF_TEXT,
    Budget,
    Simple,
    Word,
    simple_commands,
    word_set,
)
from agent_tui.structures import late

_ASK_FOR_HISTORY: Final = word_set("--absolute-git-dir --git-dir --git-common-dir")
_HANDS_ON: Final = word_set("sort uniq tac shuf tr cat tee")
"""Programs that leave out nothing of what they read."""
_GREPS: Final = word_set("grep egrep fgrep rg")
_MOST_OPTIONS: Final = 8
_LEAVES_OUT: Final = late.pattern(r"-\w*v|--inv")
_TRACKED: Final = word_set(
    "-z -t -v -c --cached --full-name --recurse-submodules --exclude-standard -co -oc"
)
"""Options of `git ls-files` with which it names all that git tracks."""
_OTHERS: Final = word_set("-o --others")
"""Beside one of them: also the rest; alone: only that."""
_WHOLE: Final = word_set("-- . ./ :/ * ./*")
_SUBSTITUTION: Final = late.pattern(r"\$\((.+)\)|`(.+)`", re.DOTALL)
_VARIABLE: Final = late.pattern(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})")


def listed(simple: Simple | None) -> list[Word]:
    """What the last of some stages of a pipeline hands on: the words of `echo`, `printf` or `ls`,
    and `*` or `-r .` for all files; empty where these are chosen, or not known."""
    while simple is not None and simple.words and _hands_on(simple.words):
        simple = simple.before
    if simple is None or not simple.words:
        return []
    name, arguments = _base(simple.words[0]), simple.words[1:]
    texts = [word.text for word in arguments]
    if name == "ls" and all(text.startswith("-") for text in texts):
        return [Word("*")]
    if name in ("echo", "printf", "ls"):
        lines = (re.sub(r"\\[nt0]", " ", text) for text in texts)
        return [Word(part) for line in lines for part in line.split()]
    if name == "git" and "rev-parse" in texts and not _ASK_FOR_HISTORY.isdisjoint(texts):
        return [Word(".git")]
    if name == "git" and _names_all_tracked(texts):
        return [Word("-r"), Word(".")]
    if name == "find" and find_expression.finds_all(texts, _prints):
        return [Word("-r"), *(Word(root) for root in find_expression.split(texts)[0])]
    return []


def fill_in(texts: Sequence[str], simple: Simple, budget: Budget) -> list[str]:
    """The words of a program with what is listed in the place of `$(ls)`, and of the variable in
    `ls | while read f`. Raises TooMany."""
    filled: list[str] = []
    read: list[Word] | None = None
    for text in texts:
        words: list[Word] = []
        if found := _SUBSTITUTION.fullmatch(text):
            inner = found[1] or found[2]
            budget.take(len(inner) + STEPS_OF_TEXT)
            words = listed(next(reversed(simple_commands(inner, lambda _: "")), None))
        elif simple.before is not None and _VARIABLE.fullmatch(text):
            if read is None:
                budget.take_words(simple.before.words)
                read = listed(simple.before)
            words = read
        filled += [word.text for word in words] or [text]
    return filled


def _hands_on(words: Sequence[Word]) -> bool:
    name = _base(words[0])
    options = words[1:_MOST_OPTIONS]
    leaves_out = name in _GREPS and any(_LEAVES_OUT.match(word.text) for word in options)
    return leaves_out or name in _HANDS_ON


def _names_all_tracked(texts: Sequence[str]) -> bool:
    if "ls-files" not in texts or "-C" in texts:
        return False
    given = {*texts[texts.index("ls-files") + 1 :]} - _WHOLE
    if {"-c", "--cached"} & given:
        given -= _OTHERS
    return given <= _TRACKED


def _prints(name: str, _: Sequence[str]) -> int:
    return int(name in find_expression.PRINTS)


def _base(word: Word) -> str:
    return word.text.rpartition("/")[2]
