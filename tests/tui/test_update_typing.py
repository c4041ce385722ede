"""What is typed or deleted at a question is no answer, however slowly the next word follows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.events import ApprovalAsked, QueueChanged
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.msg import VimMoved
from tests.tui.play import Play

GAPS = [0.31, 0.35, 0.4, 0.7, 1.0, 1.4]


def _asks(play: Play, after: float = 1.0) -> Play:
    asked = ApprovalAsked(
        id="a", call_id="c", tool="t", label="make", always="exactly this", session="s"
    )
    play.feed(asked, after=after)
    play.effects.clear()
    return play


def _turn(draft: str = "", vim: bool = False) -> Play:
    play = Play()
    if vim:
        play.model = replace(play.model, vim="normal")
    play.begin()
    if draft:
        play.type(draft)
    play.tick(9.0)
    return play


def _writes(play: Play, *keys: str, gap: float) -> None:
    """Press `keys`, and wait `gap` seconds before each."""
    for key in keys:
        play.press(key, after=gap, rests=False)
    play.tick(2.0)


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("word", ["yes", "no", "1", "my"])
@pytest.mark.parametrize("key", ["i", "I", "a", "A", "o", "O"])
def test_a_key_that_enters_vims_insert_mode_begins_words(key: str, word: str, gap: float) -> None:
    play = _asks(_turn(vim=True))
    play.press(key, after=1.7, rests=False)
    _writes(play, *word, gap=gap)
    assert (play.take(), play.text) == ([], word)


@pytest.mark.parametrize("gap", GAPS[:-1])
def test_insert_mode_entered_right_before_a_question_begins_words_too(gap: float) -> None:
    play = _turn(vim=True)
    play.say(VimMoved("insert"))
    _asks(play, after=0.1)
    _writes(play, *"yes", gap=gap)
    assert (play.take(), play.text) == ([], "yes")


def test_a_letter_that_waits_for_enter_begins_a_word_of_slow_letters() -> None:
    for gap in GAPS:
        play = _asks(_turn())
        _writes(play, *"any", gap=gap)
        assert (play.take(), play.text) == ([], "any")


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("how", ["ctrl+c", "ctrl+u", "backspace", "edit"])
def test_a_word_after_others_were_deleted_at_a_question_answers_nothing(
    how: str, gap: float
) -> None:
    play = _turn("" if how == "edit" else "so")
    if how == "edit":
        play.feed(QueueChanged(items=(Queued("q1", "later"),), session="s"))
        play.press("up")
        assert play.text == "later"
    _asks(play)
    play.tick(0.5)
    match how:
        case "ctrl+u":
            play.text = ""
            play.type("")
        case "backspace":
            play.press("backspace", "backspace", after=0.05)
        case _:
            play.press("ctrl+c")
    assert play.text == ""
    _writes(play, *"yes", gap=gap)
    assert (play.take(), play.text) == ([], "yes")


@pytest.mark.parametrize("gap", GAPS[:-1])
def test_a_word_after_others_were_deleted_right_before_a_question_answers_nothing(
    gap: float,
) -> None:
    play = _turn("so")
    play.text = ""
    play.type("")
    _asks(play, after=0.1)
    _writes(play, *"yes", gap=gap)
    assert (play.take(), play.text) == ([], "yes")


def test_alt_and_a_letter_and_the_arrows_answer_after_words_were_deleted() -> None:
    for keys, answer in ((("alt+y", "enter"), "once"), (("down", "down", "enter"), "no")):
        play = _asks(_turn("so"))
        play.press("ctrl+c")
        play.press(*keys, after=2.0)
        assert [getattr(op, "choice", "") for op in play.take()] == [answer]
