from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.tools import delete_file, move_file
from tests.tools.context import Context, call


def test_a_moved_file_is_the_same_file(tmp_path: Path) -> None:
    file, context = tmp_path / "a.bin", Context(tmp_path)
    file.write_bytes(b"\0\1")
    file.chmod(0o750)
    number = file.stat().st_ino
    result = call(move_file.TOOL, context, path="a.bin", to="deep/er/b.bin")
    moved = tmp_path / "deep/er/b.bin"
    assert result.tag == "ok" and not file.exists()
    assert (moved.read_bytes(), moved.stat().st_ino) == (b"\0\1", number)
    assert moved.stat().st_mode & 0o777 == 0o750
    gone, came = context.changes
    assert context.checkpoints[gone.before] == b"\0\1" and (gone.after, came.before) == ("", "")
    assert (came.folders, gone.mode) == (2, 0o750)


def test_a_move_replaces_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    (tmp_path / "folder").mkdir()
    for to in ("b", "folder", "a"):
        assert call(move_file.TOOL, Context(tmp_path), path="a", to=to).tag == "exists"
    assert (tmp_path / "a").read_text() + (tmp_path / "b").read_text() == "ab"


@pytest.mark.parametrize("text", ["", "one\ntwo\n", "no end", "a\0b"])
def test_a_deleted_file_can_be_brought_back(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    context = Context(tmp_path)
    assert call(delete_file.TOOL, context, path="a").tag == "ok"
    [change] = context.changes
    assert not (tmp_path / "a").exists() and change.after == "" and change.mode
    assert context.checkpoints[change.before] == text.encode()


def test_only_an_empty_folder_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "full/inner").mkdir(parents=True)
    assert call(delete_file.TOOL, Context(tmp_path), path="full").tag == "blocked"
    assert call(delete_file.TOOL, Context(tmp_path), path="full/inner").tag == "ok"
    assert call(delete_file.TOOL, Context(tmp_path), path=".").tag == "blocked"
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


@pytest.mark.parametrize("tool", [move_file.TOOL, delete_file.TOOL], ids=lambda tool: tool.name)
@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("none", "not_found"),
        ("link", "invalid_arguments"),
        ("folder/../link", "invalid_arguments"),
        ("fifo", "invalid_arguments"),
        ("../out", "blocked"),
        ("dangling", "invalid_arguments"),
        ("loop", "invalid_arguments"),
    ],
)
def test_what_is_no_file_of_ours_stays(tmp_path: Path, tool: object, name: str, tag: str) -> None:
    work = tmp_path / "work"
    (work / "folder").mkdir(parents=True)
    (work / "file").write_text("x")
    (tmp_path / "out").write_text("x")
    (work / "link").symlink_to("file")
    (work / "dangling").symlink_to("nowhere")
    (work / "loop").symlink_to("loop")
    os.mkfifo(work / "fifo")
    more = {"to": "new"} if tool is move_file.TOOL else {}
    result = call(tool, Context(work), path=name, **more)  # type: ignore[arg-type]
    assert result.tag == tag, result.content
    assert (work / "file").exists() and (tmp_path / "out").exists() and (work / "link").is_symlink()
