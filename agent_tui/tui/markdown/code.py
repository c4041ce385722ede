"""Code to lines of styled runs. Pygments is imported with the first code that is drawn.

Lines that are finished are lexed once (`_finished`): while code is streamed, each drawing lexes what is new, from the
state that the lines before it ended in.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from agent_tui.structures.frozen import frozen
from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.chop import GOES_ON, chop
from agent_tui.tui.markdown.lines import Cells, Line, Segment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_tui.tui.markdown.lexing import State, Stepper

CodeLines = tuple[tuple[Segment, ...], ...]

TAB: Final = 4
LONGEST: Final = 2_000
"""A line with more characters than this is not highlighted (lexers are slow on minified files)."""
REMEMBERED: Final = 64
"""Pieces of code whose finished lines are kept: those being written, and those just cut."""
LONGEST_NAME: Final = 100
"""Characters of the name of a language or a file that are looked at."""

_KINDS: Final = (
    ("Token.Comment.Preproc", "code.meta"), ("Token.Comment.Hashbang", "code.comment"),
    ("Token.Comment", "code.comment"), ("Token.Keyword.Type", "code.type"), ("Token.Keyword", "code.keyword"),
    ("Token.Operator.Word", "code.keyword"), ("Token.Operator", "code.operator"),
    ("Token.Name.Decorator", "code.meta"), ("Token.Name.Function", "code.name"), ("Token.Name.Class", "code.name"),
    ("Token.Name.Tag", "code.keyword"), ("Token.Name.Attribute", "code.name"), ("Token.Name.Builtin", "code.type"),
    ("Token.Name.Exception", "code.type"), ("Token.Literal.String", "code.string"),
    ("Token.Literal.Number", "code.number"), ("Token.Generic.Inserted", "code.added"),
    ("Token.Generic.Deleted", "code.removed"), ("Token.Generic.Heading", "code.heading"),
    ("Token.Generic.Subheading", "code.heading"), ("Token.Generic.Prompt", "code.comment"),
)  # fmt: skip


@lru_cache(512)
def _style_of(token_type: Any) -> str:
    name = str(token_type)
    for prefix, style in _KINDS:
        if name == prefix or name.startswith(prefix + "."):
            return style
    return "code.text"


@lru_cache(64)
def _lexer(language: str) -> Any | None:
    """A Pygments lexer by the name of a language or of a file; None where there is none."""
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    language = language[-LONGEST_NAME:]  # the end decides; Pygments compares with a thousand names, each time anew
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
    """The endings of file names that one lexer alone claims, and its name. Pygments compiles 900 patterns for it."""
    from pygments.lexers import LEXERS

    claims: dict[str, set[str]] = {}
    for _, _, names, patterns, _ in LEXERS.values():
        for pattern in patterns:
            ending = pattern.removeprefix("*.")
            if ending.isalnum() and ending != pattern:
                claims.setdefault(ending, set()).update(names[:1])
    return {ending: names.pop() for ending, names in claims.items() if len(names) == 1}


def plain(code: str) -> CodeLines:
    return tuple((Segment(line, "code.text"),) if line else () for line in code.split("\n"))


@frozen
class _Finished:
    """Lines of `code`, which ends with a newline or is empty, and the lexer's state after them."""

    code: str
    lines: CodeLines
    state: State


_kept: dict[tuple[str, tuple[str, ...]], _Finished] = {}
"""By language and what precedes; the last used last."""


@lru_cache(256)
def highlight(code: str, language: str, before: tuple[str, ...] = ()) -> CodeLines:
    """The lines of `code`, each as runs. `language`: a name (`python`) or a file name (`a.py`); else it stays plain.

    `before`: what precedes `code`, in parts of whole lines; what it leaves open (a comment, a string) goes on.
    """
    lexer = _lexer(language) if language else None
    stepper = None if lexer is None else _stepper(language)
    if stepper is None:
        return _at_once(code, lexer)
    finished, newline, last = code.rpartition("\n")
    done = _finished(stepper, language, before, finished + newline)
    return (*done.lines, *_stepped(stepper, last, done.state)[0])


