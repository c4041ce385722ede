"""What is selected of code and of output is copied as it was written: tabs are tabs, joined
pictures are one."""

from __future__ import annotations

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from agent_tui.protocol.display import CodeDisplay, CommandDisplay, DiffDisplay, Hunk
from agent_tui.protocol.transcript import Block, TextBlock, ToolBlock, UserBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.regions import TranscriptView
from agent_tui.tui.transcript.copy_text import copy_selection
from agent_tui.tui.transcript.source_map import written_lines
from tests.tui.transcript_stage import Screen, rows_of, run

FAMILY = "👩\u200d👩\u200d👧"
MAKE = "all:\n\tcc -o a a.c\t# one\n\techo " + "word " * 12 + "end\n"
DIFF = DiffDisplay(
    "Makefile", (Hunk(1, 1, (" all:", "-\tcc a.c", "+\tcc -o a a.c", " \ttrue")),), 1, 1
)


def taken(block: Block, start: str, end: str, size: tuple[int, int] = (60, 22)) -> str:
    """What is copied from where `start` is drawn to the end of where `end` is, of a transcript that
    begins and ends with other blocks."""
    found: list[str] = []

    async def journey(app: Screen, _: Pilot[None]) -> None:
        rows, page = rows_of(app.transcript), app.transcript._page
        first = next((row.index(start), y) for y, row in enumerate(rows) if start in row)
        last = next(
            (row.index(end) + len(end), y)
            for y, row in enumerate(rows)
            if end in row and y >= first[1]
        )
        found.append(copy_selection(page, Selection(Offset(*first), Offset(*last))))

    rows: Vec[Block] = Vec([UserBlock("before"), block, UserBlock("after")])
    run(TranscriptView(rows, (), expanded=True), journey, size)
    return found[0]


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("all:", "end", MAKE.replace("    # one", "\t# one").rstrip("\n")),
        ("all:", "a.c", "all:\n\tcc -o a a.c"),
        ("cc -o", "one", "cc -o a a.c\t# one"),
        ("o a a.c", "echo", "o a a.c\t# one\n\techo"),
        ("all:", "all:", "all:"),
    ],
)
def test_code_keeps_its_tabs(start: str, end: str, text: str) -> None:
    assert taken(TextBlock(f"```make\n{MAKE}```\n", head=True), start, end) == text


@pytest.mark.parametrize("begin", ["- item\n\n  ", "- "])
def test_code_in_a_list_keeps_its_tabs(begin: str) -> None:
    block = TextBlock(f"{begin}```make\n  all:\n  \tcc a.c\n  ```\n", head=True)
    assert taken(block, "all:", "a.c") == "all:\n  \tcc a.c"


def test_a_file_and_an_output_keep_theirs() -> None:
    file = ToolBlock(
        "1", "read_file", "Read Makefile", "done", display=CodeDisplay(MAKE, "Makefile")
    )
    assert taken(file, "all:", "# one") == "all:\n\tcc -o a a.c\t# one"
    shown = CommandDisplay(
        "printf 'a\tb'", output=f"1\tone {FAMILY}\n22\ttwo\n\x1b[31m3\x1b[0m\tthree\n"
    )
    assert taken(ToolBlock("1", "run", "Run it", "done", display=shown), "1  ", "three") == (
        f"1\tone {FAMILY}\n22\ttwo\n3\tthree"
    )


def test_a_unified_diff_keeps_its_marks_and_its_tabs() -> None:
    block = ToolBlock("1", "edit_file", "Edit Makefile", "done", display=DIFF)
    assert taken(block, "1   all:", "true") == " all:\n-\tcc a.c\n+\tcc -o a a.c\n \ttrue"
    assert taken(block, "a.c", "-o a") == "a.c\n+\tcc -o a"
    refused = ToolBlock("1", "edit_file", "Edit Makefile", "failed", tag="denied", proposed=DIFF)
    assert taken(refused, "1   all:", "true") == " all:\n-\tcc a.c\n+\tcc -o a a.c\n \ttrue"
    assert (
        taken(refused, "1   all:", "true", (130, 22)) == " all:\n-\tcc a.c\n+\tcc -o a a.c\n \ttrue"
    )


def test_what_could_have_been_written_in_two_ways_is_copied_as_it_is_drawn() -> None:
    assert (
        taken(TextBlock("```\n\ta\n    a\nb\n```\n", head=True), "    a", "b") == "    a\n    a\nb"
    )
    assert not written_lines(TextBlock("\ta\n    a\n"))


def test_words_with_joined_pictures_are_one_again_where_their_line_is_known() -> None:
    block = TextBlock(f"one {FAMILY} two\n\nthree **four**\n", head=True)
    assert taken(block, "one", "thr") == f"one {FAMILY} two\n\nthr"


def test_only_the_ends_of_a_huge_output_are_looked_at() -> None:
    shown = CommandDisplay("x", output="\tfirst\n" + "\tline\n" * 400_000 + "\tlast\n")
    known = written_lines(ToolBlock("1", "run", "Run it", "done", display=shown))
    assert {written.text for written in known.values()} >= {"\tfirst", "\tlast", "\tline"}


TABLE = TextBlock(
    "| a | bee | n |\n|---|:-:|--:|\n| one two | four five | 1 |\n| seven | **nine** | 12 |\n\nend\n"
)


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("two", "nine", "two | four five | 1\nseven | nine"),
        ("four", "five", "four five"),
        ("bee", "12", "bee | n\none two | four five | 1\nseven | nine | 12"),
    ],
)
def test_the_cells_of_a_part_of_a_table_stand_apart(start: str, end: str, text: str) -> None:
    assert taken(TABLE, start, end) == text
