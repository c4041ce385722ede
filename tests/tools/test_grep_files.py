from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.display import Match, MatchesDisplay, TableDisplay
from agent_tui.safety.permissions import own_rules
from agent_tui.settings.table import PermissionSettings
from agent_tui.tools import grep_files
from agent_tui.tools.base import ToolResult
from agent_tui.tools.grep_files import TOOL
from agent_tui.tools.support.search import MAX_BYTES, MAX_TOTAL
from tests.tools.context import Context, call

LEFT_OUT = "Files that .gitignore names are left out, unless path names their folder."


def write(root: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def grep(root: Path, pattern: str, **arguments: object) -> ToolResult:
    return call(TOOL, Context(root), pattern=pattern, **arguments)


def test_matches_come_by_file_with_line_numbers(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{"src/a.py": "import os\ndef foo():\n    pass\n", "src/b.py": "x = foo()\r\nfoo\r\n"},
    )
    result = grep(tmp_path, "foo")
    assert (
        result.content
        == "3 matches:\nsrc/a.py\n     2: def foo():\nsrc/b.py\n     1: x = foo()\n     2: foo"
    )
    assert result.display == MatchesDisplay(
        "foo",
        (
            Match("src/a.py", 2, "def foo():"),
            Match("src/b.py", 1, "x = foo()"),
            Match("src/b.py", 2, "foo"),
        ),
        3,
    )


def test_the_work_is_done_off_the_loop(tmp_path: Path) -> None:
    context = Context(tmp_path)
    call(TOOL, context, pattern="x")
    assert context.in_blocking


def test_a_folder_a_glob_and_case(tmp_path: Path) -> None:
    write(tmp_path, **{"a.py": "Foo", "src/b.py": "foo", "src/c.md": "foo"})
    assert (
        grep(tmp_path, "foo", path="src", glob="*.py").content == "1 match:\nsrc/b.py\n     1: foo"
    )
    assert grep(tmp_path, "foo", glob="src/*.md").content == "1 match:\nsrc/c.md\n     1: foo"
    assert grep(tmp_path, "FOO", ignore_case=True, glob="{a,b}.py").content.startswith("2 matches:")


def test_a_file_can_be_searched_alone(tmp_path: Path) -> None:
    write(tmp_path, **{"a.py": "foo\n", "b.py": "foo\n"})
    assert grep(tmp_path, "foo", path="a.py").content == "1 match:\na.py\n     1: foo"


def test_gitignore_git_and_binary_files_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            ".gitignore": "build/\n*.log\n!keep.log\n",
            ".git/HEAD": "",
            ".git/config": "foo",
            "build/a": "foo",
            "x.log": "foo",
            "keep.log": "foo",
            "data.bin": b"foo\0foo",
            "sub/.gitignore": "keep.log",
            "sub/keep.log": "foo",
        },
    )
    assert grep(tmp_path, "foo").content == "1 match:\nkeep.log\n     1: foo"


def test_files_with_names_of_secrets_are_left_out_and_counted_unless_named(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            ".git/HEAD": "",
            ".env": "KEY=1",
            "conf/id_rsa": "KEY",
            ".ssh/x": "KEY",
            ".kube/config": "KEY",
            "config": "KEY",
            ".env.example": "KEY=",
            "id_rsa/readme": "KEY",
        },
    )
    content = grep(tmp_path, "KEY").content
    assert "[4 files left out, with names of secrets" in content
    assert content.startswith(
        "3 matches:\n.env.example\n     1: KEY=\nconfig\n     1: KEY\nid_rsa/readme"
    )
    assert grep(tmp_path, "KEY", path=".env").tag == "blocked"
    allowed = Context(tmp_path, granted={(tmp_path / ".env").resolve()})
    assert (
        call(TOOL, allowed, pattern="KEY", path=".env").content == "1 match:\n.env\n     1: KEY=1"
    )


