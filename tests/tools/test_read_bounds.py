"""What `read_file` takes of memory and time, whatever a file is made of: parts are bounded, what is
too much is said, and nothing goes on for which nobody waits."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tui.tools import read_file
from agent_tui.tools.base import ToolFailure
from agent_tui.tools.support import notebook, pieces
from agent_tui.tools.support import pdf as pdf_reader
from tests.tools.context import Context
from tests.tools.test_read_documents import pdf, read

DRAWS = "a) Tj ET BT /F1 12 Tf 72 720 Td ("


@pytest.mark.parametrize(("start", "last"), [(0, 0), (4_000_000, 0), (1, 5_000_000)])
def test_millions_of_lines_are_not_made_to_show_some(tmp_path: Path, start: int, last: int) -> None:
    (tmp_path / "a.txt").write_bytes(b"\n" * 5_000_000)
    tracemalloc.start()
    try:
        content = read(tmp_path, "a.txt", start_line=start, end_line=last).content
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert f"{max(start, 1):>5}→" in content and "of 5000000." in content
    assert peak < 30_000_000  # the list of the lines alone has 40 million bytes


LINES = st.text(alphabet="a\n\r", max_size=40)


@given(LINES, st.integers(0, 20), st.integers(0, 20), st.integers(1, 5))
def test_the_lines_are_those_of_the_whole(text: str, start: int, last: int, stride: int) -> None:
    lines = text.split("\n")
    wanted = [line.removesuffix("\r") for line in (lines[:-1] if not lines[-1] else lines)]
    args = read_file.ReadFile(path="a", start_line=start, end_line=last)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", stride)
        taken = read_file._take_lines(args, text.encode(), Context(Path("/")), False)
    begin = max(start, 1) - 1
    assert taken.total == len(wanted)
    assert [*taken.window.lines] == wanted[begin : last or None]
    assert [*taken.above] == wanted[:begin]


@pytest.mark.parametrize("part", ["[]", "{}", '""', "1"])
def test_a_notebook_of_too_many_parts_is_read_as_text(tmp_path: Path, part: str) -> None:
    count = max(notebook.MOST.values()) + 2
    (tmp_path / "a.ipynb").write_text(f'{{"cells":[{",".join([part] * count)}]}}')
    failed = read(tmp_path, "a.ipynb")
    assert failed.tag == "too_large" and "start_line" in failed.content
    assert read(tmp_path, "a.ipynb", start_line=1).tag == "ok"


def test_numbers_of_a_notebook_stay_what_they_are(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": [1, 2.5, "x"], "outputs": []}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    assert "12.5x" in read(tmp_path, "a.ipynb").content


def test_a_page_on_which_too_much_is_drawn_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("first", DRAWS * 40_000, "third"))
    content = read(tmp_path, "a.pdf").content
    assert "[Page 2]\n(not read: " in content and "[Page 3]\nthird" in content


def test_pages_that_take_long_are_left_for_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_reader, "SECONDS", -1.0)
    (tmp_path / "a.pdf").write_bytes(pdf("first", "second"))
    failed = read(tmp_path, "a.pdf")
    assert failed.tag == "too_large" and "page 1 takes longer" in failed.content


def test_reading_a_page_ends_when_nobody_waits() -> None:
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > 100

    with pytest.raises(ToolFailure):
        pdf_reader.read_pages(pdf(DRAWS * 1_000), "a.pdf", "", 10_000, stopped)
    assert asked == 101
