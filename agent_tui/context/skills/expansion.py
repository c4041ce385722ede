"""What a skill stands for, with the words of the person in their places."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Sequence
from typing import Final

from agent_tui.context.skills.parsing import Skill
from agent_tui.structures.frozen import frozen

MAX_CHARS: Final = 64_000
"""Characters of what is sent for a skill."""
CUT: Final = f"[This is longer than {MAX_CHARS:,} characters: the rest is left out]"
MOST_PLACES: Final = 9
"""`$1` to `$9`."""


@frozen
class Expansion:
    """What is sent to the model for a skill. `left_out`: characters of it that are not."""

    name: str
    text: str
    left_out: int = 0


@frozen
class Missing:
    """A named argument was not given: ask the person for it (`Skills.complete`). `given`: those
    before it."""

    name: str
    argument: str
    given: tuple[str, ...]


def expand(skill: Skill, words: str, given: Sequence[str]) -> Expansion:
    """`skill` with all the `words` of the person, and its named arguments as far as they are
    `given`."""
    return _cut(skill, fill(skill, words, given))


def as_written(skill: Skill) -> Expansion:
    """`skill` with its places as they are."""
    return _cut(skill, skill.body)


def fill(skill: Skill, words: str, given: Sequence[str]) -> str:
    """The text of `skill` with words in its places, in one pass: what is put in is never read
    again. A numbered place for which there is no word stays, as in `awk '{print $1}'`; words for
    which there is no place go behind the text."""
    numbered = given if skill.arguments else split(words, MOST_PLACES + 1)[:MOST_PLACES]
    values = {"$ARGUMENTS": words}
    values |= {f"${number}": value for number, value in enumerate(numbered, 1)}
    for name, value in zip(skill.arguments, given, strict=False):
        values |= {f"{{{name}}}": value, f"${name}": value}
    longest_first = sorted(values, key=len, reverse=True)
    places = re.compile("|".join(f"{re.escape(one)}{_end(one)}" for one in longest_first))
    text, count = places.subn(lambda place: values[place[0]], skill.body)
    return text if count or not words else f"{text}\n\n{words}".strip()


def _end(place: str) -> str:
    """`$1` is not the beginning of `$10`, nor `$file` that of `$file_name`."""
    return r"(?![\w])" if place.startswith("$") else ""


def _cut(skill: Skill, text: str) -> Expansion:
    """At most so much, and where the skill lies, so that the model can read the files beside it."""
    left_out = max(0, len(text) - MAX_CHARS)
    kept = f"{text[:MAX_CHARS]}\n{CUT}" if left_out else text
    folder = f"\n\n(This skill's folder: {skill.folder})" if skill.folder else ""
    return Expansion(skill.name, f"{kept}{folder}", left_out)


def split(text: str, count: int) -> tuple[str, ...]:
    """At most `count` arguments, quoted as in a shell; the last one takes the rest of the line as
    it stands."""
    stream = io.StringIO(text)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    given: list[str] = []
    try:
        while len(given) < count - 1:
            token = lexer.get_token()
            if token is None:
                return tuple(given)
            given.append(token)
    except ValueError:  # a quote that is never closed: an apostrophe, most likely
        return tuple(text.split(None, count - 1))
    rest = stream.read().strip()
    return (*given, _unquoted(rest)) if rest else tuple(given)


def _unquoted(rest: str) -> str:
    """`rest` without quotes that go around all of it."""
    if rest[:1] not in "\"'" or rest[:1] != rest[-1:]:
        return rest
    try:
        tokens = shlex.split(rest)
    except ValueError:
        return rest
    return tokens[0] if len(tokens) == 1 else rest
