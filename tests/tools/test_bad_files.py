"""What is no ordinary file: an answer with a tag, or a right one, and never a hang."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from agent_tui.tools import glob_files, grep_files, list_files, read_file
from agent_tui.tools.base import Tool, ToolResult
from agent_tui.tools.support.walk import Reader
from tests.tools.context import Context, call

HUGE = 5_000_000_000


@pytest.fixture
def place(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "circle").mkdir()
    (tmp_path / "circle" / "up").symlink_to("..")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "proc").symlink_to("/proc/self/environ")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "latin").write_bytes("caf\u00e9\r\nnext\nlast".encode("latin-1"))
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(HUGE)
    with (tmp_path / "sparse.pdf").open("wb") as file:
        file.write(b"%PDF-1.4\n")
        file.truncate(HUGE)
    with (tmp_path / "sparse.png").open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.truncate(HUGE)
    return tmp_path


def answer(tool: Tool[Any], place: Path, **arguments: object) -> ToolResult:
    return call(tool, Context(place), **arguments)


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("fifo", {"invalid_arguments"}),
        ("dangling", {"not_found"}),
        ("loop", {"not_found", "invalid_arguments", "blocked"}),
        ("circle/up/circle/up", {"invalid_arguments"}),
        ("device", {"blocked"}),
        ("proc", {"blocked"}),
        ("binary", {"binary"}),
        ("sparse", {"binary"}),
        ("sparse.pdf", {"too_large"}),
        ("sparse.png", {"ok"}),
    ],
)
def test_reading(place: Path, name: str, tags: set[str]) -> None:
    result = answer(read_file.TOOL, place, path=name)
    assert result.tag in tags and len(result.content) < 500


@pytest.mark.parametrize("name", ["/dev/zero", "/proc/self/mem", "/proc/kmsg"])
def test_reading_what_a_person_allowed(place: Path, name: str) -> None:
    granted = Context(place, granted={Path(name).resolve()})
    result = call(read_file.TOOL, granted, path=name)
    assert result.tag in ("invalid_arguments", "blocked", "exception", "binary", "ok", "not_found")


def test_mixed_line_ends_and_bytes_that_are_no_text(place: Path) -> None:
    content = answer(read_file.TOOL, place, path="latin").content
    assert content.startswith("    1→caf�\n    2→next\n    3→last\n[Not valid UTF-8")
    assert "     3: last" in answer(grep_files.TOOL, place, pattern="^last$").content


def test_walking(place: Path) -> None:
    found = answer(glob_files.TOOL, place, pattern="**").content.splitlines()
    assert set(found) == {
        "11 files:", "binary", "circle/up", "dangling", "device", "fifo", "latin", "loop", "proc",
        "sparse", "sparse.pdf", "sparse.png",
    }  # fmt: skip
    listed = answer(list_files.TOOL, place).content
    assert "dangling -> nowhere (broken)" in listed and "fifo  (FIFO)" in listed
    assert answer(grep_files.TOOL, place, pattern="PDF").content.startswith("No match")


def test_a_socket_and_what_is_gone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert answer(read_file.TOOL, place, path="socket").tag == "invalid_arguments"
    reader = Reader(place, lambda *_: False)
    for folder, name in (("", "gone"), ("gone/", "a"), ("circle/up/", "binary")):
        with pytest.raises(OSError):
            reader.open(folder, name)
    assert reader.open("", "fifo") is None
    reader.close()
