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
    refused = {"n": 2, "m": 3}.get(text[0], row) if not hard else row
    assert _row(play) == refused, "an Enter takes no row that a word marked, unless it refuses"


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


NO_ANSWER = (
    "ctrl+o", "shift+tab", "f1", "f9", "f12", "alt+o", "home", "ctrl+end", "alt+down",
    "ctrl+u", "delete", "ctrl+left",
)  # fmt: skip


@pytest.mark.parametrize("key", NO_ANSWER)
@pytest.mark.parametrize("letter", ["n", "alt+n", "m"])
def test_a_no_that_was_chosen_turns_into_no_yes_by_a_key_that_is_no_answer(
    letter: str, key: str
) -> None:
    play = _asked()
    play.press(letter)
    chosen = _row(play)
    play.press(key)
    if play.view.dialog is None:  # the help covers the question
        play.press("escape")
    assert _row(play) == chosen
    play.press("enter", after=3.0)
    assert Answer("a", "once") not in play.take()


@pytest.mark.parametrize("letter", ["y", "a", "n", "m", "alt+y", "alt+n"])
@pytest.mark.parametrize("draft", ["", "half a thought"])
def test_after_backspace_no_row_that_allows_is_selected(letter: str, draft: str) -> None:
    play = _asked()
    play.type(draft)
    play.press(letter if not draft else f"alt+{letter[-1]}", after=3.0)
    play.press("backspace")
    assert play.model.held is None and _row(play) in (2, 3)
    play.press("ctrl+u")
    play.press("enter", after=3.0)
    assert not {Answer("a", "once"), Answer("a", "always")} & {*play.take()}


def test_words_that_begin_as_a_no_leave_no_yes_to_the_next_enter() -> None:
    play = _asked()
    _types(play, "no thanks")
    play.press("enter", after=3.0)
    assert play.take() == [QueueEdit("add", text="no thanks")]
    play.press("enter", after=3.0)
    assert play.take() == [Answer("a", "no")]
