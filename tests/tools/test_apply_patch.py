"""Patches over several files: what they change, and that one that fails changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent_tui.protocol.display import DiffDisplay, DiffsDisplay
from agent_tui.safety import file_access
from agent_tui.tools.apply_patch import TOOL
from agent_tui.tools.base import Stale, ToolResult
from agent_tui.tools.support import patch_format
from tests.tools.context import Context, call

PYTHON = """class A:
    def f(self):
        x = 1
        return x

    def g(self):
        x = 1
        return x


class B:
    def f(self):
        x = 1
        return x
"""


def patch(folder: Path, *lines: str, end: str = "\n") -> ToolResult:
    text = end.join(("*** Begin Patch", *lines, "*** End Patch"))
    return call(TOOL, Context(folder), patch=text)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_adds_changes_moves_and_deletes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n")
    (tmp_path / "old.py").write_text("one\ntwo\n")
    (tmp_path / "gone.py").write_text("bye\n")
    (tmp_path / "old.py").chmod(0o750)
    result = patch(
        tmp_path,
        "*** Add File: new/b.py",
        "+first",
        "+",
        "+second",
        "*** Update File: a.py",
        "@@",
        " x = 1",
        "-y = 2",
        "+y = 3",
        "*** Update File: old.py",
        "*** Move to: new/name.py",
        "@@",
        "-two",
        "+2",
        "*** Delete File: gone.py",
    )
    assert result.tag == "ok", result.content
    assert tree(tmp_path) == {
        "new/b.py": b"first\n\nsecond\n",
        "a.py": b"x = 1\ny = 3\n",
        "new/name.py": b"one\n2\n",
    }
    assert (tmp_path / "new/name.py").stat().st_mode & 0o777 == 0o750
    assert isinstance(result.display, DiffsDisplay) and len(result.display.diffs) == 4
    assert "    2→y = 3" in result.content and "Deleted gone.py." in result.content


def test_each_change_is_told_and_can_be_taken_back(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\n")
    (tmp_path / "b.py").write_text("two\n")
    context = Context(tmp_path)
    text = (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: c.py\n@@\n-one\n+1\n"
        "*** Delete File: b.py\n*** End Patch"
    )
    assert call(TOOL, context, patch=text).tag == "ok"
    told = {change.path.name: change for change in context.changes}
    assert context.checkpoints[told["a.py"].before] == b"one\n" and told["a.py"].after == ""
    assert told["c.py"].before == ""
    assert context.checkpoints[told["b.py"].before] == b"two\n" and told["b.py"].after == ""
    assert told["b.py"].mode


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("own", ["\n", "\r\n"])
def test_line_ends_of_the_patch_and_of_the_file_do_not_matter(
    tmp_path: Path, end: str, own: str
) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(f"\ufeffa{own}b{own}c{own}".encode())
    assert patch(tmp_path, "*** Update File: a.txt", "@@", " a", "-b", "+B", end=end).tag == "ok"
    assert file.read_bytes() == f"\ufeffa{own}B{own}c{own}".encode()


def test_one_odd_line_end_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\nc\r\nd\r\n")
    assert patch(tmp_path, "*** Update File: a.txt", "@@", " a", " b", "-c", "+C").tag == "ok"
    assert (tmp_path / "a.txt").read_bytes() == b"a\r\nb\nC\r\nd\r\n"


@pytest.mark.parametrize(
    ("anchors", "line"),
    [(["class B:"], 14), (["class B:", "def f(self):"], 14), (["class A:", "def g(self):"], 8)],
)
def test_an_anchor_tells_which_of_several_places(
    tmp_path: Path, anchors: list[str], line: int
) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    above = [f"@@ {anchor}" for anchor in anchors]
    result = patch(
        tmp_path,
        "*** Update File: a.py",
        *above,
        "         x = 1",
        "-        return x",
        "+        return 2",
    )
    assert result.tag == "ok", result.content
    lines = (tmp_path / "a.py").read_text().splitlines()
    assert [number for number, text in enumerate(lines, 1) if "return 2" in text] == [line]


@pytest.mark.parametrize("above", [[], ["@@ class A:"], ["@@ def f(self):"], ["@@ class C:"]])
def test_several_places_are_never_guessed(tmp_path: Path, above: list[str]) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    result = patch(
        tmp_path, "*** Update File: a.py", *above, "-        return x", "+        return 2"
    )
    assert result.tag == "ambiguous" and (tmp_path / "a.py").read_text() == PYTHON


def test_hunks_follow_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\na\nx\nb\nx\n")
    result = patch(tmp_path, "*** Update File: a.txt", "@@", " x", "-a", "+A", "@@", "-b", "+B")
    assert result.tag == "ok"
    assert (tmp_path / "a.txt").read_text() == "x\nA\nx\nB\nx\n"
    back = patch(tmp_path, "*** Update File: a.txt", "@@", "-B", "+b", "@@", "-A", "+a")
    assert back.tag == "no_match" and "behind the hunk before it" in back.content


def test_the_end_of_a_file_is_meant(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\ny\nx\n")
    end = ("*** Update File: a.txt", "@@", "-x", "+z", "*** End of File")
    assert patch(tmp_path, *end).tag == "ok"
    assert (tmp_path / "a.txt").read_text() == "x\ny\nz\n"


def test_lines_alone_are_added_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    assert patch(tmp_path, "*** Update File: a.txt", "@@", "+b").tag == "ok"
    assert (tmp_path / "a.txt").read_text() == "a\nb\n"
    unclear = patch(tmp_path, "*** Update File: a.txt", "@@ a", "+c", "")
    assert unclear.tag == "invalid_arguments" and "says not where" in unclear.content


def test_blank_lines_between_files_are_no_part_of_them(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("one\ntwo\n")
    parts = [
        ("*** Update File: " + name, "@@", " one", "-two", "+2", "") for name in ("a.txt", "b.txt")
    ]
    assert patch(tmp_path, *parts[0], *parts[1]).tag == "ok"
    assert set(tree(tmp_path).values()) == {b"one\n2\n"}


def test_numbers_of_another_format_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\nb\n")
    result = patch(tmp_path, "*** Update File: a.txt", "@@ -7,2 +7,2 @@", " a", "-b", "+c")
    assert result.tag == "ok" and (tmp_path / "a.txt").read_text() == "a\nc\n"


def test_what_edits_overlook_patches_overlook(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:  \n    x = “1”\n    y = 2\n")
    result = patch(
        tmp_path,
        "*** Update File: a.py",
        "@@",
        " class A:",
        "     x = “1”",
        "-    y = 2",
        "+    y = 3",
    )
    assert (
        result.tag == "ok"
        and (tmp_path / "a.py").read_text() == "class A:  \n    x = “1”\n    y = 3\n"
    )


GOOD = ("*** Update File: a.txt", "@@", "-a", "+A")
BAD = {
    "missing": (("*** Update File: none.txt", "@@", "-a", "+b"), "not_found"),
    "there": (("*** Add File: b.txt", "+x"), "exists"),
    "no match": (("*** Update File: b.txt", "@@", "-x", "+y"), "no_match"),
    "ambiguous": (("*** Update File: b.txt", "@@", "-b", "+y"), "ambiguous"),
    "outside": (("*** Add File: ../x.txt", "+x"), "blocked"),
    "over another": (("*** Update File: b.txt", "*** Move to: c.txt"), "exists"),
    "twice": (("*** Delete File: a.txt",), "invalid_arguments"),
    "binary": (("*** Update File: bin", "@@", "-b", "+y"), "binary"),
    "a folder": (("*** Delete File: folder",), "invalid_arguments"),
    "nothing": (("*** Update File: b.txt",), "invalid_arguments"),
    "no change": (("*** Update File: c.txt", "@@", " c"), "invalid_arguments"),
    "a bare line": (("*** Update File: b.txt", "@@", "b"), "invalid_arguments"),
    "a new file without +": (("*** Add File: d.txt", "x"), "invalid_arguments"),
    "a link": (("*** Delete File: link",), "invalid_arguments"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("first", [True, False])
def test_a_patch_that_half_applies_is_not_applied(tmp_path: Path, name: str, first: bool) -> None:
    work = tmp_path / "work"
    (work / "folder").mkdir(parents=True)
    for file, text in (("a.txt", "a\n"), ("b.txt", "b\nb\n"), ("c.txt", "c\n"), ("bin", "a\0b")):
        (work / file).write_text(text)
    (work / "link").symlink_to("c.txt")
    before, (bad, tag) = tree(work), BAD[name]
    result = patch(work, *(bad + GOOD if first else GOOD + bad))
    assert (result.tag, tree(work)) == (tag, before), result.content


@pytest.mark.parametrize(
    "text",
    [
        "",
        "some text",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Delete File: a.txt",
        "*** Begin Patch\n@@\n-a\n*** End Patch",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n",
        "*** Begin Patch\n*** Move to: b.txt\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n*** End of File\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n@@\n*** End Patch",
    ],
)
def test_what_is_no_patch_says_how_one_is_written(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    result = call(TOOL, Context(tmp_path), patch=text)
    assert result.tag == "invalid_arguments" and tree(tmp_path) == {"a.txt": b"a\n"}


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
def test_a_disk_that_fails_in_the_middle_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text("a\n")
    (tmp_path / "a.txt").chmod(0o640)
    before, write, count = tree(tmp_path), file_access.atomic_write, iter(range(1, 100))

    def full(path: Path, data: bytes, *more: Any, **how: Any) -> None:
        if next(count) == fails_at:
            raise OSError(28, "No space left on device")
        write(path, data, *more, **how)

    monkeypatch.setattr(file_access, "atomic_write", full)
    context = Context(tmp_path)
    text = "\n".join(
        (
            "*** Begin Patch",
            *GOOD,
            "*** Add File: new/d.txt",
            "+d",
            "*** Update File: b.txt",
            "*** Move to: deep/e.txt",
            "@@",
            "-a",
            "+e",
            "*** Delete File: c.txt",
            "*** Add File: f.txt",
            "+f",
            "*** End Patch",
        )
    )
    result = call(TOOL, context, patch=text)
    assert result.tag == "write_failed" and "no file was changed" in result.content
    assert tree(tmp_path) == before and context.changes == []
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "b.txt", "c.txt"}
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_what_was_approved_is_applied_or_nothing(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("a\n")
    second = ("*** Update File: b.txt", "@@", "-a", "+B")
    text = "\n".join(("*** Begin Patch", *GOOD, *second, "*** End Patch"))
    context = Context(tmp_path)
    assert TOOL.plan is not None
    planned = asyncio.run(TOOL.plan(TOOL.arguments(patch=text), context))
    (tmp_path / "b.txt").write_text("a\nmine\n")
    assert planned.is_current is not None and not asyncio.run(planned.is_current())
    with pytest.raises(Stale):
        asyncio.run(planned.apply())
    assert tree(tmp_path) == {"a.txt": b"a\n", "b.txt": b"a\nmine\n"} and context.changes == []


def test_one_file_is_shown_as_an_edit_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    assert isinstance(patch(tmp_path, *GOOD).display, DiffDisplay)


ODD = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""At each of these `str.splitlines` ends a line, and no editor does."""


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    kept = "".join(f"some words{char}and more" for char in ODD)
    (tmp_path / "a").write_text(f"{kept}\none\n{kept}\n", newline="")
    done = patch(
        tmp_path,
        *("*** Update File: a", f" {kept}", "-one", f"+{ODD}{kept}", f" {kept}"),
        *("*** Add File: b", f"+{kept}\x0c*** Delete File: a"),
        *("*** Add File: odd\x0bname\u2028x", "+x"),
    )
    assert done.tag == "ok", done.content
    lines = (kept, f"{ODD}{kept}", kept)
    assert (tmp_path / "a").read_bytes() == "".join(f"{line}\n" for line in lines).encode()
    assert (tmp_path / "b").read_bytes() == f"{kept}\x0c*** Delete File: a\n".encode()
    assert (tmp_path / "odd\x0bname\u2028x").read_text() == "x\n"


def test_what_is_judged_are_the_files_that_are_changed() -> None:
    text = "*** Begin Patch\n*** Add File: b\u2028c\n+x\x0c*** Delete File: a\n*** End Patch"
    assert patch_format.named_paths(text) == ("b\u2028c",)
    assert [one.path for one in patch_format.parse(text)] == ["b\u2028c"]


def test_all_named_files_are_judged() -> None:
    text = "*** Begin Patch\n*** Update File: a b.py \n*** Move to: c.py\n*** Delete File: d\n"
    assert TOOL.paths(TOOL.arguments(patch=text)) == ("a b.py", "c.py", "d")
    assert TOOL.label(TOOL.arguments(patch=text)) == "Patch 3 files: a b.py, c.py, d"
