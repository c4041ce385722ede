"""A line that is broken within a word: a mark says so on the next one, in the gutter; no copy has
it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from rich.cells import cell_len

from agent_tui.protocol.display import (
    CodeDisplay,
    CommandDisplay,
    DiffDisplay,
    Display,
    Entry,
    Hunk,
    ListingDisplay,
    Match,
    MatchesDisplay,
    TextDisplay,
)
from agent_tui.protocol.transcript import CallBlock, ToolBlock
from agent_tui.structures.argument_stream import ArgumentStream
from agent_tui.structures.ascii import twin
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.markdown.code import GOES_ON, code_lines
from agent_tui.tui.markdown.lines import DECORATION, Line, Segment
from agent_tui.tui.transcript.copy_text import unwrap_lines
from agent_tui.tui.transcript.displays import display_lines
from agent_tui.tui.transcript.tool_block import LIVE_LINES, call_lines, tool_lines
from tests.tui.asked import asked_lines

LONG = "value = " + "abcdefghij" * 6


def copied(lines: Sequence[Line]) -> str:
    parts = [part for line in lines for part in line.segments]
    return "".join(part.text for part in parts if part.style.rpartition(" ")[2] not in DECORATION)


def texts(lines: Sequence[Line]) -> list[str]:
    return ["".join(part.text for part in line.segments) for line in lines]


def of(display: Display) -> Callable[[int], Sequence[Line]]:
    return lambda width: display_lines(display, width, True, cell_len)


@pytest.mark.parametrize(
    "draw",
    [
        lambda width: code_lines(LONG, "python", width, cell_len, (Segment("  ", "code.block"),)),
        of(CodeDisplay(LONG, "a.py")),
        of(MatchesDisplay("value", (Match("a.py", 3, LONG),), 1)),
        of(CommandDisplay(LONG)),
        of(DiffDisplay("a.py", (Hunk(1, 1, (f"+{LONG}",)),), 1, 0)),
        lambda width: asked_lines(TextDisplay(LONG), width, cell_len, DEFAULT),
    ],
    ids=["answer", "file", "matches", "command", "diff", "what is asked about"],
)
def test_what_goes_on_says_so_and_is_copied_whole(draw: Callable[[int], Sequence[Line]]) -> None:
    lines = draw(40)
    broken = [number for number, line in enumerate(lines) if line.soft]
    assert broken
    for number, text in enumerate(texts(lines)):
        assert (GOES_ON.strip() in text) is (number - 1 in broken), text
        assert cell_len(text) <= 40
    assert LONG in copied(lines)
    assert twin(GOES_ON).isascii()


def test_a_line_that_fits_has_no_mark() -> None:
    assert texts(code_lines("short", "", 40, cell_len, (Segment("  ", "code.block"),))) == [
        "  short"
    ]


@pytest.mark.parametrize("width", range(1, 12))
def test_nothing_is_lost_where_there_is_no_gutter(width: int) -> None:
    lines = code_lines(LONG, "", width, cell_len)
    assert copied(lines) == LONG


OUTPUT = f"{LONG}\nshort\n  {LONG}\n"
RAN = CommandDisplay("make", output=OUTPUT, exit_code=1)


@pytest.mark.parametrize(
    "block",
    [
        ToolBlock("1", "run", "Run make", "running", tail=OUTPUT),
        ToolBlock("1", "run", "Run make", "done", display=RAN),
        ToolBlock("1", "run", "Run make", "failed", display=RAN),
        ToolBlock("1", "read", "Read", "done", display=TextDisplay(OUTPUT)),
    ],
    ids=["running", "failing", "failed", "text"],
)
@pytest.mark.parametrize("open", [False, True])
def test_of_an_output_the_mark_hangs_in_the_margin(block: ToolBlock, open: bool) -> None:
    around = ("  $ make", "  exit code 1")
    lines = [
        line for line in tool_lines(block, 40, open, 0, cell_len)[1:] if line.text not in around
    ]
    marked = [number for number, line in enumerate(lines) if line.text.startswith(GOES_ON)]
    assert marked == [number + 1 for number, line in enumerate(lines) if line.soft]
    assert all(
        line.text.startswith(("  ", GOES_ON)) and cell_len(line.text) <= 39
        for line in lines
        if line.text
    )
    assert unwrap_lines(lines, 0, len(lines) - 1, 0, -1) == OUTPUT.strip() or not lines


def test_a_tail_that_begins_within_a_line_says_so() -> None:
    block = ToolBlock("1", "run", "Run make", "running", tail="ab " * 200)
    lines = tool_lines(block, 40, False, 0, cell_len)[1:]
    assert len(lines) == LIVE_LINES and all(line.text.startswith(GOES_ON) for line in lines)


def test_a_call_that_is_written_and_a_long_name_in_a_list_have_it_too() -> None:
    call = call_lines(
        CallBlock("create_file", ArgumentStream(body="word " * 20)), 40, True, cell_len
    )
    assert [line.text[:2] for line in call[1:]] == ["  ", *[GOES_ON] * (len(call) - 2)] and len(
        call
    ) > 3
    listed = ListingDisplay(".", (Entry("folder-with-a-name/" * 3, "file"), Entry("b", "file")), 2)
    block = ToolBlock("1", "list", "List", "done", display=listed)
    assert [line.text[:2] for line in tool_lines(block, 40, True, 0, cell_len)[1:]] == [
        "  ",
        GOES_ON,
        "  ",
    ]
