"""How the words of a program are told apart by its row in the tables of what only looks.

Options are written as `a` and `all` (flags), `n=` and `lines=` (with a value, glued or in the next
word), `color?` (a glued value, or none), `contains~` (a value; at the end, none), `L+` (a value
that is always the next word), `f@` and `file@` (a file that is read), `#` (a number, as in `head
-5`). The kind must be that of the program itself: where the two part, a word that is judged as a
value is an option to the program. So no value in a word of its own begins with `-`, but a number,
or the item of a list (`-m '- this'`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

Operands = Literal["paths", "pattern", "text", "none"]
KINDS: Final[str] = "=?~+@"
_NEGATIVE: Final = late.pattern(r"-(?:\d+(?:\.\d+|[bBcGkKMTw]{0,2}| .*))?")
"""A number (`head -n -5`), a time (`date -d '-1 day'`), or the standard input."""


class Unknown(Exception):
    """Nothing says that this only looks. The text is one line for the person."""


@frozen
class Spec:
    """What is known of a program. `operands`: all of them files (`paths`), the first one a pattern
    and the rest files, words that name no file, or none; `most` of them. `rows`: whether letters
    may stand in a row (`-la`)."""

    options: frozenset[str]
    operands: Operands = "paths"
    most: int = 1000
    rows: bool = True

    def kind(self, name: str) -> str:
        """How `name` takes a value (one of `KINDS`), or empty for a flag. Raises Unknown."""
        kind: str
        for kind in ("", *KINDS):
            if name + kind in self.options:
                return kind
        raise Unknown(f"its option {_dashed(name)} may change something")


def _dashed(name: str) -> str:
    return name if name.startswith("-") else f"{'--' if len(name) > 1 else '-'}{name}"


def spec(
    options: str = "", operands: Operands = "paths", most: int = 1000, *, rows: bool = True
) -> Spec:
    """A row: `options` with blanks between them; a word of dots and letters is a row of flags. Of
    two ways to write an option, the first one counts."""
    names = dict[str, str]()
    for word in options.split():
        for one in word[1:] if word.startswith(".") else (word,):
            names.setdefault(one.rstrip(KINDS), one)
    return Spec(frozenset(names.values()), operands, most, rows)


@frozen
class ParsedWords:
    """A program's words, told apart: its options with their values, its operands, and the files
    that are values of options."""

    options: tuple[tuple[str, str], ...]
    operands: tuple[str, ...]
    files: tuple[str, ...]

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.options if name in names]


def parse_words(row: Spec, words: Sequence[str]) -> ParsedWords:
    """`words` by the row of their program. Raises Unknown for what is not in it."""
    options, operands, files = list[tuple[str, str]](), list[str](), list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word.startswith("--"):
            taken = _long(row, word[2:], rest)
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        elif "#" in row.options and word[1:].isascii() and word[1:].isdigit():
            continue
        else:
            taken = _cluster(row, word[1:], rest)
        had = len(rest)
        for name, value, is_file in taken:
            options.append((name, value))
            # behind an operand some programs take an option for a file, and its value for one more
            files += [value] if is_file or (operands and len(rest) < had) else []
    return ParsedWords(tuple(options), tuple(operands), tuple(files))


def _long(row: Spec, word: str, rest: list[str]) -> Iterator[tuple[str, str, bool]]:
    name, equals, value = word.partition("=")
    kind = row.kind(name) if len(name) > 1 else row.kind("--")
    if kind in ("", "+") and equals:
        raise Unknown(f"its option --{name} takes no value")
    if kind not in ("", "?") and not equals and (rest or kind != "~"):
        value = take_value(rest, name)
    yield name, value, kind == "@"


def _cluster(row: Spec, letters: str, rest: list[str]) -> Iterator[tuple[str, str, bool]]:
    """Short options in one word, the last of them perhaps with its value."""
    for at, letter in enumerate(letters, 1):
        kind, glued = row.kind(letter), letters[at:]
        if glued and (kind == "+" or not (kind or row.rows)):
            raise Unknown(f"its option -{letter} must stand alone")
        if kind:
            needs = not glued and kind != "?" and (rest or kind != "~")
            yield letter, take_value(rest, letter) if needs else glued, kind == "@"
            return
        yield letter, "", False


def take_value(rest: list[str], name: str) -> str:
    """The next word, which is the value of the option `name`. Raises Unknown."""
    if not rest:
        raise Unknown(f"its option {_dashed(name)} has no value")
    if not is_value(rest[0]):
        raise Unknown(f"the value of its option {_dashed(name)} looks like an option")
    return rest.pop(0)


def is_value(word: str) -> bool:
    """Whether `word` may be the value of an option before it: one that a program could take for an
    option may not."""
    return not word.startswith("-") or word[1:2] == " " or _NEGATIVE.fullmatch(word) is not None