@pytest.mark.parametrize(
    "secret", [".kube/config", "gh/hosts.yml", ".cargo/credentials", ".docker/config.json"]
)
def test_a_folder_of_secrets_that_is_named_or_begun_in_keeps_them(
    tmp_path: Path, secret: str
) -> None:
    folder = tmp_path / "deploy" / Path(secret).parent
    other = f"deploy/{Path(secret).parent}/other"
    write(tmp_path, **{".git/HEAD": "", f"deploy/{secret}": "KEY", other: "KEY"})
    for root, path in ((tmp_path, str(folder)), (tmp_path, "deploy"), (folder, ".")):
        content = grep(root, "KEY", path=path).content
        assert content.startswith("1 match:\n") and "other" in content
        assert "1 file left out" in content


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, **{"outside/a": "foo", "work/b": "bar"})
    (tmp_path / "work" / "folder").symlink_to("../outside")
    (tmp_path / "work" / "file").symlink_to("../outside/a")
    assert grep(tmp_path / "work", "foo").content.startswith("No match")


def test_pages_hold_a_hundred_and_each_match_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{f"f{n}.txt": "".join(f"hit {n} {line}\n" for line in range(50)) for n in range(5)},
    )
    seen: list[str] = []
    for page in (1, 2, 3):
        lines = grep(tmp_path, "hit", page=page).content.splitlines()
        assert lines[0] == "250 matches:"
        seen += [line.partition(": ")[2] for line in lines if ": hit" in line]
        assert (f"The next: page={page + 1}" in lines[-1]) == (page < 3)
    assert seen == [f"hit {n} {line}" for n in range(5) for line in range(50)]
    assert grep(tmp_path, "hit", page=4).tag == "invalid_arguments"


def test_counting_ends_where_a_number_says_nothing_any_more(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "x\n" * (MAX_TOTAL + 500)})
    content = grep(tmp_path, "x").content
    assert content.startswith("Over 10,000 matches:")
    assert "of over 10000. The next: page=2.]" in content


def test_a_long_line_shows_the_part_around_the_match(tmp_path: Path) -> None:
    write(tmp_path, **{"a.js": "x" * 5000 + "needle" + "y" * 5000})
    line = grep(tmp_path, "needle").content.splitlines()[2]
    assert len(line) < 300
    assert line.startswith("     1: …x")
    assert "needle" in line
    assert line.endswith("y…")


def test_large_files_are_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path, **{"big.txt": b"foo\n" * (MAX_BYTES // 4 + 1), "a.txt": "foo"})
    content = grep(tmp_path, "foo").content
    assert content.startswith("1 match:\na.txt")
    assert "[1 file over 5.0 MB left out, with matches.]" in content
    assert grep(tmp_path, "foo", path="big.txt").tag == "too_large"


def test_no_match_says_what_was_not_searched(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "bar"})
    assert grep(tmp_path, "foo").content.startswith(
        "No match for 'foo' in .. Files that .gitignore names are left out"
    )
    assert grep(tmp_path, "foo", path="a.txt").content == "No match for 'foo' in a.txt."


def test_a_pattern_made_to_hang_ends(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "a" * 5000 + "b\n" + "a" * 5000})
    assert grep(tmp_path, "(a+)+$").content.startswith("1 match:\na.txt\n     2: ")
    assert grep(tmp_path, "a.*a.*a.*[c]").content == "No match for 'a.*a.*a.*[c]' in .. " + LEFT_OUT


def test_what_is_not_searched_is_said(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "fin de l’été\n"})
    assert r"[\b and \B know only ASCII letters" in grep(tmp_path, r"\bété").content
    assert "ASCII" not in grep(tmp_path, r"\bfin").content


def test_the_lines_are_those_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "".join(f"line {n}\r\n" for n in range(1, 6001)) + "end"})
    found = grep(tmp_path, r"^line (1|5556|5557|6000)$|d$").content.splitlines()[2:]
    assert found == [
        "     1: line 1",
        "  5556: line 5556",
        "  5557: line 5557",
        "  6000: line 6000",
        "  6001: end",
    ]


def test_a_search_whose_time_is_up_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, **{"a.txt": "foo"})
    monkeypatch.setattr(grep_files, "BUDGET", -1.0)
    assert "not all was searched" in grep(tmp_path, "foo").content


