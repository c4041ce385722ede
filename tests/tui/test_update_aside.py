"""`/btw` as values: asked beside a turn, streamed into a sheet, given up, found again."""

from __future__ import annotations

from agent_tui.protocol.events import ApprovalAsked, AsideDelta, AsideEnded, ErrorRaised, TurnEnded
from agent_tui.protocol.messages import Usage
from agent_tui.protocol.ops import AskAside, CancelAside
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.sheets.btw import NOT_KEPT
from tests.tui.play import Play, words


def _asking(running: bool = True) -> Play:
    play = Play()
    if running:
        play.begin()
    play.type("/btw what is a monad?")
    play.press("enter")
    return play


def _said(play: Play) -> str:
    shown = play.view.overlay
    assert shown is not None
    return " ".join(map(words, (*shown.lines, *shown.below)))


def test_it_asks_beside_a_turn_and_without_one() -> None:
    for running in (True, False):
        play = _asking(running)
        assert play.take() == [AskAside("aside-1", "what is a monad?")]
        assert "what is a monad?" in _said(play) and "asking" in _said(play)
        assert play.view.prompt.text == "" and play.view.queue is None


def test_the_answer_streams_into_the_sheet_and_says_what_it_cost() -> None:
    play = _asking()
    play.feed(AsideDelta("aside-1", "A **mon"), AsideDelta("aside-1", "oid**"))
    shown = play.view.overlay
    assert (
        shown is not None
        and shown.text == "A **monoid**"
        and ("Esc", "cancel") in play.view.footer.keys
    )
    play.feed(AsideEnded("aside-1", "what is a monad?", "A **monoid**.", usage=Usage(7_000, 12)))
    assert "7k tokens sent, 12 written" in _said(play).replace("7.0k", "7k") and NOT_KEPT in _said(
        play
    )
    assert list(play.model.transcript.rows) and not any(
        "monoid" in repr(row) for row in play.model.transcript.rows
    )
    play.take()
    play.press("c", "enter", "escape")
    assert play.takes(Copy) == [Copy("A **monoid**.")]
    assert play.view.overlay is None and play.model.is_running


def test_escape_gives_it_up_and_the_turn_goes_on() -> None:
    play = _asking()
    play.take()
    play.press("escape")
    assert play.take() == [CancelAside()] and play.view.overlay is None and play.model.is_running
    play.feed(AsideEnded("aside-1", "what is a monad?", "A", state="cancelled"))
    assert play.view.toast is None
    play.type("/btw")
    play.press("escape", "enter")
    assert "interrupted" in _said(play)


def test_a_question_of_the_turn_comes_first_and_the_answer_is_announced() -> None:
    play = _asking()
    play.feed(ApprovalAsked(id="1", call_id="1", tool="t", label="l", session="s"))
    assert play.view.overlay is None and play.view.dialog is not None
    play.feed(AsideEnded("aside-1", "what is a monad?", "A monoid."))
    assert "/btw shows it" in play.toast


def test_what_comes_for_another_question_is_not_shown() -> None:
    play = _asking()
    play.feed(AsideDelta("aside-0", "old"), AsideEnded("aside-0", "old?", "old"))
    shown = play.view.overlay
    assert shown is not None and shown.text == "" and "asking" in _said(play)


def test_where_the_engine_has_stopped_nothing_is_asked() -> None:
    play = Play()
    play.feed(ErrorRaised("it is gone", "stopped", session="s"))
    play.take()
    play.type("/btw why?")
    play.press("enter")
    assert "has stopped" in play.toast and play.take() == [] and play.view.overlay is None


def test_a_failure_is_said() -> None:
    play = _asking()
    play.feed(AsideEnded("aside-1", "what is a monad?", state="error", problem="no server"))
    assert "no server" in _said(play)


def test_without_a_question_the_last_one_is_shown_or_how_to_ask() -> None:
    play = Play()
    play.type("/btw")
    play.press("escape", "enter")
    assert "/btw what" in play.toast and play.take() == []


def test_it_scrolls_and_the_turn_may_end_under_it() -> None:
    play = _asking()
    play.asked = (10, 52)
    play.feed(AsideDelta("aside-1", "line\n" * 50), TurnEnded(state="completed", session="s"))
    for key, scroll in (("down", 1), ("pagedown", 11), ("up", 10), ("pageup", 0), ("up", 0)):
        play.press(key)
        shown = play.view.overlay
        assert shown is not None and shown.scroll == scroll
