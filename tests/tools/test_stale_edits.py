"""Edits of files that are others than the model knows, and edits that miss again and again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.tools import apply_patch, create_file, delete_file, edit_file, read_file
from agent_tui.tools.support import seen_files
from tests.tools.context import Context, call


def edit(
    context: Context, old: str = "two", new: str = "2", path: str = "a.txt"
) -> tuple[str, str]:
    result = call(edit_file.TOOL, context, path=path, old=old, new=new)
    return result.tag, result.content


@pytest.fixture
def context(tmp_path: Path) -> Context:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return Context(tmp_path)


def test_a_file_that_changed_since_it_was_read_is_told_once(context: Context) -> None:
    file = context.root / "a.txt"
    call(read_file.TOOL, context, path="a.txt")
    file.write_text("ONE\ntwo\nthree\n")
    tag, said = edit(context)
    assert tag == "stale" and "-one" in said and "+ONE" in said and "three" not in said
    assert file.read_text() == "ONE\ntwo\nthree\n" and context.changes == []
    assert edit(context)[0] == "ok" and file.read_text() == "ONE\n2\nthree\n"


def test_all_edits_of_one_answer_are_told(context: Context) -> None:
    """Their texts were written before the model heard of it."""
    call(read_file.TOOL, context, path="a.txt")
    (context.root / "a.txt").write_text("ONE\ntwo\nthree\n")
    assert edit(context)[0] == "stale"
    context.seen_files._step -= 1
    assert edit(context)[0] == "stale"


def test_only_content_counts(context: Context) -> None:
    call(read_file.TOOL, context, path="a.txt")
    os.utime(context.root / "a.txt", (1, 1))
    (context.root / "a.txt").write_text("one\ntwo\nthree\n")
    assert edit(context)[0] == "ok"


def test_a_line_feed_that_became_another_character_is_shown(context: Context) -> None:
    call(read_file.TOOL, context, path="a.txt")
    (context.root / "a.txt").write_text("one\x0ctwo\nthree\n")
    assert "+one\x0ctwo" in edit(context)[1]


def test_what_the_model_wrote_itself_it_knows(context: Context) -> None:
    call(read_file.TOOL, context, path="a.txt")
    assert edit(context)[0] == "ok" and edit(context, "2", "3")[0] == "ok"
    call(create_file.TOOL, context, path="b.txt", content="x\n")
    assert edit(context, "x", "y", "b.txt")[0] == "ok"
    (context.root / "b.txt").write_text("y\nmine\n")
    assert edit(context, "y", "z", "b.txt")[0] == "stale"


def test_a_file_that_was_never_read_may_be_edited(context: Context) -> None:
    assert edit(context)[0] == "ok"


def test_to_read_again_is_enough(context: Context) -> None:
    call(read_file.TOOL, context, path="a.txt")
    (context.root / "a.txt").write_text("ONE\ntwo\nthree\n")
    call(read_file.TOOL, context, path="a.txt")
    assert edit(context)[0] == "ok"


def test_it_holds_for_every_tool_that_changes(context: Context) -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch"
    calls = (
        (create_file.TOOL, {"path": "a.txt", "content": "x", "overwrite": True}),
        (apply_patch.TOOL, {"patch": patch}),
        (delete_file.TOOL, {"path": "a.txt"}),
    )
    for number, (tool, arguments) in enumerate(calls):
        call(read_file.TOOL, context, path="a.txt")
        (context.root / "a.txt").write_text(f"one\ntwo\n{number}\n")
        assert call(tool, context, **arguments).tag == "stale", tool.name
        assert (context.root / "a.txt").read_text() == f"one\ntwo\n{number}\n"


def test_two_misses_in_a_row_ask_for_a_read(context: Context) -> None:
    assert edit(context, "nothing like it", "x")[0] == "no_match"
    tag, said = edit(context, "nothing like that", "x")
    assert tag == "no_match" and "read it before you edit it again" in said
    assert edit(context)[0] == "stale"
    assert edit(context)[0] == "stale"
    call(read_file.TOOL, context, path="a.txt")
    assert edit(context)[0] == "ok"


def test_misses_with_a_hit_between_are_not_in_a_row(context: Context) -> None:
    edit(context, "nothing like it", "x")
    assert edit(context)[0] == "ok"
    edit(context, "nothing like it", "x")
    assert edit(context, "three", "3")[0] == "ok"


def test_secrets_in_the_difference_are_hidden(context: Context) -> None:
    file = context.root / ".env"
    context.granted.add(file.resolve())
    file.write_text("A=1\nTOKEN=one-secret-value-1234\n")
    call(read_file.TOOL, context, path=".env")
    file.write_text("A=2\nTOKEN=other-secret-value-5678\n")
    tag, said = edit(context, "A=2", "A=3", ".env")
    assert tag == "stale" and "+A=2" in said and "secret-value" not in said


def test_what_is_remembered_is_bounded(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "MOST_FILES", 10)
    monkeypatch.setattr(seen_files, "MOST_BYTES", 1_000)
    for number in range(50):
        context.seen_files.note(Path(f"/{number}"), b"x" * 200)
    assert len(context.seen_files._files) == 5 and context.seen_files._bytes == 1_000


def test_a_broken_syntax_is_told_once_it_is_broken(tmp_path: Path) -> None:
    context = Context(tmp_path)
    for name, text, old, new in (
        ("a.py", "def f():\n    return 1\n", "f():", "f(:"),
        ("a.json", '{"a": 1}\n', "1", "1,"),
        ("a.toml", "a = 1\n", "1", "1 1"),
    ):
        (tmp_path / name).write_text(text)
        said = edit(context, old, new, name)[1]
        assert "It is no valid" in said and "now:" in said
        again = edit(context, new, new * 2, name)[1]
        assert "It is no valid" not in again
    (tmp_path / "b.py").write_text("x = '\\d'\n")
    assert "It is no valid" not in edit(context, "x", "y", "b.py")[1]
