from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from agent_tui.protocol.display import DiffDisplay
from agent_tui.tools.base import ToolFailure, ToolResult
from agent_tui.tools.create_file import TOOL, CreateFile
from tests.tools.context import Context


def create(folder: Path, path: str, content: str, overwrite: bool = False) -> ToolResult:
    return asyncio.run(
        TOOL.run(CreateFile(path=path, content=content, overwrite=overwrite), Context(folder))
    )


def test_makes_the_file_and_its_folders(tmp_path: Path) -> None:
    result = create(tmp_path, "deep/er/new.txt", "a\nb\n")
    assert (tmp_path / "deep/er/new.txt").read_text() == "a\nb\n"
    assert (
        isinstance(result.display, DiffDisplay)
        and result.display.created
        and result.display.added == 2
    )


def test_only_line_feeds_are_counted(tmp_path: Path) -> None:
    assert "(2 lines)" in create(tmp_path, "a", "one\x0c and\u2028 more\ntwo").content


def test_never_overwrites_silently(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(ToolFailure) as caught:
        create(tmp_path, "a.txt", "yours")
    assert caught.value.tag == "exists" and "overwrite" in caught.value.text
    assert (tmp_path / "a.txt").read_text() == "mine"


def test_overwriting_on_request_keeps_the_old_content_and_the_mode(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "a.txt").chmod(0o600)
    context = Context(tmp_path)
    arguments = CreateFile(path="a.txt", content="one\n2\n", overwrite=True)
    assert TOOL.plan is not None
    display = asyncio.run(TOOL.plan(arguments, context)).display
    assert isinstance(display, DiffDisplay) and (
        display.added,
        display.removed,
        display.created,
    ) == (1, 1, False)
    asyncio.run(TOOL.run(arguments, context))
    assert context.checkpoints[context.changes[0].before] == b"one\ntwo\n"
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("path", "tag"), [("../out.txt", "blocked"), ("a.txt/b", "write_failed"), ("fifo", "exists")]
)
def test_failures_have_tags(tmp_path: Path, path: str, tag: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("a")
    os.mkfifo(work / "fifo")
    with pytest.raises(ToolFailure) as caught:
        create(work, path, "x")
    assert caught.value.tag == tag
    assert not (tmp_path / "out.txt").exists()


def test_a_link_to_outside_is_not_followed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to(tmp_path / "elsewhere.txt")
    with pytest.raises(ToolFailure) as caught:
        create(work, "link", "x")
    assert caught.value.tag == "blocked" and not (tmp_path / "elsewhere.txt").exists()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("given", ["\n", "\r\n"])
def test_a_file_that_is_replaced_keeps_its_bom_and_line_ends(
    tmp_path: Path, end: str, bom: str, given: str
) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(f"{bom}one{end}two{end}".encode())
    create(tmp_path, "a.txt", f"{bom}one{given}2{given}", overwrite=True)
    create(tmp_path, "a.txt", f"one{given}2{given}", overwrite=True)
    kept = end if end == "\r\n" else given  # what the difference shows is what is written
    assert file.read_bytes() == f"{bom}one{kept}2{kept}".encode()
