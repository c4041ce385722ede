"""Code to lines of styled runs. Pygments is imported with the first code that is drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from agent_tui.structures.visible import visible
from agent_tui.tui.markdown.lines import Cells, Line, Segment, chop

if TYPE_CHECKING:
    from collections.abc import Iterable

CodeLines = tuple[tuple[Segment, ...], ...]

TAB: Final = 4
LONGEST: Final = 2_000
"""A line with more characters than this is not highlighted (lexers are slow on minified files)."""

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

    try:
        if "." in language:
            return get_lexer_for_filename(language, stripnl=False, ensurenl=False)
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def plain(code: str) -> CodeLines:
    return tuple((Segment(line, "code.text"),) if line else () for line in code.split("\n"))


@lru_cache(256)
def highlight(code: str, language: str) -> CodeLines:
    """The lines of `code`, each as runs. `language`: a name (`python`) or a file name (`a.py`); else it stays plain."""
    code = visible(code).expandtabs(TAB)
    lexer = _lexer(language) if language else None
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
    code: str, language: str, width: int, cells: Cells, first: tuple[Segment, ...] = (), fill: str = "code.block"
) -> list[Line]:
    """`code` without its last newline, highlighted, broken where a line is full."""
    result: list[Line] = []
    for runs in highlight(code, language):
        result.extend(chop(runs, width, cells, first, first, fill))
    return result
