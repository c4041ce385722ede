from __future__ import annotations

import os
from pathlib import Path

from agent_tui.protocol.display import Entry, ListingDisplay
from agent_tui.tools.list_files import MOST, TOOL
from tests.tools.context import Context, call


def test_folders_first_then_files_with_their_sizes_hidden_ones_too(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "b.txt").write_bytes(b"x" * 1234)
    (tmp_path / "a.txt").write_bytes(b"x" * 12)
    (tmp_path / ".env").touch()
    result = call(TOOL, Context(tmp_path))
    assert result.content.splitlines() == [
        ". (5 entries):",
        ".hidden/",
        "src/",
        ".env  0 B",
        "a.txt  12 B",
        "b.txt  1.2 kB",
    ]
    assert isinstance(result.display, ListingDisplay)
    assert result.display.entries[1:4:2] == (Entry("src", "folder"), Entry("a.txt", "file", 12))


def test_links_say_where_they_lead(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "to-d").symlink_to("d")
    (tmp_path / "gone").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    lines = call(TOOL, Context(tmp_path)).content.splitlines()
    assert "to-d -> d/" in lines
    assert "gone -> nowhere (broken)" in lines
    assert "pipe  (FIFO)" in lines


def test_a_long_listing_is_cut_and_says_how_many_more(tmp_path: Path) -> None:
    for number in range(MOST + 7):
        (tmp_path / f"f{number:05}").touch()
    result = call(TOOL, Context(tmp_path))
    assert result.content.splitlines()[0] == f". ({MOST + 7} entries):"
    assert "[… and 7 more: narrow it down with glob_files.]" in result.content
    assert isinstance(result.display, ListingDisplay)
    assert (len(result.display.entries), result.display.total) == (MOST, MOST + 7)


def test_a_listing_fits_what_the_model_may_get(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{'n' * 100}{number}").touch()
    content = call(TOOL, Context(tmp_path, max_output_chars=3_000)).content
    assert len(content) <= 3_000
    assert " more: narrow it down" in content


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    assert call(TOOL, Context(tmp_path), path="d").content == "d is an empty folder."


def test_names_that_are_no_text_stay_on_their_line(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xffname")).touch()
    (tmp_path / "two\nlines\x1b[31m").touch()
    content = call(TOOL, Context(tmp_path)).content
    assert "bad�name  0 B" in content
    assert "two\\nlines\\x1b[31m  0 B" in content
    content.encode("utf-8")


def test_failures(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    context = Context(tmp_path)
    assert "read it with read_file" in call(TOOL, context, path="a.txt").content
    assert call(TOOL, context, path="a.txt").tag == "invalid_arguments"
    assert call(TOOL, context, path="nowhere").tag == "not_found"
    assert call(TOOL, context, path="a.txt/b").tag == "not_found"
    assert call(TOOL, context, path="..").tag == "blocked"
    assert call(TOOL, context, path="a\0b").tag == "invalid_arguments"


def test_the_label_names_the_folder() -> None:
    assert TOOL.label(TOOL.arguments(path="src")) == "List src"
