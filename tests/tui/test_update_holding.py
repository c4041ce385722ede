"""A letter that may begin a word: it chooses, and is text when another one follows."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, ModelChanged
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit, SetModel
from agent_tui.tui.core.effects import Quit, Yield
from agent_tui.tui.core.msg import EventsArrived, Pasted, Yielded
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui.play import Play

HUMAN = 0.16


def _asked(*, hard: bool = False) -> Play:
    play = Play()
    play.begin()
    always = "" if hard else "exactly this command"
    play.feed(
        ApprovalAsked(
            id="a", call_id="c", tool="t", label="make", always=always, hard=hard, session="s"
        )
    )
    play.effects.clear()
    return play


def _first_run() -> Play:
    play = Play(model="")
    play.feed(answer_event("start", "models", {"tried": [], "offered": []}, session="s"))
    play.effects.clear()
    return play


def _row(play: Play) -> int:
    shown = play.view.dialog or play.view.overlay
    assert shown is not None
    return shown.selected


def _types(play: Play, text: str) -> None:
    """As a person does, after a moment of reading."""
    first, *rest = ("space" if character == " " else character for character in text)
    play.press(first, rests=False)
    play.press(*rest, after=HUMAN, rests=False)


@pytest.mark.parametrize(
    "text", ["also add tests", "yes but first look", "no", "mind the gap", "1st of all", "ya"]
)
@pytest.mark.parametrize("hard", [False, True])
def test_words_typed_at_a_question_grant_nothing(text: str, hard: bool) -> None:
    play = _asked(hard=hard)
    row = _row(play)
    _types(play, text)
    assert play.take() == [] and play.text == text
    assert _row(play) == row, "an Enter takes no row that a word marked"


@pytest.mark.parametrize(("key", "row"), [("y", 0), ("n", 2), ("3", 2)])
def test_a_key_marks_its_row_and_answers_nothing_however_long_it_waits(key: str, row: int) -> None:
    play = _asked()
    play.press(key)
    assert _row(play) == row and play.takes(Yield) == [], "there is nothing to wait for"
    for after in (0.3, 1.0, 3_600.0, -7_200.0):
        play.say(Yielded(), after=after)
        assert play.take() == [] and play.text == "" and _row(play) == row


def test_a_wait_in_a_sheet_that_ended_too_soon_goes_on_and_a_late_one_lets_through_what_came() -> (
    None
):
    play = _first_run()
    play.press("d", rests=False)
    held_at = play.at
    assert play.takes(Yield) == [Yield(0.3)]
    play.say(Yielded(), after=0.299)
    assert play.model.held is not None and len(play.takes(Yield)) == 1
    play.effects.clear()
    play.model, effects = update(play.model, Yielded(at=held_at + 0.9))
    assert [type(effect) for effect in effects] == [Yield]
    play.at = held_at + 0.1  # it was pressed then
    play.press("o", after=0.0, rests=False)
    assert play.take() == [] and play.text == "do"


def test_a_clock_that_was_set_back_acts_in_no_sheet() -> None:
    play = _first_run()
    play.press("d", rests=False)
    play.say(Yielded(), after=-3600.0)
    assert play.take() == [] and play.text == "d"


def test_enter_behind_a_letter_answers_and_behind_words_ends_one() -> None:
    play = _asked()
    play.press("y", rests=False)
    play.press("enter", after=0.1)
    assert play.take() == [Answer("a", "once")]
    play = _asked()
    play.type("plan ")
    play.press("a", rests=False)
    play.press("enter", after=0.1)
    assert play.take() == [QueueEdit("add", text="plan a")]


def test_moving_on_escape_and_a_paste_end_the_waiting() -> None:
    play = _asked()
    play.press("a", rests=False)
    play.press("down", after=0.1)
    assert (_row(play), play.model.held, play.text) == (2, None, "")
    play.press("a", rests=False)
    play.press("escape", after=0.1)
    assert play.take() == [Cancel()] and play.model.held is None
    play = _asked()
    play.press("a", rests=False)
    play.say(Pasted("nd so on"), after=0.1)
    assert play.take() == [] and play.text == "and so on"
    play.press("n", rests=False)
    play.press("backspace", after=0.1)
    assert play.take() == [] and play.model.held is None


def test_a_letter_whose_question_is_gone_is_text() -> None:
    play = _asked()
    play.press("n", rests=False)
    play.say(EventsArrived((ApprovalAnswered(id="a", choice="no", session="s"),)), after=0.1)
    assert play.take() == [] and play.text == "n" and play.model.held is None


@pytest.mark.parametrize("text", ["quick look", "read it", "add tests", "do it", "qrs"])
def test_words_typed_at_the_first_run_go_into_the_prompt(text: str) -> None:
    play = _first_run()
    _types(play, text)
    assert play.take() == [] and play.text == text
    assert play.view.overlay is not None and _row(play) == 0


def test_quitting_waits_for_enter_however_long_and_a_word_after_it_is_whole() -> None:
    play = _first_run()
    play.press("q")
    assert _row(play) == 4
    play.press("u", after=9.0)
    assert play.text == "qu" and _row(play) == 0
    play.press("q", rests=False)
    play.press("enter", after=0.1)
    assert play.takes(Quit) == [] and play.text == "quq", "that was the end of a word"
    play.press("q")
    assert play.takes(Quit) == [] and play.text == "quqq", (
        "letters are the prompt's while it holds words"
    )
    play.press("alt+q", "enter")
    assert play.takes(Quit) == [Quit()]
    play = _first_run()
    play.press("q", "enter")
    assert play.takes(Quit) == [Quit()]
    play = _first_run()
    play.press("q", "up")
    assert _row(play) == 3
    play.press("enter")
    assert play.take() == [SetModel("demo/tour")]


def test_a_letter_held_when_a_model_is_found_is_text() -> None:
    play = _first_run()
    play.press("q")
    play.feed(ModelChanged("demo/tour", session="s"))
    assert play.view.overlay is None and play.text == "q"


def test_the_mode_key_says_that_the_answer_comes_first() -> None:
    play = _asked()
    play.press("shift+tab")
    assert play.toast == "answer first; then Shift+Tab changes the mode" and play.take() == []