class Stopping(Context):
    """Is told to stop after so many questions whether to."""

    patience = 10

    async def run_blocking(self, work: Callable[[Callable[[], bool]], Any]) -> Any:
        asked = iter(range(1_000_000))
        return await asyncio.to_thread(work, lambda: next(asked) >= self.patience)


def test_a_search_that_is_stopped_ends_between_files_and_within_one(tmp_path: Path) -> None:
    write(tmp_path / "many", **{f"f{n}.txt": "foo\n" for n in range(200)})
    found = call(TOOL, Stopping(tmp_path), pattern="foo", path="many").display
    assert isinstance(found, MatchesDisplay)
    assert found.total < 10
    write(tmp_path, **{"long.txt": "bar\n" * 100_000 + "foo\n"})
    assert call(TOOL, Stopping(tmp_path), pattern="foo", path="long.txt").content.startswith(
        "No match"
    )


def test_failures(tmp_path: Path) -> None:
    write(tmp_path, **{"a.bin": b"\0\0"})
    assert grep(tmp_path, "foo", path="a.bin").tag == "binary"
    assert grep(tmp_path, "foo", path="nowhere").tag == "not_found"
    assert grep(tmp_path, "foo", path="..").tag == "blocked"
    assert grep(tmp_path, "foo(").content.startswith(
        "Error [invalid_arguments]: not a regular expression"
    )
    assert grep(tmp_path, "foo", glob="../*").tag == "invalid_arguments"


def test_labels() -> None:
    assert TOOL.label(TOOL.arguments(pattern="foo", path="src")) == 'Search "foo" in src'
    assert TOOL.label(TOOL.arguments(pattern="foo", glob="*.py")) == 'Search "foo" (*.py)'


def test_a_hard_link_of_a_secret_is_left_out_unless_named(tmp_path: Path) -> None:
    write(tmp_path, **{".env": "KEY=1", "a": "KEY", "sub/c.env": "KEY=2"})
    (tmp_path / "sub" / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "sub" / "notes").hardlink_to(tmp_path / ".env")
    (tmp_path / "sub" / "d").hardlink_to(tmp_path / "sub" / "c.env")
    content = grep(tmp_path, "KEY").content
    assert content.startswith("2 matches:\na\n     1: KEY\nsub/b\n     1: KEY")
    assert (
        "[2 files left out, with names of secrets" in content
    )  # by name: more would tell of others
    assert grep(tmp_path, "KEY", path="sub/notes").tag == "blocked"


def test_a_hard_link_of_a_secret_elsewhere_in_the_session_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, **{"deep/down/.env": "KEY=1", ".kube/config": "KEY", "a": "KEY"})
    (tmp_path / "notes").hardlink_to(tmp_path / "deep" / "down" / ".env")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "text").hardlink_to(tmp_path / ".kube" / "config")
    (tmp_path / "other" / "b").hardlink_to(tmp_path / "a")
    content = grep(tmp_path, "KEY").content
    assert content.startswith("2 matches:\na\n     1: KEY\nother/b\n     1: KEY")
    assert grep(tmp_path, "KEY", path="other").content.startswith("1 match:\nother/b")
    for name in ("notes", "other/text"):
        assert grep(tmp_path, "KEY", path=name).tag == "blocked"
    assert grep(tmp_path, "KEY", path="other/b").tag == "ok"


def test_what_a_hard_link_of_a_secret_holds_is_hidden_where_it_was_allowed(tmp_path: Path) -> None:
    write(tmp_path, **{".env": "DB_PASSWORD=hunter2"})
    (tmp_path / "notes").hardlink_to(tmp_path / ".env")
    allowed = Context(tmp_path, granted={(tmp_path / "notes").resolve()})
    assert "hunter2" not in call(TOOL, allowed, pattern="DB", path="notes").content


def test_lines_around_a_match(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "".join(f"line {n}\n" for n in range(1, 21))})
    content = grep(tmp_path, "line (3|4|10)$", context=1).content
    assert content.splitlines() == [
        "3 matches:",
        "a.txt",
        "     2- line 2",
        "     3: line 3",
        "     4: line 4",
        "     5- line 5",
        "    --",
        "     9- line 9",
        "    10: line 10",
        "    11- line 11",
    ]


