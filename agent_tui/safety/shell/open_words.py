"""Words of a command that become others when it runs: patterns, lists, variables, and the places
where `xargs` and its relatives put what they read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from agent_tui.safety.shell.programs import git_command, skip_wrapper_options
from agent_tui.safety.shell.words import Simple, Word
from agent_tui.structures import late

_OPEN: Final = late.pattern(r"\$\(.*|`.*|\$\w*|[*?]+|[@+!]\Z", re.DOTALL)
"""What stands for other text; a mark at the end begins a pattern as `+(a|b)`, of which the bracket
is not in the word."""
_MARKS: Final = frozenset("!+@")
"""As a first word they are words of the shell or of `find`."""
_FED: Final = "{}"
_PLACE: Final = late.pattern(r"-\w*?[Ii](.+)|--r[a-z]*=(.+)", re.DOTALL)
_FED_PROGRAMS: Final = frozenset({"xargs", "parallel"})


def may_fit(words: Sequence[str], open_end: bool, argv: Sequence[str]) -> bool:
    """Whether `argv` may be `words` when it runs, with more behind them if `open_end`. One that is
    open may stand for none, one or several."""
    reached = {0}
    for place, word in enumerate(argv):
        if open_end and len(words) in reached:
            return True
        parts = _parts(word) if place or word not in _MARKS else (word,)
        if len(parts) == 1:
            reached = {at + 1 for at in reached if at < len(words) and words[at] == word}
            if not reached:
                return False
        else:
            for at in sorted(reached):
                while at < len(words) and _fits(parts, words[at]):
                    at += 1
                    reached.add(at)
    return len(words) in reached


def may_become(word: str, text: str) -> bool:
    """Whether `word` may be `text` when it runs."""
    return _fits(_parts(word), text)


def is_any(word: str) -> bool:
    """Whether it may be anything."""
    return not any(_parts(word))


def is_fed(word: str) -> bool:
    """Whether it stands for a word that a program reads."""
    return word == _FED


def with_open_options(argv: Sequence[str]) -> Iterator[Sequence[str]]:
    """A command, and one of git as it is where an open word among its options ends them."""
    yield argv
    if argv[0].rpartition("/")[2] == "git":
        command, rest = git_command(argv[1:])
        end = len(argv) - len(rest) - bool(command)
        yield from (("git", *argv[at:]) for at in range(1, end) if len(_parts(argv[at])) > 1)


def with_fed_words(simple: Simple) -> Simple | None:
    """The command in which what `xargs` or `parallel` reads is marked as open, where it is put;
    None for another command."""
    names = [word.text.rpartition("/")[2] for word in simple.words]
    at = next((at for at, name in enumerate(names) if name in _FED_PROGRAMS), None)
    if at is None:
        return None
    behind = simple.words[at + 1 :]
    inputs = (i for i, word in enumerate(behind) if word.text.startswith(":::"))
    behind = behind[: next(inputs, len(behind))]
    started = skip_wrapper_options(names[at], behind)
    options = [word.text for word in behind[: len(behind) - len(started)]]
    places = [found[1] or found[2] for text in options if (found := _PLACE.fullmatch(text))]
    places += [after for text, after in pairwise(options) if re.fullmatch(r"-\w*I", text)]
    marked = [replace(word, text=_marked(word.text, places)) for word in started]
    fed = [Word(_FED)] if started else []
    return Simple([*simple.words[: at + 1], *marked, *fed], simple.redirects)


def _marked(text: str, places: Sequence[str]) -> str:
    for place in places:
        text = text.replace(place, _FED)
    return text


@lru_cache(maxsize=64)
def _parts(word: str) -> tuple[str, ...]:
    """The literal parts of a word, between those that stand for other text."""
    for opening, closing in ("[]", "{}"):
        before, _, rest = word.partition(opening)
        inner, closed, behind = rest.rpartition(closing)
        is_plain = opening == "{" and inner and not before.endswith("$")
        if closed and not (is_plain and "," not in inner and ".." not in inner):
            word = f"{before}*{behind}"
    return tuple(_OPEN.split(word))


def _fits(parts: Sequence[str], text: str) -> bool:
    """Whether `text` is these parts, with anything between them: each where it is found first."""
    first, *middle, last = parts if len(parts) > 1 else (parts[0], "")
    if len(parts) == 1:
        return text == first
    if not text.startswith(first):
        return False
    at = len(first)
    for part in middle:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last) and len(text) - len(last) >= at
