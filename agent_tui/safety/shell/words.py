"""A shell command line as words and pipelines: enough of the grammar to see which program gets
which words.

This is no judge of what is harmless. It reads what is literally there, expands nothing, and where
it must guess it rather sees a command too many (the lines of a here-document count as commands).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_OPERATORS: Final = late.pattern(r"&&|\|\||\|&|;;&?|;&|&>>?|>>|>\||>&|<<<|<<-?|<&|<>|[|&;()<>\n]")
_PLAIN: Final = late.pattern(r"[^\s\\'\"`$#|&;()<>]+")
_NOT_PLAIN: Final = late.pattern(r"[\\'\"()]")
_ANSI_C: Final = late.pattern(r"\$'((?:[^'\\]|\\.)*+)(?:'|\\?\Z)", re.DOTALL)
_ESCAPE: Final = late.pattern(
    r"\\(?:[xuU]((?<=x)[0-9a-fA-F]{1,2}|(?<=u)[0-9a-fA-F]{1,4}|(?<=U)[0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))",
    re.DOTALL,
)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b"}
_FIELD_SEPARATOR: Final = late.pattern(r"\$(IFS\b|\{IFS\})")
_REDIRECTS: Final = frozenset(
    {"&>", "&>>", ">", ">>", ">|", ">&", "<<<", "<<", "<<-", "<&", "<>", "<"}
)
_BRACKETS: Final = {
    "{": "{",
    "}": "}",
    "while": "{",
    "until": "{",
    "for": "{",
    "if": "{",
    "done": "}",
    "fi": "}",
}
"""Words that open and close a group where a command may begin."""
MOST_COMMANDS: Final = 500
_MOST_ITEMS: Final = 4_000
"""Words and operators. Each costs time, and a model can write any number of them."""
_DEEPEST: Final = 100
_MANY: Final = f"it holds too many commands to be checked (over {MOST_COMMANDS})"


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


class TooMany(ValueError):
    """A text holds more commands than are looked at. The text is one line."""


_MOST_STEPS: Final = 200_000
"""Characters that are read for one judgement; what is looked at counts as several."""
_STEPS_OF_WORD: Final = 16
STEPS_OF_SUFFIX: Final = 10
STEPS_OF_TEXT: Final = 120
"""For code in a command, beside its characters."""
_STEPS_OF_PATH: Final = 240
_LONGEST_PATH: Final = 4_096
"""No system has a longer one; what stands for more is not taken apart."""
_STEPS_OF_COMMAND: Final = 40
_TOO_MUCH: Final = "it holds too many commands to be checked, one in the other"


class Budget:
    """What one judgement may cost: all that lies in a text draws from the same, however deep it is
    nested. `depth`: how deep."""

    __slots__ = ("_left", "depth")

    def __init__(self) -> None:
        self.depth, self._left = 0, [_MOST_STEPS]

    def deeper(self) -> Budget:
        """The same one, for what lies in what is judged."""
        inner = Budget()
        inner.depth, inner._left = self.depth + 1, self._left
        return inner

    def take_words(self, words: Sequence[Word]) -> None:
        """For a command that is looked at, beside its characters. Raises TooMany."""
        self.take(_STEPS_OF_COMMAND + _STEPS_OF_WORD * len(words))

    def take_paths(self, texts: Sequence[str]) -> None:
        """For words each of which is resolved. Raises TooMany."""
        if any(len(text) > _LONGEST_PATH for text in texts):
            raise TooMany(
                f"it names a path that is too long to be checked (over {_LONGEST_PATH:,})"
            )
        self.take(_STEPS_OF_PATH * len(texts))

    def take(self, steps: int) -> None:
        """Raises TooMany where there is not as much left."""
        self._left[0] -= steps
        if self._left[0] < 0:
            raise TooMany(_TOO_MUCH)


@frozen
class Word:
    """A word without its quotes. `nested` are the commands in it: `$(…)`, backticks, `<(…)`."""

    text: str
    nested: tuple[str, ...] = ()
    quoted: bool = False


@dataclass(slots=True)
class Simple:
    """One simple command. `fed` says what an earlier stage of its pipeline makes; `before` is the
    stage before."""

    words: list[Word] = field(default_factory=list)
    redirects: list[tuple[str, Word]] = field(default_factory=list)
    fed: str = ""
    before: Simple | None = None


def words(text: str) -> Iterator[Word | str]:
    """Words, and operators as plain strings. An unclosed quote reaches to the end. Raises
    TooMany."""
    at, size = 0, len(text)
    parts: list[str] = []
    nested: list[str] = []
    started = quoted = False

    def finished() -> Iterator[Word]:
        nonlocal started, quoted
        if len(nested) > MOST_COMMANDS:
            raise TooMany(_MANY)
        if started:
            yield Word("".join(parts), tuple(nested), quoted)
        parts.clear()
        nested.clear()
        started = quoted = False

    while at < size:
        char = text[at]
        if text.startswith("\\\n", at):
            at += 2
        elif separator := _FIELD_SEPARATOR.match(text, at):
            yield from finished()
            at = separator.end()
        elif char in "<>$" and text.startswith("(", at + 1):
            end = _closing(text, at + 2)
            nested.append(text[at + 2 : end])
            parts.append(text[at : end + 1])
            started, at = True, end + 1
        elif operator := _OPERATORS.match(text, at):
            if operator.group() in _REDIRECTS and not quoted and "".join(parts).isdigit():
                parts.clear()  # the number of a descriptor
                started = False
            yield from finished()
            yield operator.group()
            at = operator.end()
        elif char.isspace():
            yield from finished()
            at += 1
        elif char == "#" and not started:
            at = (text.find("\n", at) + size + 1) % (size + 1)
        elif char == "`":
            end = _backtick(text, at + 1)
            nested.append(text[at + 1 : end])
            parts.append(text[at : end + 1])
            started, at = True, end + 1
        elif ansi := _ANSI_C.match(text, at):
            parts.append(_ESCAPE.sub(_unescape, ansi[1]).partition("\0")[0])
            started = quoted = True
            at = ansi.end()
        elif char == "'":
            end = text.find("'", at + 1)
            end = size if end < 0 else end
            parts.append(text[at + 1 : end])
            started = quoted = True
            at = end + 1
        elif char == '"' or (char == "$" and text.startswith('"', at + 1)):
            at = _double(text, at + (1 if char == '"' else 2), parts, nested)
            started = quoted = True
        elif char == "\\":
            parts.append(text[at + 1 : at + 2])
            started, at = True, at + 2
        elif plain := _PLAIN.match(text, at):
            parts.append(plain.group())
            started, at = True, plain.end()
        else:
            parts.append(char)
            started, at = True, at + 1
    yield from finished()


@lru_cache(maxsize=16)
def _kept_words(text: str) -> tuple[Word | str, ...]:
    """The words of a text, one more than are looked at where there are too many: what is nested in
    a command is asked for more than once. Raises TooMany."""
    return tuple(islice(words(text), _MOST_ITEMS + 1))


def simple_commands(text: str, makes: Callable[[Simple], str]) -> list[Simple]:
    """The simple commands of a line. `makes` says what is dangerous in the output of one ("" for
    nothing). Raises TooMany."""
    return _Pipelines(makes).read(text)


class _Pipelines:
    """Splits words into simple commands, and hands on what each stage of a pipeline makes."""

    def __init__(self, makes: Callable[[Simple], str]) -> None:
        self.makes = makes
        self.found: list[Simple] = []
        self.current = Simple()
        self.base = Simple()
        """What feeds the whole group that is open."""
        self.last = self.made = ""
        """What the last stage makes, and what anything in the open group makes."""
        self.outer: list[tuple[Simple, Simple, str]] = []
        self.closed: Simple | None = None
        """Stands for the group that has just ended."""
        self.piped = False

    def read(self, text: str) -> list[Simple]:
        redirect, items = "", _kept_words(text)
        if len(items) > _MOST_ITEMS:
            raise TooMany(f"it holds too many words to be checked (over {_MOST_ITEMS:,})")
        for item in items:
            if isinstance(item, str):
                redirect = item if item in _REDIRECTS else ""
                if not redirect:
                    self.operator(item)
            elif redirect:
                self.current.redirects.append((redirect, item))
                redirect = ""
            elif item.text in _BRACKETS and not item.quoted and self.begins(item.text):
                self.operator(_BRACKETS[item.text])
            else:
                self.current.words.append(item)
                self.piped = False
        self.end()
        return self.found

    def begins(self, bracket: str) -> bool:
        """Whether a command may begin here: also behind the name of a function."""
        words = self.current.words
        return not words or (bracket == "{" and words[0].text == "function")

    def operator(self, operator: str) -> None:
        if operator == "\n" and self.piped:
            return
        if operator in ("(", "{"):
            into = _as_fed(self.current)
            self.end()
            self.outer.append((self.base, into, self.made))
            self.base, self.made = into, ""
            self.current = _as_fed(into)
            return
        before = self.end() or self.closed
        self.closed = None
        if operator in (")", "}"):
            made = self.made
            self.base, into, self.made = (
                self.outer.pop() if self.outer else (Simple(), Simple(), "")
            )
            self.made, self.last = self.made or made, made
            self.current = _as_fed(into)
            self.closed = Simple([Word("a group of commands")])
        elif operator in ("|", "|&"):
            self.current = Simple(fed=self.current.fed or self.last, before=before)
            self.piped = True
        else:
            self.current, self.last = _as_fed(self.base), ""

    def end(self) -> Simple | None:
        """Close the simple command; what follows in the same pipeline is fed as it was."""
        command = self.current
        self.piped = False
        self.current = Simple(fed=command.fed)
        if not command.words and not command.redirects:
            return None
        if len(self.found) == MOST_COMMANDS:
            raise TooMany(_MANY)
        self.found.append(command)
        self.last = self.makes(command)
        self.made = self.made or self.last
        return command


def _as_fed(simple: Simple) -> Simple:
    """A command without words that reads what `simple` does."""
    return Simple(fed=simple.fed, before=simple.before)


def _unescape(found: re.Match[str]) -> str:
    """What an escape in `$'…'` stands for."""
    hexadecimal, octal, other = found.groups()
    if other is not None:
        return _LETTERS.get(other, other)
    code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
    return chr(code) if code <= sys.maxunicode else ""


def _closing(text: str, at: int) -> int:
    """Where the parenthesis that is open at `at` closes (the end, if it does not). Raises
    TooMany."""
    depth = 1
    while found := _NOT_PLAIN.search(text, at):
        if depth > _DEEPEST:
            raise TooMany(f"it is nested too deeply to be checked (over {_DEEPEST})")
        char, at = found.group(), found.start()
        if char == "\\":
            at += 1
        elif char == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        elif char == '"':
            at = _double(text, at + 1, [], []) - 1
        else:
            depth += 1 if char == "(" else -1
            if not depth:
                return at
        at += 1
    return len(text)


def _backtick(text: str, at: int) -> int:
    while at < len(text) and text[at] != "`":
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))


def _double(text: str, at: int, parts: list[str], nested: list[str]) -> int:
    """Read a double-quoted stretch that begins at `at`; returns where it ends, behind the quote."""
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and text[at + 1 : at + 2] in _ESCAPED_IN_QUOTES:
            parts.append(text[at + 1 : at + 2].strip("\n"))
            at += 2
        elif text.startswith("$(", at):
            end = _closing(text, at + 2)
            nested.append(text[at + 2 : end])
            parts.append(text[at : end + 1])
            at = end + 1
        elif text[at] == "`":
            end = _backtick(text, at + 1)
            nested.append(text[at + 1 : end])
            parts.append(text[at : end + 1])
            at = end + 1
        else:
            parts.append(text[at])
            at += 1
    return at + 1


def substitutions(text: str) -> list[str]:
    """The commands in a text that the shell expands as a whole, whatever quotes stand in it."""
    found: list[str] = []
    at = 0
    while at < len(text):
        at = _double(text, at, [], found)
    return found


_ESCAPED_IN_QUOTES: Final = frozenset('$`"\\\n')
_ASSIGNMENT: Final = late.pattern(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE: Final = late.pattern(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)[^{}]*\})")
_ECHO: Final = late.pattern(r"\$\(echo ([^$()`]+)\)|`echo ([^$()`]+)`")
_PARTS: Final = late.pattern(r"(?:\$\((?:[^()]|\([^()]*+\))*+\)|`[^`]*+`|\S)++")
"""The words of a value: a command in it is part of one."""
_DECLARES: Final = word_set("export readonly declare local typeset do then else")
"""Words behind which a value may be set."""
_MOST: Final = 20
"""Values of one variable, and words that one word becomes."""


class ShellValues:
    """Learns from each simple command, in the order in which they stand. What values make of words
    is taken from `budget`: a few letters may double a value as often as they like."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._values: dict[str, tuple[str, ...]] = {}

    def fill(self, simple: Simple) -> None:
        """Put the values that are known into `simple`; what it sets itself is known from now on.
        Raises TooMany."""
        simple.words = [one for word in simple.words for one in self._filled(word)]
        simple.redirects = [
            (operator, one)
            for operator, word in simple.redirects
            for one in self._filled(replace(word, quoted=True))
        ]
        self._learn([word.text for word in simple.words])

    def _learn(self, texts: list[str]) -> None:
        if texts[1:2] == ["in"]:  # the head of a loop
            self._values[texts[0]] = tuple(texts[2 : 2 + _MOST])
        for text in texts:
            found = _ASSIGNMENT.fullmatch(text)
            if found:
                self._values[found[1]] = (found[2],)
            elif text not in _DECLARES and not text.startswith("-"):
                return

    def _filled(self, word: Word) -> Iterator[Word]:
        """The word as it may be: one for each value of its variables."""
        if "$" not in word.text and "`" not in word.text:
            return iter((word,))
        texts = [_ECHO.sub(lambda found: found[1] or found[2], word.text)]
        for found in {found[0]: found for found in _VARIABLE.finditer(texts[0])}.values():
            known = self._values.get(found[1] or found[2])
            if known is not None:
                texts = [self._put(found[0], value, text) for text in texts for value in known][
                    :_MOST
                ]
        if texts == [word.text]:
            return iter((word,))
        whole = texts if word.quoted else [part for text in texts for part in _PARTS.findall(text)]
        return (Word(text, word.nested, word.quoted) for text in whole)

    def _put(self, variable: str, value: str, text: str) -> str:
        self._budget.take(len(text) + len(value) * text.count(variable))
        return text.replace(variable, value)
