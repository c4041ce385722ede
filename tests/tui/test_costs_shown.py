"""What a turn and a session cost, where a person sees it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.present import plain as linear
from agent_tui.present import wording
from agent_tui.protocol.events import SessionStarted, UsageReported
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.transcript import Bill, TurnBlock
from agent_tui.tui.core.display_options import Look
from agent_tui.tui.screen.header import header_view
from tests.tui.play import Play, words
from tests.tui.test_blocks import page


def test_costs_in_words() -> None:
    costs = ((0.0, False), (0.00001, False), (0.0042, True), (0.31, False), (1.238, True))
    assert [wording.cost(*each) for each in costs] == [
        "$0.00",
        "< $0.0001",
        "≈ $0.0042",
        "$0.31",
        "≈ $1.24",
    ]


@pytest.mark.parametrize(
    ("bill", "said"),
    [(Bill(), ""), (Bill(0.0), ""), (Bill(0.0123), " · $0.0123"), (Bill(1.5, True), " · ≈ $1.50")],
)
def test_what_a_turn_cost_stands_at_its_end(bill: Bill, said: str) -> None:
    block = TurnBlock("completed", tokens=12, bill=bill)
    assert page(block, 80) == [f"  completed · 12 tokens out{said}"]
    spoken = said.replace(" · ", ", ").replace("≈", "about")
    assert linear.turn(block, Look(durations=False)).endswith(f"12 tokens out{spoken}.")


def test_what_the_session_cost_can_stand_at_the_top() -> None:
    play = Play()
    play.feed(SessionStarted(session="s", cwd="/", model="a/b", window=32_768))
    look = replace(play.model.look, status=("model", ">", "cost", "context"))
    assert "$" not in words(header_view(replace(play.model, look=look)).right_spans)
    play.feed(UsageReported(usage=Usage(10, 1), cost=0.0123, session="s"))
    assert "$0.0123" in words(header_view(replace(play.model, look=look)).right_spans)
    play.feed(UsageReported(usage=Usage(10, 1), cost=1.5, cost_estimated=True, session="s"))
    assert "≈ $1.51" in words(header_view(replace(play.model, look=look)).right_spans)


def test_a_title_costs_and_fills_no_context() -> None:
    play = Play()
    play.feed(SessionStarted(session="s", cwd="/", model="a/b", window=32_768))
    play.feed(UsageReported(usage=Usage(900, 90), cost=0.5, purpose="title", session="s"))
    assert (play.model.transcript.context_tokens, play.model.transcript.bill.cost) == (0, 0.5)