def prepared(language: str) -> bool:
    """Whether the first `highlight` of that language will be as quick as all others: True, unless nobody knows it."""
    lexer = _lexer(language)
    return lexer is not None and _stepper(language) is not None


def _stepper(language: str) -> Stepper | None:
    from agent_tui.tui.markdown.lexing import steps

    return steps(_lexer(language))


def _finished(stepper: Stepper, language: str, before: tuple[str, ...], code: str) -> _Finished:
    """The finished lines `code` after `before`; only those are lexed that were not at the last call."""
    kept = _kept.pop((language, before), None)
    if kept is None or not code.startswith(kept.code):
        kept = _Finished("", (), _state_after(stepper, language, before))
    if len(code) > len(kept.code):
        lines, state = _stepped(stepper, code[len(kept.code) : -1], kept.state)
        kept = _Finished(code, kept.lines + lines, state)
    _kept[language, before] = kept
    if len(_kept) > REMEMBERED:
        del _kept[next(iter(_kept))]
    return kept


def _state_after(stepper: Stepper, language: str, before: tuple[str, ...]) -> State:
    from agent_tui.tui.markdown.lexing import State

    known = len(before)
    while known and (language, before[: known - 1]) not in _kept:
        known -= 1
    state = State()
    for part in range(max(0, known - 1), len(before)):
        state = _finished(stepper, language, before[:part], before[part]).state
    return state


def _stepped(stepper: Stepper, code: str, state: State) -> tuple[CodeLines, State]:
    lines: list[tuple[Segment, ...]] = []
    for line in visible(code).expandtabs(TAB).split("\n"):
        runs: list[Segment] = []
        if len(line) > LONGEST:
            runs.append(Segment(line, "code.text"))
        else:
            tokens, state = stepper.line(line + "\n", state)
            for kind, value in tokens:
                if text := value.rstrip("\n"):
                    _push(runs, text, _style_of(kind))
        lines.append(tuple(runs))
    return tuple(lines), state


def _at_once(code: str, lexer: Any | None) -> CodeLines:
    """`code` by a lexer that cannot go line by line."""
    code = visible(code).expandtabs(TAB)
    if lexer is None or max(map(len, code.split("\n"))) > LONGEST:
        return plain(code)
    lines: list[tuple[Segment, ...]] = []
    line: list[Segment] = []
    tokens: Iterable[tuple[Any, str]] = lexer.get_tokens(code)
    for kind, value in tokens:
        style = _style_of(kind)
        first, *more = value.split("\n")
        if first:
            _push(line, first, style)
        for part in more:
            lines.append(tuple(line))
            line = []
            if part:
                line.append(Segment(part, style))
    lines.append(tuple(line))
    return tuple(lines)


def _push(line: list[Segment], text: str, style: str) -> None:
    """Neighbours of one look are one run: fewer segments to paint."""
    if line and (line[-1].style == style or not text.strip()):
        line[-1] = Segment(line[-1].text + text, line[-1].style)
    else:
        line.append(Segment(text, style))


def code_lines(
    code: str, language: str, width: int, cells: Cells, first: tuple[Segment, ...] = (), fill: str = "code.block",
    before: tuple[str, ...] = (),
) -> list[Line]:  # fmt: skip
    """`code` without its last newline, highlighted, broken where a line is full. `before`: as `highlight` has it."""
    result: list[Line] = []
    *outer, last = first or (Segment(""),)
    gutter = len(last.text) >= len(GOES_ON) and not last.text.strip()
    rest = (*outer, Segment(last.text[: -len(GOES_ON)] + GOES_ON, f"diff.number {last.style}")) if gutter else first
    for runs in highlight(code, language, before):
        result.extend(chop(runs, width, cells, first, rest, fill))
    return result
