"""Pygments line by line: each line is lexed from the state in which the one before it ended.

So code that arrives in pieces looks as it does in one piece, and a line is lexed once. A lexer's
rule sees only its own line. What one rule matches over several lines (a comment, a here-document, a
string of a shell, the script in a page) is therefore followed here, by what ends it. Lexers that
are not plain tables of rules cannot be stepped: `steps` has none for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cache, lru_cache
from typing import Any, Final

from pygments.lexer import DelegatingLexer, ExtendedRegexLexer, Lexer, RegexLexer
from pygments.lexers import LEXERS, get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, String, Whitespace, _TokenType
from pygments.util import ClassNotFound

from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import visible

Tokens = list[tuple[_TokenType, str]]
_Placed = tuple[int, _TokenType, str]
"""A token, and where it begins."""
_Rule = tuple[
    Callable[[str, int], "re.Match[str] | None"],
    "_TokenType | Callable[[RegexLexer, re.Match[str]], Iterator[_Placed]] | None",
    "int | str | tuple[str, ...] | None",
]
"""What it matches, what that is (or who says it), and the state after it."""

TAB: Final = 4
LONGEST: Final = 2_000
"""A line with more characters than this is not lexed (lexers are slow on minified files)."""
LONGEST_NAME: Final = 100
"""Characters of the name of a language or a file that are looked at."""
DEEPEST: Final = 64
"""Things open in each other up to which the lines that opened them are told: more is no code that a
person wrote."""
FOLLOWED: Final = 150_000
"""Characters above a place that are lexed to find what is open there: about a fifth of a second."""

_OPENING: Final = re.compile(
    r"/\*|<!--|<!\[CDATA\[|<!|<\?|\(\*|\{-|\"\"\"|'''|`|(?P<quote>[\"'])"
    r"|(?:--|#)?\[(?P<level>=*)\[|<<<?[-~]?\s*[\"']?\\?(?P<word>\w+)"
)
_CLOSING: Final = {
    "/*": r"\*/",
    "<!--": "-->",
    "<![CDATA[": r"\]\]>",
    "<!": ">",
    "<?": r"\?>",
    "(*": r"\*\)",
    "{-": r"-\}",
    '"""': '"""',
    "'''": "'''",
    "`": "`",
    '"': r'(?:[^"\\]|\\[\s\S])*+"',
    "'": "[^']*'",
}
for _until in _CLOSING.values():
    re.compile(_until)  # `re` keeps it: this module is imported while nobody waits
_QUOTES_SPAN_LINES: Final = {"Bash", "HTML", "XML"}
"""Elsewhere a quote that is left open is a slip, or an apostrophe, and ends with its line."""
_WHOLE: Final = {"Markdown", "reStructuredText"}
"""Code blocks and documents inside them are each one rule over many lines, of a kind that is not
followed here."""
_EMBEDDED: Final = {"script-content": ("javascript", "script"), "style-content": ("css", "style")}


@frozen
class State:
    """What the lines so far have left open."""

    stack: tuple[str, ...] = ("root",)
    until: str = ""
    """The pattern of what ends the open comment or string, of the type `kind`."""
    kind: _TokenType = Error
    inner: State | None = None
    """The state of the script or style sheet inside."""


Opening = tuple[tuple[str, State], ...]
"""Lines that opened what is still open after the last of them, each with the state after it."""


class Stepper(RegexLexer):
    """In front of a lexer's own class: the same rules, this loop over them. It keeps nothing from
    line to line, so that several threads may use one."""

    hooked: RegexLexer | None = None
    """A lexer of the same kind that goes over our tokens in its own way (see `_Hook`), if it does.
    """
    _tokens: dict[str, list[_Rule]]

    def get_tokens_unprocessed(
        self, text: str, stack: Iterable[str] = ("root",)
    ) -> Iterator[_Placed]:
        yield from _Run(self, text, list(stack), None).tokens()

    def line(self, text: str, state: State) -> tuple[Tokens, State]:
        """The tokens of `text`, a line with its newline, and the state after it."""
        run = _Run(self, text, list(state.stack), state)
        tokens = list(run.tokens())
        if self.hooked:
            tokens = _Hook(self.hooked, text, tokens).go_over()
        return [(kind, value) for _, kind, value in tokens], State(
            tuple(run.stack), run.until, run.kind, run.inner
        )

    def follow(self, lines: Iterable[str], opening: Opening = ()) -> Opening:
        """The opening after `lines`, which come after `opening`.

        A line that leaves the state as it was changes nothing below it, nor do lines that lead back
        to an earlier one. So what remains is short (the first line of a string, the heads of the
        blocks around a place), and who reads only that is in the same state as who reads
        everything.
        """
        path = {State(): "", **{state: line for line, state in opening}}
        state = next(reversed(path))
        for line in lines:
            if len(line) > LONGEST:
                continue
            _, after = self.line(f"{prepare_code(line)}\n", state)
            if after in path:
                while next(reversed(path)) != after:
                    path.popitem()
            elif len(path) > DEEPEST or len(after.stack) > DEEPEST:
                return ()
            else:
                path[after] = line
            state = after
        return tuple((line, state) for state, line in path.items())[1:]


class _Hook(dict[str, Any]):
    """What a lexer does to its tokens after its rules (the types of C, the functions of Lua), done
    to ours.

    Stands in for the lexer's rules: whatever the state, one rule that matches all of `text` with
    the given tokens.
    """

    def __init__(self, lexer: RegexLexer, text: str, tokens: list[_Placed]) -> None:
        super().__init__()
        self.lexer, self.text, self.tokens, self.asked = copy(lexer), text, tokens, False
        self.lexer.__dict__["_tokens"] = self

    def __missing__(self, state: str) -> object:
        return [(self._match, self._action, None)]

    def __bool__(self) -> bool:
        return True

    def _match(self, _: str, position: int) -> _Hook | None:
        self.asked = True
        return self if position < self.end() else None

    def _action(self, *_: object) -> Iterator[_Placed]:
        return iter(self.tokens)

    def end(self) -> int:
        """As a match has it."""
        return len(self.text)

    def go_over(self) -> list[_Placed]:
        return list(self.lexer.get_tokens_unprocessed(self.text))


class _Run:
    """One line on its way through the rules. `state` is None for a part that a rule hands to its
    own lexer."""

    def __init__(self, lexer: Stepper, text: str, stack: list[str], state: State | None) -> None:
        self.lexer, self.text, self.stack = lexer, text, stack
        self.until = state.until if state else ""
        self.kind = state.kind if state else Error
        self.inner = state.inner if state else None
        self.embeds = state is not None and lexer.name == "HTML"
        quotes = lexer.name in _QUOTES_SPAN_LINES
        found = _OPENING.finditer(text) if state is not None else ()
        self.openings = {m.start(): m for m in found if quotes or not m["quote"]}

    def tokens(self) -> Iterator[_Placed]:
        rules, text, position = self.lexer._tokens, self.text, 0
        while position < len(text):
            if self.until:
                closing = re.compile(self.until).search(text, position)
                end = closing.end() if closing else len(text)
                yield position, self.kind, text[position:end]
                position, self.until = end, "" if closing else self.until
                continue
            if self.embeds and self.stack[-1] in _EMBEDDED:
                tokens, end = self._embedded(position)
                yield from tokens
                if end > position:
                    position = end
                    continue
            if position in self.openings and self._opens(position, rules[self.stack[-1]]):
                yield position, self.kind, text[position:]
                return
            for match, action, new_state in rules[self.stack[-1]]:
                if m := match(text, position):
                    if isinstance(action, _TokenType):
                        yield position, action, m.group()
                    elif action is not None:
                        yield from action(self.lexer, m)
                    position = m.end()
                    self._go(new_state)
                    break
            else:
                if text[position] == "\n":
                    self.stack = ["root"]
                yield position, Whitespace if text[position] == "\n" else Error, text[position]
                position += 1

    def _go(self, new_state: int | str | tuple[str, ...] | None) -> None:
        """As Pygments does: states to push, the number of states to drop, or the newest one
        again."""
        stack = self.stack
        if isinstance(new_state, int):
            del stack[1 if abs(new_state) >= len(stack) else new_state :]
        elif new_state is not None:
            for state in (new_state,) if isinstance(new_state, str) else new_state:
                if state == "#pop":
                    del stack[max(1, len(stack) - 1) :]
                else:
                    stack.append(stack[-1] if state == "#push" else state)

    def _opens(self, position: int, rules: list[_Rule]) -> bool:
        """Whether a comment or string begins here that this line does not end, and the rules know
        as one thing."""
        opening = self.openings[position]
        begin, word, level = opening.group(), opening["word"], opening["level"]
        until = rf"\b{word}\b" if word else _CLOSING.get(begin, rf"\]{level}\]")
        closed = f"{word}\n" if word else opening["quote"] or until.replace("\\", "")
        whole = f"{self.text}x\n{closed}"
        if re.compile(until).search(self.text, opening.end()):
            return False
        for match, action, new_state in rules:
            if m := match(whole, position):
                kind = action if isinstance(action, _TokenType) else String if word else Error
                if m.end() < len(whole) - bool(word) or not (kind in Comment or kind in String):  # type: ignore[comparison-overlap]
                    return False
                self.until, self.kind = until, kind
                self._go(new_state)
                return True
        return False

    def _embedded(self, position: int) -> tuple[list[_Placed], int]:
        """The script or style sheet from `position` on, and where it ends."""
        language, tag = _EMBEDDED[self.stack[-1]]
        closing = re.compile(rf"<\s*/\s*{tag}\s*>", re.IGNORECASE).search(self.text, position)
        end = closing.start() if closing else len(self.text)
        inside = _inside(language)
        if inside is None or end == position:
            self.inner = None
            return [], position
        tokens, self.inner = inside.line(self.text[position:end], self.inner or State())
        if closing:
            self.inner = None
        return [(position, kind, value) for kind, value in tokens], end


@lru_cache(64)
def steps(lexer: Lexer) -> Stepper | None:
    """A lexer like `lexer` that goes line by line; None where there can be none."""
    base: Any = type(lexer)
    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer | DelegatingLexer):
        return None
    if base.name in _WHOLE or getattr(base, "token_variants", False):
        return None
    made: Any = type(base)(base.__name__, (Stepper, base), {"_tokens": base._tokens})
    stepper: Stepper = made(stripnl=False, ensurenl=False)
    if base.get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        stepper.hooked = base()
        hook = _Hook(stepper.hooked, "x\n", [(0, Whitespace, "x\n")])
        if not hook.go_over() or not hook.asked:
            return None  # a loop of its own, that cannot begin in the middle
    return stepper


@lru_cache(64)
def find_lexer(language: str) -> Lexer | None:
    """A Pygments lexer by the name of a language or of a file; None where there is none."""
    language = language[
        -LONGEST_NAME:
    ]  # the end decides; Pygments compares with a thousand names, each time anew
    try:
        _, dot, ending = language.rpartition(".")
        name = _endings().get(ending) if dot else language.lower()
        if name is None:
            return get_lexer_for_filename(language, stripnl=False, ensurenl=False)
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _endings() -> dict[str, str]:
    """The endings of file names that one lexer alone claims, and its name. Pygments compiles 900
    patterns for it."""
    claims: dict[str, set[str]] = {}
    for _, _, names, patterns, _ in LEXERS.values():
        for pattern in patterns:
            ending = pattern.removeprefix("*.")
            if ending.isalnum() and ending != pattern:
                claims.setdefault(ending, set()).update(names[:1])
    return {ending: names.pop() for ending, names in claims.items() if len(names) == 1}


def prepare_code(code: str) -> str:
    """`code` as it is lexed and drawn: control characters visible, tabs as blanks."""
    return visible(code).expandtabs(TAB)


def find_stepper(language: str) -> Stepper | None:
    """A lexer by the name of a language or of a file, that goes line by line; None where there is
    none."""
    return steps(find_lexer(language)) if language else None


def find_opening(language: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The lines among `lines` that opened what is still open below them; none where that is too
    much to look for."""
    stepper = find_stepper(language)
    if stepper is None or sum(map(len, lines)) > FOLLOWED:
        return ()
    return opening_lines(stepper.follow(lines))


def opening_lines(opening: Opening) -> tuple[str, ...]:
    return tuple(line for line, _ in opening)


@lru_cache(8)
def _inside(language: str) -> Stepper | None:
    return steps(get_lexer_by_name(language))
