"""Red is for what went wrong: what a person stopped is told apart from it, in words and in colour."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from agent_tui.present.blocks import ENDS
from agent_tui.present.document import Folded, sections
from agent_tui.present.plain import tool_lines
from agent_tui.protocol.transcript import Block, Transcript, TurnBlock
from agent_tui.structures.vec import Vec
from agent_tui.tui.core.display_options import DEFAULT
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
        ("cancelled", "interrupted", "notice.warning"),
        ("interrupted", "cut off", "turn.bad"),
        ("error", "failed", "turn.bad"),
    ],
)
def test_a_turn_that_was_stopped_is_none_that_failed(state: str, word: str, style: str) -> None:
    assert styles(TurnBlock(state, 12_300, 3), word) == {style}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tag", "word"), [("cancelled", "interrupted"), ("interrupted", "cut off")]
)
def test_the_screen_line_mode_and_a_document_have_one_word_for_it(tag: str, word: str) -> None:
    call, turn = tool(None, "cancelled", tag=tag), TurnBlock(tag, 12_300, 3)  # type: ignore[arg-type]
    [line] = tool_lines(call, DEFAULT, False)
    document = sections(Transcript(rows=Vec((call, turn))), str)
    said = [
        one.outcome if isinstance(one, Folded) else getattr(one, "text", "") for one in document
    ]
    assert styles(call, word) and styles(turn, word)
    assert line.endswith(f", {word}") and ENDS[tag].startswith(word)
    assert len([one for one in said if word in one]) == 2, said


def test_a_call_that_was_stopped_is_none_that_failed() -> None:
    assert styles(tool(None, "cancelled", tag="cancelled"), "interrupted") == {"notice.warning"}
    assert styles(tool(None, "cancelled", tag="interrupted"), "cut off") == {"tool.bad"}
