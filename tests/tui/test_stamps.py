"""When things happened, at the right edge."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from agent_tui.protocol.transcript import (
    Block,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    TurnBlock,
    UserBlock,
)
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.markdown.lines import DECORATION
from agent_tui.tui.transcript.blocks import block_lines
from agent_tui.tui.transcript.page import add_stamp, stamp

AT = datetime(2026, 3, 1, 14, 5, 9, tzinfo=UTC).timestamp()


def drawn(block: Block, width: int, look: Look) -> list[str]:
    lines = block_lines(block, width, False, 0.0, cell_len, look)
    return [line.text for line in add_stamp(lines, block, look, width, cell_len)]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (UserBlock("hello", at=AT), "2026-03-01 14:05"),
        (ToolBlock("c", "run", "Run make", "done", started_at=AT), "14:05:09"),
        (TurnBlock("completed", 3_100, at=AT), "14:05:09"),
    ],
)
def test_the_time_stands_at_the_right_edge(block: Block, words: str) -> None:
    on, off = Look(timestamps=True), Look()
    (line,) = drawn(block, 60, on)
    assert line.endswith(f"  {words}") and cell_len(line) == 59
    assert line.removesuffix(words).rstrip() == drawn(block, 60, off)[0].rstrip()
    assert drawn(block, 39, on) == drawn(block, 39, off)


def test_where_there_is_no_room_it_has_a_line_of_its_own() -> None:
    lines = drawn(UserBlock("many words " * 9, at=AT), 60, Look(timestamps=True))
    assert lines[-1].strip() == "2026-03-01 14:05" and cell_len(lines[-1]) == 59
    assert lines[:-1] == drawn(UserBlock("many words " * 9, at=AT), 60, Look())


def test_what_has_no_time_shows_none() -> None:
    assert stamp(TextBlock("x"), 0) == stamp(UserBlock("x"), 0) == ""


def test_durations_can_be_hidden() -> None:
    blocks: list[Block] = [
        ToolBlock("c", "run", "Run make", "done", duration_ms=420, note="allowed once"),
        TurnBlock("completed", 3_100, 2),
        ThinkingBlock("Hm.", False, 2_000),
    ]
    off = Look(durations=False)
    assert [drawn(block, 60, off)[0].strip() for block in blocks] == [
        "⚙ Run make  allowed once",
        "completed · 2 steps",
        "∴ thought",
    ]
    assert not any(drawn(block, 60, Look()) == drawn(block, 60, off) for block in blocks)


def test_a_copy_leaves_the_time_out() -> None:
    assert "stamp" in DECORATION
