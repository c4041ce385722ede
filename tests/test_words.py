"""Words that a person reads: the riddles that were in them once do not come back, and hints read
alike."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "agent_tui").rglob("*.py"))
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("skills/**/*.md")])
RIDDLES = re.compile(
    r"nobody (listens|who)|there is nobody|does not answer while|is told from|came whole|what came (is|was) kept"
    r"|\b(begins?|made) anew\b|\bwhoever\b|wants a key|went silent|gave up waiting|written nowhere|\bor else\b"
    r"|\belse\b[^.;|`]*\belse\b|\bone's own\b|\bunasked\b|by its measure|in the midst|\blikes\b(?=[.;,)]|$)"
    r"|(?<!there )\bis no (model|setting|address|key|file|folder|time|name|text)\b",
    re.IGNORECASE,
)
"""Phrasings that a reader with English as a second language reads twice."""


def strings(tree: ast.AST) -> Iterator[str]:
    """The texts of a module but for its docstrings; what is put into a text is `{}`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        yield from strings(node)


def prose(page: Path) -> str:
    """The text of a page without its examples."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def hints(tree: ast.AST) -> Iterator[str]:
    """What a provider's failure says to do, where it is written out."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", "") == "Failed"
            and len(node.args) > 2
        ):
            yield from strings(ast.Tuple([node.args[2]]))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_of_the_program_is_a_riddle(path: Path) -> None:
    texts = strings(ast.parse(path.read_text(encoding="utf-8")))
    assert [text for text in texts if " " in text and RIDDLES.search(text)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_line_of_the_documents_is_a_riddle(page: Path) -> None:
    assert [line for line in prose(page).splitlines() if RIDDLES.search(line)] == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "agent_tui" / "providers").glob("*.py")), ids=lambda path: path.name
)
def test_what_to_do_about_a_failure_follows_its_text(path: Path) -> None:
    for hint in hints(ast.parse(path.read_text(encoding="utf-8"))):
        assert not hint.endswith(".") and not hint[:1].isupper(), hint


def test_a_riddle_is_found() -> None:
    tree = ast.parse(
        'def f():\n    """Nobody listens."""\n    return f"{f}: nobody listens there"\n'
    )
    assert any(RIDDLES.search(text) for text in strings(tree))
    assert not RIDDLES.search("no server answers there: start it, or correct the address")
