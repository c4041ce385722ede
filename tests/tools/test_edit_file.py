from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agent_tui.protocol.display import DiffDisplay
from agent_tui.tools.base import ToolFailure, ToolResult, sha256
from agent_tui.tools.edit_file import TOOL, EditFile
from agent_tui.tools.support.files import is_binary
from tests.campaigns import examples
from tests.tools.context import Context


def edit(
    folder: Path, old: str, new: str, path: str = "a.txt", replace_all: bool = False
) -> ToolResult:
    context = Context(folder)
    return asyncio.run(
        TOOL.run(EditFile(path=path, old=old, new=new, replace_all=replace_all), context)
    )


def failure(folder: Path, old: str, new: str, path: str = "a.txt") -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        edit(folder, old, new, path)
    return caught.value


def test_replaces_the_one_place(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    result = edit(tmp_path, "two\n", "2\n2b\n")
    assert file.read_text() == "one\n2\n2b\nthree\n"
    assert result.tag == "ok" and "a.txt" in result.content
    assert isinstance(result.display, DiffDisplay) and (
        result.display.added,
        result.display.removed,
    ) == (2, 1)


def test_line_ends_bom_and_mode_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    file.chmod(0o750)
    edit(tmp_path, "one\ntwo", "1\n2")
    assert file.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o750


def test_mixed_line_ends_stay_where_they_are(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"one\r\ntwo\nthree\n")
    edit(tmp_path, "two\n", "2\n")
    assert file.read_bytes() == b"one\r\n2\nthree\n"


def test_bytes_that_are_no_utf8_survive(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"caf\xe9\nhere\n")
    edit(tmp_path, "here", "there")
    assert file.read_bytes() == b"caf\xe9\nthere\n"


def test_a_link_is_edited_at_its_target(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("x")
    (tmp_path / "a.txt").symlink_to("real.txt")
    edit(tmp_path, "x", "y")
    assert (tmp_path / "real.txt").read_text() == "y" and (tmp_path / "a.txt").is_symlink()


def test_a_miss_shows_the_nearest_text_with_its_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("def one():\n    return 1\n\ndef two():\n    return 2\n")
    error = failure(tmp_path, "def two():\n  return 3\n", "x")
    assert error.tag == "no_match"
    assert "    4→def two():" in error.text and "    5→    return 2" in error.text


def test_a_miss_with_nothing_alike_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("abc\n")
    assert "read the file again" in failure(tmp_path, "0123456789 quite something else", "x").text


def test_several_places_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\ny\nx\n")
    error = failure(tmp_path, "x", "z")
    assert error.tag == "ambiguous" and "2 times, at lines 1, 3" in error.text
    assert edit(tmp_path, "x", "z", replace_all=True).tag == "ok"
    assert (tmp_path / "a.txt").read_text() == "z\ny\nz\n"


@pytest.mark.parametrize(
    ("old", "new", "path", "tag"),
    [
        ("", "x", "a.txt", "invalid_arguments"),
        ("a", "a", "a.txt", "invalid_arguments"),
        ("a", "b", "missing.txt", "not_found"),
        ("a", "b", "binary", "binary"),
        ("a", "b", "folder", "invalid_arguments"),
        ("a", "b", "../outside.txt", "blocked"),
        ("a", "b", "bad\0name", "invalid_arguments"),
    ],
)
def test_failures_have_tags_and_change_nothing(
    tmp_path: Path, old: str, new: str, path: str, tag: str
) -> None:
    work = tmp_path / "work"
    (work / "folder").mkdir(parents=True)
    (work / "a.txt").write_text("a")
    (work / "binary").write_bytes(b"a\0b")
    (tmp_path / "outside.txt").write_text("a")
    assert failure(work, old, new, path).tag == tag
    assert (work / "a.txt").read_text() == "a" and (tmp_path / "outside.txt").read_text() == "a"


def test_the_content_before_is_kept_and_the_change_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    context = Context(tmp_path)
    asyncio.run(TOOL.run(EditFile(path="a.txt", old="old", new="new"), context))
    [change] = context.changes
    assert context.checkpoints[change.before] == b"old" and change.after == sha256(b"new")


def test_the_preview_shows_the_diff_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    assert TOOL.plan is not None
    display = asyncio.run(
        TOOL.plan(EditFile(path="a.txt", old="one", new="two"), Context(tmp_path))
    ).display
    assert isinstance(display, DiffDisplay) and display.hunks[0].lines == ("-one", "+two")
    assert (tmp_path / "a.txt").read_text() == "one\n"


def test_the_nearest_text_of_a_big_file_is_found_in_bounded_work(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "".join(f"line number {n} of this file\n" for n in range(60_000))
    )
    assert "line number" in failure(tmp_path, "line numbr 777 of this file", "x").text


AROUND = st.text(max_size=60)


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=AROUND, old=st.text(min_size=1, max_size=12), after=AROUND, new=st.text(max_size=20))
def test_nothing_outside_the_match_changes(
    tmp_path: Path, before: str, old: str, after: str, new: str
) -> None:
    text = before + old + after
    assume(
        text.count(old) == 1
        and text.find(old, text.find(old) + 1) < 0
        and old != new
        and not set("\r\ufeff") & set(text + new)
    )
    assume(not is_binary(text.encode()))
    file = tmp_path / "a.txt"
    file.write_bytes(text.encode())
    edit(tmp_path, old, new)
    assert file.read_bytes() == (before + new + after).encode()


def test_a_latin_1_file_is_edited_in_its_own_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Größe: alt\n".encode("latin-1"))
    edit(tmp_path, "alt", "über neu")
    assert file.read_bytes() == "Größe: über neu\n".encode("latin-1")
    edit(tmp_path, "Größe: über", "Maß:")
    assert file.read_bytes() == "Maß: neu\n".encode("latin-1")
    refused = failure(tmp_path, "neu", "5 €")
    assert "not UTF-8" in refused.text and "\n" not in refused.text
    assert file.read_bytes() == "Maß: neu\n".encode("latin-1")
