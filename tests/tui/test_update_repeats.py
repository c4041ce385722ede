"""A key that comes once too often: a finger rests on it or presses twice, or what it was meant for
is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.event import Event
from agent_tui.protocol.events import ApprovalAsked, QuestionAsked, QueueChanged, TurnEnded
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit, Steer, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import Quit, Type
from agent_tui.tui.core.msg import DraftChanged
from tests.tui.play import Play

ASKED = ApprovalAsked(id="a", call_id="c", tool="t", label="make", session="s")
AUTOREPEAT = (0.5, 0.033, 0.033, 0.033)
"""Seconds between the keys of a finger that rests on one."""


def _turn(*queued: str) -> Play:
    play = Play()
    play.begin()
    if queued:
        items = tuple(Queued(f"id-{text}", text) for text in queued)
        play.feed(QueueChanged(items=items, session="s"))
    play.effects.clear()
    return play


def _holds(play: Play, key: str) -> None:
    """Rest on `key`, which was pressed before."""
    for gap in AUTOREPEAT:
        play.press(key, after=gap)


# -- Esc for what a question took away


def _opened(what: str) -> Play:
    play = _turn("later") if what in ("edit", "alt+q") else _turn()
    if what == "completion":
        play.type("/mo")
    elif what == "edit":
        play.press("up")
    elif what == "vim":
        play.model = replace(play.model, vim="insert")
    else:
        play.press(what)
    play.take()
    return play


OPEN = ("ctrl+l", "ctrl+p", "f1", "ctrl+r", "ctrl+f", "alt+q", "completion", "edit", "vim")


@pytest.mark.parametrize("after", [0.02, 0.2, 0.6, 0.95])
@pytest.mark.parametrize("what", OPEN)
def test_esc_for_what_a_question_took_away_does_not_stop_the_turn(what: str, after: float) -> None:
    play = _opened(what)
    play.feed(ASKED, after=0.5)
    play.press("escape", after=after)
    assert (play.toast, play.take()) == ("Esc again stops", [])
    assert play.view.dialog is not None
    play.press("escape", after=0.2)
    assert play.take() == [Cancel()]


@pytest.mark.parametrize("what", [*OPEN, ""])
def test_esc_stops_at_once_where_it_is_meant_for_the_question(what: str) -> None:
    play = _opened(what) if what else _turn()
    play.feed(ASKED, after=0.5)
    play.press("escape", after=1.1 if what else 0.1)
    assert play.take() == [Cancel()]


def test_esc_for_a_list_does_not_put_off_what_is_asked_before_a_turn() -> None:
    play = Play()
    play.press("ctrl+l")
    asked: Event = QuestionAsked(
        id="q", text="Keep it?", options=("Yes", "No"), kind="confirm", session="s"
    )
    play.feed(asked)
    play.take()
    play.press("escape", after=0.3)
    assert (play.toast, play.take()) == ("Esc again decides later", [])
    play.press("escape")
    assert play.take() == [Answer("q", "later")]


def test_a_repeated_esc_at_a_question_is_none() -> None:
    play = _opened("ctrl+l")
    play.press("escape")
    play.feed(ASKED, after=0.03)
    play.press("escape", after=0.03)
    assert play.take() == []


# -- Ctrl+C


def test_ctrl_c_held_down_stops_the_turn_and_does_not_quit() -> None:
    play = _turn()
    play.press("ctrl+c")
    assert play.take() == [Cancel()]
    play.end("cancelled")
    assert play.text == "work"
    play.tick(9.0)
    for _ in range(2):  # it clears the prompt, and then it would quit
        _holds(play, "ctrl+c")
        assert play.text == "" and play.takes(Quit) == []
    play.press("ctrl+c", after=0.5)
    assert play.takes(Quit) == [Quit()]


def test_esc_held_down_rewinds_nothing_and_clears_nothing() -> None:
    for words in ("", "half a thought"):
        play = _turn()
        play.press("escape")
        play.end("cancelled")
        play.press("ctrl+c")
        play.type(words)
        _holds(play, "escape")
        assert play.view.overlay is None and play.text == words
        play.press("escape", after=0.5)
        assert (play.view.overlay is None) == bool(words) and play.text == ""


@pytest.mark.parametrize("gap", [0.15, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("words", ["", "half a thought"])
def test_escs_in_a_row_behind_the_one_that_stopped_do_nothing_more(words: str, gap: float) -> None:
    play = _turn()
    play.type(words)
    play.press("escape")
    play.feed(TurnEnded(state="completed", turn=play.turn, session="s"), after=0.05)
    for _ in range(6):
        play.press("escape", after=gap)
    assert play.view.overlay is None and play.text == words
    play.press("escape", after=1.5)
    play.press("escape", after=0.5)
    assert (play.view.overlay is None) == bool(words) and play.text == "", "later they do"


# -- Ctrl+D


def _deletes_forward(play: Play, gap: float) -> None:
    """Ctrl+D, which the prompt does with the words that stand behind its caret."""
    play.effects.clear()
    play.press("ctrl+d", after=gap)
    if Type("", "ctrl+d") in play.effects:
        play.text = play.text[1:]
        play.say(DraftChanged(play.text), after=0.0)


@pytest.mark.parametrize("gap", [0.03, 0.2, 0.6])
def test_ctrl_d_that_deletes_forward_does_not_quit_at_the_end_of_the_words(gap: float) -> None:
    play = Play()
    play.type("abc")
    for _ in range(4):
        _deletes_forward(play, gap)
    assert play.toast == ("press Ctrl+D again to quit" if gap >= 0.1 else "")
    assert play.text == "" and play.takes(Quit) == []
    play.press("ctrl+d")
    assert play.takes(Quit) == [Quit()]


def test_ctrl_d_quits_at_once_where_it_deleted_nothing() -> None:
    play = Play()
    play.press("ctrl+d")
    assert play.takes(Quit) == [Quit()]
    play = Play()
    play.type("abc")
    play.press("ctrl+c")
    play.press("ctrl+d", after=0.2)
    assert play.takes(Quit) == [Quit()]
    play = Play()
    play.type("a")
    _deletes_forward(play, 0.5)
    play.press("ctrl+d", after=1.2)
    assert play.takes(Quit) == [Quit()]


# -- Enter


@pytest.mark.parametrize("gap", [0.02, 0.12, 0.35])
@pytest.mark.parametrize("key", ["enter", "alt+s"])
def test_a_doubled_enter_sends_once(key: str, gap: float) -> None:
    play = _turn("one")
    play.type("and two")
    play.press(key)
    play.feed(
        QueueChanged(items=(Queued("id-one", "one"), Queued("id-two", "and two")), session="s"),
        after=0.0,
    )
    play.press(key, after=gap)
    assert play.take() == [QueueEdit("add", text="and two") if key == "enter" else Steer("and two")]
    play.press(key, after=0.5)
    assert play.take() == [Steer(queue_id="id-one")]


def test_a_doubled_enter_resumes_no_queue_and_steers_nothing_after_an_answer() -> None:
    play = Play()
    play.feed(QueueChanged(items=(Queued("id-one", "one"),), paused=True, session="s"))
    play.type("first this")
    play.press("enter")
    play.press("enter", after=0.1)
    assert play.take() == [Submit("first this")]
    play = _turn("one")
    play.feed(ASKED)
    play.press("enter", after=3.0)
    play.press("enter", after=0.1)
    assert {type(op) for op in play.take()} <= {Answer}
