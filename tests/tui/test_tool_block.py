"""What a folded tool line keeps where there is little room."""

from __future__ import annotations

import pytest

from agent_tui.present.texts import block_text
from agent_tui.protocol import display as d
from agent_tui.protocol.events import (
    ApprovalAnswered,
    ApprovalAsked,
    ToolEnded,
    ToolStarted,
    TurnStarted,
    fold,
)
from agent_tui.protocol.tool_events import SHELL
from agent_tui.protocol.transcript import ToolBlock
from agent_tui.tui.transcript.tool_block import FAILED_LINES, body_estimate
from tests.tui.test_blocks import page, tool


def test_the_end_of_a_failure_is_not_spent_on_blank_lines() -> None:
    output = "said\n\n\n\n" + "\n\n".join("abc") + "\n\n\n"
    shown = page(tool(d.CommandDisplay("make", output=output, exit_code=2)))
    assert shown[1:] == ["  said", "", "  a", "", "  b", "", "  c"]


def test_the_end_of_an_output_begins_with_words() -> None:
    output = "more\nabove\n\n" + "\n".join(f"  line {n}" for n in range(FAILED_LINES - 1)) + "\n"
    shown = page(tool(d.CommandDisplay("make", output=output, exit_code=2)))
    assert shown[1:] == [f"    line {n}" for n in range(FAILED_LINES - 1)], (
        "no empty line below its head"
    )
    long = "above\n\n" + "word " * 12 + "\n" + "\n".join("abcde") + "\n"
    assert page(tool(d.CommandDisplay("make", output=long, exit_code=2)), 50)[1].startswith(
        "  word"
    )
    assert page(tool(d.CommandDisplay("make", output="\n \n", exit_code=2)))[1:] == []


def test_a_label_is_worth_more_than_how_it_was_allowed() -> None:
    block = tool(
        d.CommandDisplay("make", exit_code=0),
        label="Run make docs",
        note="no sandbox",
        duration_ms=42,
    )
    assert page(block, 43) == ["⚙ Run make docs  ✓ · 42 ms · no sandbox"]
    assert page(block, 38) == ["⚙ Run make docs  ✓ · 42 ms"]
    assert page(block, 38, open=True)[:2] == ["⚙ Run make docs  ✓ · 42 ms · no", "  sandbox"]


def test_an_open_command_is_not_begun_above_where_it_stands_whole() -> None:
    command = "echo " + "word " * 40 + "end"
    block = tool(
        d.CommandDisplay(command, exit_code=1), label=f"Run {command[:90]} …", note="no sandbox"
    )
    head, *rest = page(block, 60, open=True)
    assert head.endswith("…  ✗ exit code 1 · no sandbox") and len(head) <= 60
    assert rest[0].startswith("  $ echo word")


def test_what_a_person_ran_says_how_the_rest_is_seen() -> None:
    output = "\n".join(f"line {number}" for number in range(20))
    own = page(tool(d.CommandDisplay("seq", output=output, exit_code=0), name=SHELL, label="! seq"))
    assert own[1] == "  … 12 more lines (click or Ctrl+O)" and own[2:] == [
        f"  line {n}" for n in range(12, 20)
    ]
    whole = page(
        tool(d.CommandDisplay("seq", output="one\ntwo\n", exit_code=0), name=SHELL, label="! seq")
    )
    assert whole == ["⚙ ! seq  ✓ 2 lines", "  one", "  two"]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("3.20 a box\n", "  3.20 a box"),
        ("green 3.20\nblack 2.80\n", "  2 lines"),
        ("\x1b[1m" + "x" * 41, f"  ␛[1m{'x' * 36}…"),
        (" \n", ""),
    ],
    ids=["short", "lines", "long", "blank"],
)
def test_a_text_says_folded_what_came_of_the_call(text: str, outcome: str) -> None:
    block = tool(d.TextDisplay(text), name="price", label="Look up the price of tea")
    assert page(block, 100) == [f"⚙ Look up the price of tea{outcome}"]


DIFF = d.DiffDisplay(
    "notes.md", added=1, removed=1, hunks=(d.Hunk(1, 1, (" one", "-two", "+zwei")),)
)


def ended(
    proposed: d.Display, tag: str = "denied", label: str = "Edit notes.md", began: bool = False
) -> ToolBlock:
    """A call that a person was asked about, and its end."""
    asked = ApprovalAsked(id="a", call_id="c", tool="t", label=label, display=proposed)
    answered = ApprovalAnswered(id="a", choice="once" if began else "no", n=3)
    no = d.TextDisplay(f"Error [{tag}]: the person said no")
    end = ToolEnded(call_id="c", name="t", label=label, content="", tag=tag, display=no)
    started = [ToolStarted(call_id="c", name="t", label=label)] if began else []
    block = fold([TurnStarted(turn=1, prompt="go"), asked, answered, *started, end]).rows[1]
    assert isinstance(block, ToolBlock)
    return block


@pytest.mark.parametrize("tag", ["denied", "blocked", "cancelled", "interrupted"])
def test_a_change_that_was_not_made_opens_and_shows_what_was_proposed(tag: str) -> None:
    block = ended(DIFF, tag)
    shown = page(block, open=True)
    assert shown[-4:] == ["  not done  +1 -1", "  1   one", "  2 - two", "  2 + zwei"]
    assert not any("two" in line or "not done" in line for line in page(block)), (
        "folded it is as short as it was"
    )
    assert body_estimate(block, True) == 3
    assert "zwei" in block_text(block), "what is drawn is found"


def test_what_began_is_not_shown_as_proposed() -> None:
    block = ended(DIFF, "exception", began=True)
    assert block.proposed is None and not any("zwei" in line for line in page(block, open=True))


def test_a_refused_command_is_shown_whole_where_its_label_is_cut() -> None:
    command = "echo " + "word " * 40 + "end"
    head, *rest = page(
        ended(d.CommandDisplay(command), label=f"Run {command[:90]} …"), 60, open=True
    )
    assert head.endswith("…  ✗ denied") and len(head) <= 60
    assert rest[1:3] == ["  not done", "  $ echo " + "word " * 9 + "word"]
    short = page(ended(d.CommandDisplay("ls"), label="Run ls"), open=True)
    assert short == ["⚙ Run ls  ✗ denied", "  you said no"]
