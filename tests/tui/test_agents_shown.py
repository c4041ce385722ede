"""Sub-agents on the screen: a line for each below its call, its rows when that is open; and nothing
else changes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_tui.present import texts as search
from agent_tui.present.plain import tool_lines
from agent_tui.protocol.event import Event
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    DraftSaved,
    ErrorRaised,
    StepStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    fold,
)
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.ops import Answer
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.tui.core.display_options import DEFAULT
from agent_tui.tui.runtime import engine_client
from agent_tui.tui.screen.notify import title_of
from agent_tui.tui.transcript.blocks import MOST_LIVE_ROWS, block_lines, extent, gap
from agent_tui.tui.transcript.groups import kind
from tests.strategies import trees
from tests.tui.play import Play

CALL = ToolStarted(call_id="c", name="task", label="task look around", at=5.0, session="s")
BEGUN = [
    TurnStarted(turn=1, prompt="read the parser", session="s"), StepStarted(step=1, session="s"),
    ToolStarted(call_id="r", name="read_file", label="Read a.py", session="s"),
]  # fmt: skip
USED = UsageReported(usage=Usage(900, 120), session="s")


def of(agent: str, *told: Event) -> list[Event]:
    return [replace(event, agent=agent, parent_call="c", session="s") for event in told]


def block(*told: Event) -> ToolBlock:
    found = fold([CALL, *told]).rows[0]
    assert isinstance(found, ToolBlock)
    return found


def page(shown: ToolBlock, open: bool = False, width: int = 70) -> list[str]:
    return [line.text.rstrip() for line in block_lines(shown, width, open, 9.0, cell_len)]


def test_each_agent_is_one_line_with_its_name_state_steps_tokens_and_what_it_does() -> None:
    done = of(
        "two", *BEGUN, USED, AssistantReplied(text="Fine."), TurnEnded(state="completed", steps=1)
    )
    shown = block(*of("one", *BEGUN), *done)
    assert page(shown)[1:] == [
        "  … one  working · step 1 · Read a.py",
        "  ✓ two  done · 1 step · 120 tokens out",
    ]
    assert kind(replace(shown, state="done")) is None and gap(shown, shown) == 1
    assert extent(shown, False)[0] == 2


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([TurnEnded(state="cancelled", steps=1)], "✗ one  interrupted · 1 step"),
        ([TurnEnded(state="error", steps=1)], "✗ one  failed · 1 step"),
        ([StepStarted(step=2), TextDelta(text="so")], "… one  working · step 2 · Read a.py"),
        (
            [ApprovalAsked(id="a", call_id="w", tool="x", label="Write b")],
            "… one  waits for you · step 1 · Write b",
        ),
    ],
)
def test_its_state_in_words(told: list[Event], words: str) -> None:
    assert page(block(*of("one", *BEGUN, *told)))[1].strip() == words


def test_open_its_rows_are_below_its_line_the_newest_while_it_works() -> None:
    answer = AssistantReplied(text="It **parses**.")
    shown = page(block(*of("one", *BEGUN, answer)), open=True)
    assert shown[1].strip().startswith("… one") and shown[2].strip() == "❯ read the parser"
    assert shown[-1].strip() == "It parses."
    many = [ErrorRaised(f"number {n}") for n in range(300)]
    long = page(block(*of("one", *BEGUN, *many)), open=True)
    assert len(long) == 3 + MOST_LIVE_ROWS and "282 earlier rows" in long[2]
    over = page(block(*of("one", *BEGUN, *many, TurnEnded(state="error"))), open=True)
    assert "number 299" in over[-2] and "103 earlier rows" in over[2]


@given(trees(), st.integers(1, 90), st.booleans())
def test_every_tree_fits_its_width(told: list[Event], width: int, open: bool) -> None:
    for row in fold(told).rows:
        for line in block_lines(row, width, open, 0.0, cell_len):
            assert cell_len(line.text) <= width


def test_what_it_says_is_found_and_told_without_a_screen() -> None:
    shown = block(*of("one", *BEGUN, AssistantReplied(text="the needle")))
    assert "the needle" in search.block_text(shown) and "needle" not in search.head(shown)
    assert tool_lines(shown, DEFAULT, False)[-1] == "Agent one: working, step 1, Read a.py"
    assert tool_lines(shown, DEFAULT, True)[-1] == "the needle"


def playing() -> Play:
    play = Play()
    play.begin("split it")
    play.feed(CALL)
    return play


def test_its_turn_touches_neither_the_prompt_nor_the_turn_of_the_session() -> None:
    play = playing()
    play.type("my own words")
    before = play.model
    play.feed(
        *of("one", *BEGUN, DraftSaved("not mine"), ErrorRaised("no"), TurnEnded(state="error"))
    )
    after = play.model
    assert (after.composer.draft, after.toast, after.is_running) == (
        "my own words",
        before.toast,
        True,
    )
    assert len(after.transcript.rows) == len(before.transcript.rows) == 2


def test_what_it_asks_is_asked_with_its_name_and_answered_alone() -> None:
    play = playing()
    ask = ApprovalAsked(id="a1", call_id="w", tool="write_file", label="Write b.py")
    other = replace(ask, id="a2", label="Write c.py")
    shown = play.feed(*of("one", *BEGUN, ask), *of("one/deep", other))
    assert shown.dialog is not None and shown.dialog.title == "one: Allow this? Write b.py"
    assert title_of(play.model.transcript).startswith("? ")
    play.press("y", "enter", after=5.0)
    assert play.take() == [Answer("a1", "once")]


def test_deltas_of_agents_that_write_at_once_are_joined_for_each() -> None:
    one = [TextDelta(text=text, agent="one") for text in "ab"]
    two = [TextDelta(text=text, agent="two") for text in "cd"]
    end = ToolEnded(call_id="c", name="n", label="l", content="", agent="one")
    mixed = [one[0], two[0], TextDelta(text="m"), one[1], two[1], end, one[0]]
    assert [getattr(event, "text", "") for event in engine_client.join(mixed)] == [
        "ab",
        "cd",
        "m",
        "",
        "a",
    ]


@given(trees())
def test_joined_events_of_a_tree_fold_into_the_same_transcript(told: list[Event]) -> None:
    joined = [event for event in engine_client.join(told) if isinstance(event, Event)]
    assert fold(joined) == fold(told)
