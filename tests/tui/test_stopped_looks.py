"""Red is for what went wrong: what a person stopped is told apart from it, in words and in colour."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from agent_tui.protocol.transcript import Block, TurnBlock
from agent_tui.tui.transcript.blocks import block_lines
from tests.tui.test_blocks import tool


def styles(block: Block, word: str) -> set[str]:
    return {
        run.style
        for line in block_lines(block, 80, False, 0.0, cell_len)
        for run in line.segments
        if run.text == word
    }


@pytest.mark.parametrize(
    ("state", "word", "style"),
    [
        ("completed", "completed", "turn"),
        ("cancelled", "cancelled", "notice.warning"),
        ("interrupted", "cut off", "turn.bad"),
        ("error", "failed", "turn.bad"),
    ],
)
def test_a_turn_that_was_stopped_is_none_that_failed(state: str, word: str, style: str) -> None:
    assert styles(TurnBlock(state, 12_300, 3), word) == {style}  # type: ignore[arg-type]


def test_a_call_that_was_stopped_is_none_that_failed() -> None:
    assert styles(tool(None, "cancelled", tag="cancelled"), "cancelled") == {"notice.warning"}
    assert styles(tool(None, "cancelled", tag="interrupted"), "interrupted") == {"tool.bad"}
