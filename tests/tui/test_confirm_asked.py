"""Questions outside a turn that want a yes or a no, on the screen and line by line."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import QuestionAnswered, QuestionAsked
from agent_tui.protocol.ops import Answer, Cancel
from agent_tui.protocol.transcript import Question
from agent_tui.tui.linear import announcer
from tests.tui.play import Play

TEXT = "Use the model openai/x in this project?\nThe project suggests it: config.toml:1"
QUESTION = Question("q", "confirm", TEXT, ("openai/x from now on", "your own"))


def asked() -> Play:
    play = Play()
    play.feed(
        QuestionAsked(id="q", kind="confirm", text=TEXT, options=QUESTION.options, session="s")
    )
    return play


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        ("y", ""),
        ("1", ""),
        ("y enter", "yes"),
        ("1 enter", "yes"),
        ("n", ""),
        ("2", ""),
        ("n enter", "stop"),
        ("2 enter", "stop"),
        ("enter", "stop"),
        ("escape", "later"),
    ],
)
def test_it_takes_a_letter_and_enter_or_enter_alone_for_the_no(keys: str, choice: str) -> None:
    play = asked()
    dialog = play.view.dialog
    assert dialog is not None and dialog.title == "Use the model openai/x in this project?"
    assert dialog.reason == "The project suggests it: config.toml:1"
    assert [(option.label, option.detail) for option in dialog.options] == [
        ("yes", "openai/x from now on"),
        ("no", "your own"),
    ]
    play.press(*keys.split())
    assert play.take() == ([Answer("q", choice)] if choice else [])  # type: ignore[arg-type]


@pytest.mark.parametrize(("key", "clears"), [("ctrl+c", False), ("ctrl+x", True)])
def test_a_key_that_interrupts_is_told_as_that_so_that_nothing_goes_on(
    key: str, clears: bool
) -> None:
    play = asked()
    play.press(key)
    assert play.take() == [Cancel(clears)]


def test_its_answer_leaves_no_turn_open() -> None:
    play = asked()
    play.feed(QuestionAnswered(id="q", choice="stop", idle=True, session="s"))
    assert play.view.dialog is None and play.model.transcript.state == "idle"


def test_line_by_line() -> None:
    lines = announcer.question_lines(QUESTION, (QUESTION,))
    assert lines[:2] == [
        "Question: Use the model openai/x in this project?",
        "The project suggests it: config.toml:1",
    ]
    assert lines[-1] == "Type y or n."
    assert announcer.match_answer(QUESTION, "yes") == announcer.Taken(
        "y"
    ) and announcer.match_answer(QUESTION, "no") == announcer.Taken("n")
    assert announcer.match_answer(QUESTION, "no use mine") is None
