"""A line that is broken within a word: a mark says so on the next one, in the gutter; no copy has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from rich.cells import cell_len

from agent_tui.protocol.display import CodeDisplay, CommandDisplay, DiffDisplay, Display, Hunk, Match, MatchesDisplay
from agent_tui.structures.ascii import twin
from agent_tui.tui.displays import display_lines
from agent_tui.tui.markdown.code import code_lines
from agent_tui.tui.markdown.lines import GOES_ON, Line, Segment
from agent_tui.tui.markdown.styles import DECORATION

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
        of(CodeDisplay(LONG, "a.py")), of(MatchesDisplay("value", (Match("a.py", 3, LONG),), 1)),
        of(CommandDisplay(LONG)), of(DiffDisplay("a.py", (Hunk(1, 1, (f"+{LONG}",)),), 1, 0)),
    ],
    ids=["answer", "file", "matches", "command", "diff"],
)  # fmt: skip
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
    assert texts(code_lines("short", "", 40, cell_len, (Segment("  ", "code.block"),))) == ["  short"]


@pytest.mark.parametrize("width", range(1, 12))
def test_nothing_is_lost_where_there_is_no_gutter(width: int) -> None:
    lines = code_lines(LONG, "", width, cell_len)
    assert copied(lines) == LONG
