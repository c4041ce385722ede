"""Pygments line by line: each line is lexed from the state in which the one before it ended.

So code that arrives in pieces looks as it does in one piece, and a line is lexed once. A lexer's rule sees only its own
line. What one rule matches over several lines (a comment, a here-document, a string of a shell, the script in a page)
is therefore followed here, by what ends it. Lexers that are not plain tables of rules cannot be stepped: `steps` has
none for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from pygments.lexer import DelegatingLexer, ExtendedRegexLexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, String, Whitespace, _TokenType

from agent_tui.structures.frozen import frozen

Tokens = list[tuple[Any, str]]

_OPENING: Final = re.compile(
    r"/\*|<!--|<!\[CDATA\[|<!|<\?|\(\*|\{-|\"\"\"|'''|`|(?P<quote>[\"'])"
    r"|(?:--|#)?\[(?P<level>=*)\[|<<<?[-~]?\s*[\"']?\\?(?P<word>\w+)"
)
_CLOSING: Final = {
    "/*": r"\*/", "<!--": "-->", "<![CDATA[": r"\]\]>", "<!": ">", "<?": r"\?>", "(*": r"\*\)", "{-": r"-\}",
    '"""': '"""', "'''": "'''", "`": "`", '"': r'(?:[^"\\]|\\[\s\S])*+"', "'": "[^']*'",
}  # fmt: skip
for _until in _CLOSING.values():
    re.compile(_until)  # `re` keeps it: this module is imported while nobody waits
_QUOTES_SPAN_LINES: Final = {"Bash", "HTML", "XML"}
"""Elsewhere a quote that is left open is a slip, or an apostrophe, and ends with its line."""
_WHOLE: Final = {"Markdown", "reStructuredText"}
"""Code blocks and documents inside them are each one rule over many lines, of a kind that is not followed here."""
_EMBEDDED: Final = {"script-content": ("javascript", "script"), "style-content": ("css", "style")}


@frozen
class State:
    """What the lines so far have left open."""

    stack: tuple[str, ...] = ("root",)
    until: str = ""
    """The pattern of what ends the open comment or string, of the type `kind`."""
    kind: Any = None
    inner: State | None = None
    """The state of the script or style sheet inside."""


class Stepper(RegexLexer):
    """In front of a lexer's own class: the same rules, this loop over them."""

    begun: State | None = None
    ended: State = State()
    hook: _Hook | None = None
    _tokens: dict[str, Any]

    def get_tokens_unprocessed(self, text: str, stack: Iterable[str] = ("root",)) -> Iterator[tuple[int, Any, str]]:
        state, self.begun = self.begun, None
        run = _Run(self, text, list(stack), state)
        yield from run.tokens()
        self.ended = State(tuple(run.stack), run.until, run.kind, run.inner)

    def line(self, text: str, state: State) -> tuple[Tokens, State]:
        """The tokens of `text`, a line with its newline, and the state after it."""
        self.begun = state
        tokens = list(self.get_tokens_unprocessed(text, state.stack))
        if self.hook:
            tokens = self.hook.over(text, tokens)
        return [(kind, value) for _, kind, value in tokens], self.ended


class _Hook(dict[str, Any]):
    """What a lexer does to its tokens after its rules (the types of C, the functions of Lua), done to ours.

    Stands in for the lexer's rules: whatever the state, one rule that matches all there is with the given tokens.
    """

    def __init__(self, lexer: Any) -> None:
        super().__init__()
        self.lexer, self.size, self.asked = lexer, 0, False
        self.tokens: list[tuple[int, Any, str]] = []
        lexer._tokens = self

    def __missing__(self, state: str) -> Any:
        return [(self._match, self._action, None)]

    def __bool__(self) -> bool:
        return True

    def _match(self, _: str, position: int) -> _Hook | None:
        self.asked = True
        return self if position < self.size else None

    def _action(self, *_: Any) -> Iterator[tuple[int, Any, str]]:
        return iter(self.tokens)

    def end(self) -> int:
        """As a match has it."""
        return self.size

    def over(self, text: str, tokens: list[tuple[int, Any, str]]) -> list[tuple[int, Any, str]]:
        self.size, self.tokens = len(text), tokens
        return list(self.lexer.get_tokens_unprocessed(text))


class _Run:
    """One line on its way through the rules. `state` is None for a part that a rule hands to its own lexer."""

    def __init__(self, lexer: Stepper, text: str, stack: list[str], state: State | None) -> None:
        self.lexer, self.text, self.stack = lexer, text, stack
        self.until = state.until if state else ""
        self.kind: Any = state.kind if state else None
        self.inner = state.inner if state else None
        self.embeds = state is not None and lexer.name == "HTML"
        quotes = lexer.name in _QUOTES_SPAN_LINES
        found = _OPENING.finditer(text) if state is not None else ()
        self.openings = {m.start(): m for m in found if quotes or not m["quote"]}

    def tokens(self) -> Iterator[tuple[int, Any, str]]:
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
                    if type(action) is _TokenType:
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

    def _go(self, new_state: Any) -> None:
        """As Pygments does: states to push, the number of states to drop, or the newest one again."""
        stack = self.stack
        if isinstance(new_state, int):
            del stack[1 if abs(new_state) >= len(stack) else new_state :]
        elif new_state is not None:
            for state in (new_state,) if isinstance(new_state, str) else new_state:
                if state == "#pop":
                    del stack[max(1, len(stack) - 1) :]
                else:
                    stack.append(stack[-1] if state == "#push" else state)

    def _opens(self, position: int, rules: Any) -> bool:
        """Whether a comment or string begins here that this line does not end, and the rules know as one thing."""
        opening = self.openings[position]
        begin, word, level = opening.group(), opening["word"], opening["level"]
        until = rf"\b{word}\b" if word else _CLOSING.get(begin, rf"\]{level}\]")
        closed = f"{word}\n" if word else opening["quote"] or until.replace("\\", "")
        whole = f"{self.text}x\n{closed}"
        if re.compile(until).search(self.text, opening.end()):
            return False
        for match, action, new_state in rules:
            if m := match(whole, position):
                kind = action if type(action) is _TokenType else String if word else Error
                if m.end() < len(whole) - bool(word) or not (kind in Comment or kind in String):  # type: ignore[comparison-overlap]
                    return False
                self.until, self.kind = until, kind
                self._go(new_state)
                return True
        return False

    def _embedded(self, position: int) -> tuple[list[tuple[int, Any, str]], int]:
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
def steps(lexer: Any) -> Stepper | None:
    """A lexer like `lexer` that goes line by line; None where there can be none."""
    base: Any = type(lexer)
    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer | DelegatingLexer):
        return None
    if base.name in _WHOLE or getattr(base, "token_variants", False):
        return None
    made: Any = type(base)(base.__name__, (Stepper, base), {"_tokens": base._tokens})
    stepper: Stepper = made(stripnl=False, ensurenl=False)
    if base.get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        stepper.hook = _Hook(base())
        if not stepper.line("x\n", State())[0] or not stepper.hook.asked:
            return None  # a loop of its own, that cannot begin in the middle
    return stepper


@lru_cache(8)
def _inside(language: str) -> Stepper | None:
    return steps(get_lexer_by_name(language))
