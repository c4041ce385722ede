from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.protocol.display import Entry, ListingDisplay
from agent_tui.tools.base import ToolFailure
from agent_tui.tools.glob_files import TOOL
from agent_tui.tools.support.walk import Glob
from tests.tools.context import Context, call


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("./*.py", "src/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("src/**", "src/x/y", True),
        ("src/**", "src", False),
        ("src/", "src/x/y", True),
        ("**/x/**/y", "a/x/b/x/c/y", True),
        ("*.{py,md}", "b.md", True),
        ("{a,b{c,d}}.txt", "bd.txt", True),
        ("{a}", "{a}", True),
        ("[ab].py", "b.py", True),
        ("[!a].py", "a.py", False),
        ("?.py", "ab.py", False),
        ("A.py", "a.py", False),
        (".*", ".env", True),
        ("**", "a/b", True),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert Glob(pattern).matches(path) is fits


def test_patterns_that_try_to_take_for_ever_do_not() -> None:
    assert not Glob("*a" * 60 + "b").matches("a" * 250)
    assert not Glob("**/a/" * 40 + "b").matches("a/" * 90 + "a")
    for pattern in ("{a,b}" * 8, "", "   ", "/etc/*", "../*", "a/../../b", "~/x"):
        with pytest.raises(ToolFailure) as failure:
            Glob(pattern)
        assert failure.value.tag == "invalid_arguments"


def test_files_are_found_by_name_with_paths_from_the_root(tmp_path: Path) -> None:
    touch(tmp_path, "src/app.py", "src/deep/b.py", "src/a.txt", "top.py")
    context = Context(tmp_path)
    result = call(TOOL, context, pattern="**/*.py", path="src")
    assert result.content == "2 files:\nsrc/app.py\nsrc/deep/b.py"
    assert result.display == ListingDisplay("src", (Entry("src/app.py"), Entry("src/deep/b.py")), 2)
    assert context.in_blocking


def test_gitignore_is_respected_and_said_where_nothing_was_found(tmp_path: Path) -> None:
    touch(tmp_path, ".git/HEAD", "build/a.js", "src/a.js")
    (tmp_path / ".gitignore").write_text("build/\n")
    assert call(TOOL, Context(tmp_path), pattern="*.js").content == "1 file:\nsrc/a.js"
    assert (
        call(TOOL, Context(tmp_path), pattern="*.js", path="build").content == "1 file:\nbuild/a.js"
    )
    assert ".gitignore names are left out" in call(TOOL, Context(tmp_path), pattern="*.rs").content


def test_pages_hold_a_hundred_and_each_file_once(tmp_path: Path) -> None:
    touch(tmp_path, *(f"f{n:03}.txt" for n in range(250)))
    seen: list[str] = []
    for page in (1, 2, 3):
        lines = call(TOOL, Context(tmp_path), pattern="*.txt", page=page).content.splitlines()
        seen += [line for line in lines if line.endswith(".txt")]
        assert (f"page={page + 1}" in lines[-1]) == (page < 3)
    assert seen == [f"f{n:03}.txt" for n in range(250)]
    behind = call(TOOL, Context(tmp_path), pattern="*.txt", page=4)
    assert behind.content == "Error [invalid_arguments]: page 4 is after the last one (3)"


def test_links_are_named_but_not_followed(tmp_path: Path) -> None:
    touch(tmp_path, "outside/a.py", "work/b.py")
    (tmp_path / "work" / "out").symlink_to("../outside")
    (tmp_path / "work" / "link.py").symlink_to("../outside/a.py")
    result = call(TOOL, Context(tmp_path / "work"), pattern="**/*.py")
    assert result.content == "2 files:\nb.py\nlink.py"
    assert isinstance(result.display, ListingDisplay)
    assert result.display.entries[1] == Entry("link.py", "link")


def test_names_that_are_no_text_can_be_sent(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.py")).touch()
    assert (
        call(TOOL, Context(tmp_path), pattern="*.py")
        .content.encode("utf-8")
        .endswith("bad�.py".encode())
    )


def test_failures(tmp_path: Path) -> None:
    touch(tmp_path, "a.txt")
    assert call(TOOL, Context(tmp_path), pattern="*", path="a.txt").content.endswith(
        "a.txt is not a folder"
    )
    assert call(TOOL, Context(tmp_path), pattern="*", path="nowhere").tag == "not_found"
    assert call(TOOL, Context(tmp_path), pattern="*", path="..").tag == "blocked"


def test_labels() -> None:
    assert TOOL.label(TOOL.arguments(pattern="**/*.py", path="src")) == "Find **/*.py in src"
    assert TOOL.label(TOOL.arguments(pattern="*.md")) == "Find *.md"
