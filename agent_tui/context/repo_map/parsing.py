"""The definitions of one file: Python by its own parser, others by tree-sitter where the grammar is
installed, else by the tokens that Pygments finds."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agent_tui.context.repo_map.grammars import GRAMMARS, find_parser, parse_tags
from agent_tui.context.repo_map.tags import (
    Made,
    Tag,
    guess_tags,
    language_of,
    make_tag,
    outermost,
    word_set,
)

if TYPE_CHECKING:
    from pygments.token import _TokenType

PYTHON: Final = 60_000
"""Characters of Python that are parsed: nothing else runs meanwhile."""
OTHERS: Final = 120_000
"""The same of other languages. Of a longer file patterns find the definitions."""
_EVERY: Final = 200
"""Tokens between two looks at whether somebody still waits."""


def best_way(path: str) -> Made:
    """How the definitions of a file are found here, as good as it can be done."""
    language = language_of(path)
    if language == "python":
        return "ast"
    return "tree-sitter" if find_parser(language) is not None else "pygments"


def wants_extra(path: str) -> bool:
    """Whether the extra `map` would read this file better."""
    language = language_of(path)
    return language in GRAMMARS and find_parser(language) is None


def find_tags(path: str, text: str, check: Callable[[], None]) -> tuple[Tag, ...]:
    """What a file defines, by line. `check` raises where nobody waits any more."""
    language, lines = language_of(path), text.splitlines()
    parser = find_parser(language) if len(text) <= OTHERS else None
    if parser is not None:
        return _sorted(parse_tags(parser, text, lines, check))
    if language == "python" and len(text) <= PYTHON:
        try:
            with warnings.catch_warnings():  # a bad escape in somebody's string
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
            return _sorted(_python(tree.body, lines, 0))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return guess_tags(text, language)
    if language != "python" and len(text) <= OTHERS:
        found = _sorted(_by_tokens(path, text, lines, check))
        return found or guess_tags(text, language)
    return guess_tags(text, language)


def _sorted(tags: Iterable[Tag]) -> tuple[Tag, ...]:
    by_line = dict[int, Tag]()
    for tag in tags:
        by_line.setdefault(tag.line, tag)
    return outermost(by_line[line] for line in sorted(by_line))


def _python(body: Sequence[ast.stmt], lines: Sequence[str], depth: int) -> Iterator[Tag]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield make_tag(lines, node.lineno, node.name, "class", depth)
            yield from _python(node.body, lines, depth + 1)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield make_tag(lines, node.lineno, node.name, "function", depth)
        elif isinstance(node, ast.If | ast.Try) and not depth:
            yield from _python(node.body, lines, depth)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not depth:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and not target.id.startswith("__"):
                    yield make_tag(lines, node.lineno, target.id, "constant")


_KEYWORDS: Final = word_set(
    "def defp defmodule class func fun fn function sub struct interface trait enum union type "
    "module mod namespace object protocol record macro message service contract"
)
_FUNCTIONS: Final = word_set("def defp func fun fn function sub macro")


def _by_tokens(
    path: str, text: str, lines: Sequence[str], check: Callable[[], None]
) -> Iterator[Tag]:
    """A name that a lexer takes for that of a class or function, where a line begins with it or
    with a word that defines; comments and strings are out of the way."""
    from pygments.token import Token

    from agent_tui.structures.lexing import find_lexer

    lexer = find_lexer(path.rpartition("/")[2])
    if lexer is None:
        return
    line, keyword, last = 1, "", ""
    for number, (kind, value) in enumerate(lexer.get_tokens(text)):
        if number % _EVERY == 0:
            check()
        bare = value.strip()
        if bare and bare != "self" and not _is(kind, Token.Comment):
            if _is(kind, Token.Name) and keyword and not keyword.endswith("("):
                is_function = keyword in _FUNCTIONS
                yield make_tag(lines, line, bare, "function" if is_function else "class")
            elif _is(kind, Token.Name.Class):
                yield make_tag(lines, line, bare, "class")
            elif _is(kind, Token.Name.Function) and _is_definition(lines[line - 1], last):
                yield make_tag(lines, line, bare, "function")
            keyword = _keyword(bare, keyword)
            last = bare
        line += value.count("\n")


def _keyword(bare: str, before: str) -> str:
    """The word that defines what comes next. Go names the receiver of a method in between, in
    brackets, and Ruby the class."""
    if before.endswith("("):
        return before[:-1] if bare == ")" else before
    if bare.lower() in _KEYWORDS:
        return bare.lower()
    if before in _FUNCTIONS and bare == "(":
        return f"{before}("
    return before if before in _FUNCTIONS and bare in ("*", ".") else ""


def _is(kind: _TokenType, of: _TokenType) -> bool:
    return kind in of  # type: ignore[comparison-overlap]  # it takes itself for a tuple of strings


def _is_definition(line: str, before: str) -> bool:
    """Some lexers take calls for functions, too: those end in a semicolon, or follow a dot."""
    return before not in (".", "->", "=", "(", ",", "return") and not line.rstrip().endswith(
        (";", ",")
    )