def test_secrets_around_a_match_are_hidden(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9" * 3
    write(tmp_path, **{"a.txt": f"token = {token}\nhere\n"})
    content = grep(tmp_path, "here", context=1).content
    assert token not in content and "1- token" in content


def test_files_only_and_counts(tmp_path: Path) -> None:
    write(tmp_path, **{"a.py": "x\nx\n", "b.py": "x\n", "c.md": "y\n"})
    assert grep(tmp_path, "x", show="files").content == "2 files:\na.py\nb.py"
    counts = grep(tmp_path, "x", show="counts")
    assert counts.content == "2 files:\na.py: 2\nb.py: 1"
    assert counts.display == TableDisplay(("file", "matches"), (("a.py", "2"), ("b.py", "1")))


def test_types_of_files(tmp_path: Path) -> None:
    write(tmp_path, **{"a.py": "x", "b.pyi": "x", "c.rs": "x", "Makefile": "x", "d.txt": "x"})
    for kind, names in (("py", "a.py b.pyi"), ("python", "a.py b.pyi"), (".rs", "c.rs")):
        found = grep(tmp_path, "x", type=kind, show="files").content.splitlines()[1:]
        assert found == names.split()
    assert grep(tmp_path, "x", type="py", glob="b*", show="files").content == "1 file:\nb.pyi"
    assert grep(tmp_path, "x", type="nonsense").tag == "invalid_arguments"


@pytest.mark.parametrize(
    ("pattern", "text", "read_as"),
    [
        (r"needle\|foo", "a needle", "needle|foo"),
        (r"foo\(bar\|baz\)", "foobaz", "foo(bar|baz)"),
        (r"foo(\|bar(", "x bar(1)", r"foo\(|bar\("),
        (r"\<needle\>", "a needle", r"\bneedle\b"),
    ],
)
def test_a_pattern_of_grep_is_read_so_where_nothing_matches_as_written(
    tmp_path: Path, pattern: str, text: str, read_as: str
) -> None:
    write(tmp_path, **{"a.txt": f"{text}\n"})
    content = grep(tmp_path, pattern).content
    assert content.startswith(f"1 match:\na.txt\n     1: {text}\n")
    assert content.endswith(f"[Read as {read_as}: as written, {pattern} has no match.]")


def test_what_is_written_comes_first(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "int|None\nint\n"})
    assert grep(tmp_path, r"int\|None").content == "1 match:\na.txt\n     1: int|None"
    assert grep(tmp_path, r"foo\(\)").content == rf"No match for 'foo\\(\\)' in .. {LEFT_OUT}" + (
        r" Patterns are RE2's, like Python's: a|b for alternatives, \b for the edge of a word."
    )


def test_the_last_line_end_begins_no_line(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "a\n\nb\n", "empty": ""})
    assert grep(tmp_path, "^$").content == "1 match:\na.txt\n     2: "


def test_what_is_no_file_or_goes_away_is_no_trouble(tmp_path: Path) -> None:
    write(tmp_path, **{"a.txt": "needle"})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(5_000_000_000)
    assert grep(tmp_path, "needle").content == "1 match:\na.txt\n     1: needle"
    assert grep(tmp_path, "needle", path="pipe").tag == "invalid_arguments"
    assert grep(tmp_path, "needle", path="loop").tag in (
        "invalid_arguments",
        "not_found",
        "blocked",
    )
    assert grep(tmp_path, "needle", path="huge").tag in ("binary", "too_large")


def test_files_that_a_rule_keeps_from_being_read_are_left_out(tmp_path: Path) -> None:
    for name in ("priv/a.txt", "src/b.txt", "src/key.log"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("needle\n")
    rules = PermissionSettings(deny=("read_file(priv/**)",), ask=("read_file(**/*.log)",))
    ctx = Context(tmp_path, permissions=own_rules(rules))
    said = call(TOOL, ctx, pattern="needle").content
    assert "src/b.txt" in said and "priv" not in said and "key.log" not in said
    assert "[2 files left out: a rule of the person keeps them from being read.]" in said
