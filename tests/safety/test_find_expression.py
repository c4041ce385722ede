"""What is known of an expression of `find`, against what `find` itself finds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_tui.safety.shell import find_expression
from agent_tui.safety.shell.find_expression import Entry

FILES = (".git/HEAD", ".git/refs/heads/main", ".git/objects/ab/cd", "src/app.py", "src/x.pyc", "a")

EXPRESSIONS = r"""
-name .git
-name *.py -o -name HEAD
! -name *.py
-not ( -name HEAD -o -name main ) -type f
( -name HEAD , -name main )
-type d -name .git -prune -o -type f
-path ./.git -prune -o -name *
-path ./.git/* -o -false
-not -path ./.git/* -type f
-maxdepth 1 -name .*
-mindepth 3 -type f,d
-iname head -true
-type l -o -name a
-regex .*\.\(py\|pyc\)
-regextype posix-extended -regex .*\.(py|pyc)$
! ! -name main
-type f -a ! -path */refs/* -o -name src
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("found")
    for name in FILES:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("x")
    return place


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_it_reaches_what_find_finds(folder: Path, expression: str) -> None:
    words = expression.split()
    split = words.index("-o") + 1 if "-prune" in words else 0
    acted = [*words[:split], "(", *words[split:], ")", "-print"]
    found = subprocess.run(
        ["find", ".", *acted], cwd=folder, capture_output=True, text=True, check=True
    )
    names = sorted(folder.rglob("*"))
    said = set[str]()
    for path in names:
        inner = path.relative_to(folder)
        above = [Entry(f"./{one}", len(one.parts), True) for one in reversed(inner.parents[:-1])]
        entry = Entry(f"./{inner}", len(inner.parts), path.is_dir())
        if find_expression.find_loss(acted, entry, above, lambda name, _: name == "-print"):
            said.add(entry.path)
    assert said == set(found.stdout.split()) - {"."}


@pytest.mark.parametrize("test", ["-mtime +3", "-newer x", "-size +1k", "-user ann", "-name $x"])
def test_what_is_not_known_may_be(test: str) -> None:
    entry = Entry("./.git/HEAD", 2)
    for words in (test.split(), ["!", *test.split()]):
        assert find_expression.find_loss([*words, "-delete"], entry, (), lambda *_: 1)


ALL = r"""
-delete
-type f -user ann
-maxdepth 1 -mindepth 1
-name *
-not -name .git -not -path ./.git/*
-path ./.git -prune -o -print
( -name .git -prune ) -o -type f
! ( -name .git -o -name .github )
-type d -o -type f -name *.py
"""
CHOSEN = r"""
-name *.pyc
-empty
-type l
-mtime +3
-not -newer x
-name *.bak -not -name keep.bak
-path ./.git -prune -o -name *.pyc -print
-not ( -not -name *.pyc )
-name .git
-type f -type d
"""


@pytest.mark.parametrize(
    ("expression", "is_all"),
    [(one, lines is ALL) for lines in (ALL, CHOSEN) for one in lines.strip().splitlines()],
)
def test_all_or_chosen(expression: str, is_all: bool) -> None:
    taking = ("-print", "-delete")
    found = find_expression.finds_all([".", *expression.split()], lambda name, _: name in taking)
    assert found == is_all
