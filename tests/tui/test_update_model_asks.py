"""Questions of the model and its plans: which keys choose, mark, turn and answer, on the screen and
line by line."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import PlanDisplay
from agent_tui.protocol.events import QuestionAnswered, QuestionAsked, ToolStarted
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit
from agent_tui.protocol.transcript import Question
from agent_tui.tui.core.effects import Type
from agent_tui.tui.core.msg import QuestionAnswered as Said
from agent_tui.tui.linear import announcer
from tests.tui.play import Play

TIE = QuestionAsked("a", "ask", "Which `way`?", ("even", "up"), "c", ("no bias", ""), session="s")
PYTHONS = QuestionAsked("b", "ask", "Which Pythons?", ("3.11", "3.12"), "c", (), True, session="s")
PLAN = QuestionAsked(
    "p",
    "plan",
    "Start with this plan?",
    ("start", "start, and accept edits"),
    "c",
    ("x", "y"),
    display=PlanDisplay("1. Do it"),
    session="s",
)


def asking(*questions: QuestionAsked) -> Play:
    play = Play()
    play.begin()
    play.feed(ToolStarted("c", "ask_user", "Ask", session="s", turn=1), *questions)
    play.tick(3.0)
    play.effects.clear()
    return play


def labels(play: Play) -> list[str]:
    dialog = play.view.dialog
    assert dialog is not None
    return [option.label for option in dialog.options]


def row(play: Play) -> int:
    dialog = play.view.dialog
    assert dialog is not None
    return dialog.selected


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("enter", Answer("a", "choose", picks=(0,))),
        ("2 enter", Answer("a", "choose", picks=(1,))),
        ("down enter", Answer("a", "choose", picks=(1,))),
        ("n enter", Answer("a", "no")),
        ("2", None),
        ("n", None),
        ("escape", Cancel()),
    ],
)
def test_one_option_is_chosen(keys: str, answer: Answer | Cancel | None) -> None:
    play = asking(TIE)
    assert labels(play) == ["even", "up", "another answer", "decline"]
    for key in keys.split():
        play.press(key, after=2.0)
    assert play.take() == ([answer] if answer else [])


def test_own_words_are_an_answer() -> None:
    play = asking(TIE)
    play.press("m", "enter", after=2.0)
    assert play.model.composer.asks("say")
    play.type("neither")
    play.press("enter", after=2.0)
    assert play.take() == [Answer("a", "say", "neither")]


@pytest.mark.parametrize("ask", [TIE, PYTHONS, PLAN])
def test_typed_words_answer_nothing(ask: QuestionAsked) -> None:
    play = asking(ask)
    play.press("1", after=2.0, rests=False)
    play.press("space", "a", "n", "d", "space", "2", "enter", after=0.15, rests=False)
    play.press("enter", after=0.3)
    assert not [op for op in play.take() if isinstance(op, Answer)]


def test_space_and_numbers_mark_and_only_enter_answers() -> None:
    play = asking(PYTHONS)
    assert dict(play.view.footer.keys)["Space"] == "mark"
    play.press("space", "down", "space", after=0.2)
    assert labels(play)[:2] == ["[x] 3.11", "[x] 3.12"] and play.take() == []
    play.press("1", after=0.2)
    assert labels(play)[:2] == ["[ ] 3.11", "[x] 3.12"] and row(play) == 0
    play.press("enter", after=2.0)
    assert play.take() == [Answer("b", "choose", picks=(1,))]


def test_without_a_mark_no_option_is_the_answer() -> None:
    play = asking(PYTHONS)
    play.press("down", "enter", after=2.0)
    assert play.toast == "nothing is marked: press Space first" and play.take() == []
    play.press("space", "enter", after=2.0)
    assert play.take() == [Answer("b", "choose", picks=(1,))]


def said_aside(*, gap: float = 2.0) -> Play:
    """Words went to the queue while the question waits, and the prompt is empty again."""
    play = asking(PYTHONS)
    play.type("also the docs")
    play.press("enter", after=2.0)
    assert play.take() == [QueueEdit("add", text="also the docs")]
    play.tick(gap)
    return play


def test_space_marks_again_once_words_were_queued() -> None:
    play = said_aside()
    assert dict(play.view.footer.keys)["Space"] == "mark"
    play.press("enter", after=1.0)
    assert play.toast == "nothing is marked: press Space first"
    play.press("space", after=1.0)
    assert labels(play)[0] == "[x] 3.11" and play.text == ""
    play.press("down", "space", after=1.0)
    play.press("enter", after=2.0)
    assert play.take() == [Answer("b", "choose", picks=(0, 1))]


def test_space_that_comes_too_soon_behind_words_types_nothing_unseen() -> None:
    play = said_aside(gap=0.1)
    for _ in range(3):
        play.press("space", after=0.3)
        assert play.toast == "not marked: pause, then press Space" and play.text == ""
    play.press("space", after=1.0)
    assert labels(play)[0] == "[x] 3.11"


def test_words_that_begin_with_a_space_are_words_there_too() -> None:
    play = said_aside()
    play.press("space", "a", "s", after=0.2)
    assert play.text == " as" and labels(play)[0] == "[ ] 3.11"


def test_a_space_alone_in_the_prompt_does_not_keep_space_from_marking() -> None:
    play = asking(PYTHONS)
    play.type(" ")
    assert dict(play.view.footer.keys)["Space"] == "mark"
    play.press("space", after=2.0)
    assert labels(play)[0] == "[x] 3.11" and play.text == " "


def test_beside_words_alt_and_the_number_mark_and_are_named() -> None:
    play = asking(PYTHONS)
    play.type("some words")
    assert dict(play.view.footer.keys)["Alt+1"] == "mark"
    play.press("down", after=2.0)
    assert dict(play.view.footer.keys)["Alt+2"] == "mark"
    play.press("enter", after=2.0)
    assert play.toast == "nothing is marked: press Alt+2 first"
    play.press("alt+2", after=2.0)
    assert labels(play)[1] == "[x] 3.12"
    assert "Alt+2" in dict(play.view.footer.keys)
    play.press("enter", after=2.0)
    assert play.take() == [Answer("b", "choose", picks=(1,))] and play.text == "some words"


def test_a_mark_with_words_right_behind_it_was_text() -> None:
    play = asking(PYTHONS)
    play.press("1", after=2.0)
    play.press("space", after=0.2)
    assert labels(play)[0] == "[ ] 3.11"
    play.effects.clear()
    play.press("x", after=0.2)
    assert play.takes(Type)[:2] == [Type("1 ", ""), Type("x", "x")]
    assert labels(play)[:2] == ["[ ] 3.11", "[ ] 3.12"]


def test_an_enter_right_behind_a_mark_is_none() -> None:
    play = asking(PYTHONS)
    play.press("space", after=2.0, rests=False)
    play.press("enter", after=0.1)
    assert play.toast == "not answered: pause, then press Enter" and play.take() == []


def test_tabs_keep_their_marks_and_answers_until_all_have_one() -> None:
    play = asking(TIE, PYTHONS)
    play.press("right", after=2.0)
    play.press("down", "space", after=1.0)
    play.press("left", after=2.0)
    play.press("2", "enter", after=2.0)
    assert play.take() == [Answer("a", "choose", picks=(1,))]
    play.feed(QuestionAnswered(id="a", choice="choose", picks=(1,), session="s"))
    dialog = play.view.dialog
    assert dialog is not None and (dialog.id, dialog.position) == ("b", "2 of 2")
    assert labels(play)[:2] == ["[ ] 3.11", "[x] 3.12"] and row(play) == 1
    assert dialog.others == ("✓ Which `way`?",)
    play.press("left", after=2.0)
    dialog = play.view.dialog
    assert dialog is not None and (dialog.id, dialog.selected) == ("a", 1)
    assert dialog.about == ("answered", "answered")
    play.press("up", "enter", after=2.0)
    assert play.take() == [Answer("a", "choose", picks=(0,))]
    play.feed(QuestionAnswered(id="a", choice="say", text="none", session="s"))
    play.press("left", after=2.0)
    assert row(play) == 2, "their own words"
    play.press("right", "enter", after=2.0)
    assert play.take() == [Answer("b", "choose", picks=(1,))]
    play.feed(QuestionAnswered(id="b", choice="choose", picks=(1,), session="s"))
    assert (play.view.dialog is None and not play.model.tabs) or play.model.question is None


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("e enter", Answer("p", "choose", picks=(1,))),
        ("y enter", Answer("p", "choose", picks=(0,))),
        ("n enter", Answer("p", "no")),
        ("4 enter", Answer("p", "no")),
    ],
)
def test_a_plan_is_judged(keys: str, answer: Answer) -> None:
    play = asking(PLAN)
    dialog = play.view.dialog
    assert dialog is not None and dialog.title == "Start with this plan?"
    assert dialog.display == PlanDisplay("1. Do it") and not dialog.warning
    for key in keys.split():
        play.press(key, after=2.0)
    assert play.take() == [answer]


def test_where_enter_is_refused_no_number_is_named_that_would_unmark() -> None:
    play = asking(PYTHONS)
    play.press("space", after=2.0, rests=False)
    play.press("enter", after=0.1)
    assert dict(play.view.footer.keys) == {"↑↓": "choose", "Space": "mark"}


# -- line by line


def opened(asked: QuestionAsked) -> Question:
    [question] = asking(asked).model.transcript.questions
    assert isinstance(question, Question)
    return question


@pytest.mark.parametrize(
    ("asked", "line", "said"),
    [
        (TIE, "2", Said("a", "choose", picks=(1,))),
        (TIE, "Even", Said("a", "choose", picks=(0,))),
        (TIE, "n", Said("a", "no")),
        (TIE, "m neither of them", Said("a", "say", text="neither of them")),
        (TIE, "m", Said("a", "say", asks=True)),
        (PYTHONS, "1,2", Said("b", "choose", picks=(0, 1))),
        (PYTHONS, "2 1", Said("b", "choose", picks=(0, 1))),
        (PYTHONS, "2", Said("b", "choose", picks=(1,))),
        (PLAN, "y", Said("p", "choose", picks=(0,))),
        (PLAN, "no, shorter", Said("p", "say", text="shorter")),
    ],
)
def test_a_line_answers(asked: QuestionAsked, line: str, said: Said) -> None:
    question = opened(asked)
    taken = announcer.match_answer(question, line)
    assert taken is not None and announcer.reply(question, taken) == said
    play = asking(asked)
    play.say(said)
    [*ops] = play.take()
    assert ops == ([] if said.asks else [Answer(said.id, said.choice, said.text, picks=said.picks)])


@pytest.mark.parametrize(
    ("asked", "line"),
    [(TIE, "1,2"), (TIE, "3"), (PYTHONS, "1,3"), (TIE, "perhaps"), (TIE, "no way"), (PLAN, "ok")],
)
def test_a_line_that_is_none_of_the_answers(asked: QuestionAsked, line: str) -> None:
    assert announcer.match_answer(opened(asked), line) is None


def test_what_is_said_of_it() -> None:
    assert announcer.question_lines(opened(PYTHONS), ()) == [
        "Question: Which Pythons?",
        "1: 3.11",
        "2: 3.12",
        "m: another answer",
        "n: decline (it goes on without an answer)",
        "Type 1, 2, m or n, or several as 1,2, or m and your own answer.",
    ]
    assert announcer.question_lines(opened(PLAN), ())[:3] == [
        "Question: Start with this plan?",
        "1. Do it",
        "y or 1: start (x)",
    ]
