"""The question whether more than the budget may be used, on the screen and line by line."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import QuestionAsked
from agent_tui.protocol.ops import Answer
from agent_tui.protocol.transcript import Question
from agent_tui.tui.linear import announcer
from tests.tui.play import Play

TEXT = "The budget of $5.00 (max_cost) is used up: $5.0200."
QUESTION = Question("q", "budget", TEXT, ("stop", "continue"))


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        ("s enter", "stop"),
        ("1 enter", "stop"),
        ("enter", "stop"),
        ("c enter", "continue"),
        ("2 enter", "continue"),
    ],
)
def test_stop_is_what_enter_means(keys: str, choice: str) -> None:
    play = Play()
    play.begin()
    play.feed(
        QuestionAsked(id="q", kind="budget", text=TEXT, options=("stop", "continue"), session="s")
    )
    dialog = play.view.dialog
    assert dialog is not None and dialog.title == "The budget is reached" and dialog.reason == TEXT
    assert [option.label for option in dialog.options] == ["stop", "continue"]
    play.press(*keys.split())
    assert play.take() == [Answer("q", choice)]  # type: ignore[arg-type]


def test_a_model_without_a_price_is_no_budget_that_is_reached() -> None:
    play = Play()
    play.begin()
    play.feed(
        QuestionAsked(
            id="q",
            kind="price",
            text="No price is known.",
            options=("stop", "continue"),
            session="s",
        )
    )
    dialog = play.view.dialog
    assert dialog is not None and dialog.title == "No price is known"
    assert [option.detail for option in dialog.options][1] == "continue without counting the cost"
    play.press("c", "enter")
    assert play.take() == [Answer("q", "continue")]


def test_line_by_line() -> None:
    lines = announcer.question_lines(QUESTION, (QUESTION,))
    assert lines[:2] == ["Question: The budget is reached", TEXT] and lines[-1] == "Type s or c."
    assert announcer.match_answer(QUESTION, "continue") == announcer.Taken(
        "c"
    ) and announcer.match_answer(QUESTION, "1") == announcer.Taken("s")
    assert (
        announcer.match_answer(QUESTION, "m go on") is None
        and announcer.match_answer(QUESTION, "perhaps") is None
    )
