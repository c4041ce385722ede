"""Leaving while not all of the session is on disk: the header says so, and the end is a question
first."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import SavingChanged, TurnEnded, TurnStarted
from agent_tui.protocol.ops import Save
from agent_tui.tui.core.effects import Quit
from tests.answers import answer_event
from tests.tui.play import Play, words

FULL = SavingChanged(problem="No space left on device (/home/log)", through=1, session="s")
FREE = SavingChanged(session="s")
WAYS = {"command": ["/quit"], "Ctrl+D": ["ctrl+d"], "Ctrl+C twice": ["ctrl+c", "ctrl+c"]}


def unsaved() -> Play:
    play = Play()
    turn = (
        TurnStarted(prompt="go", turn=1, n=2, session="s"),
        TurnEnded(state="completed", turn=1, n=3, session="s"),
    )
    play.feed(FULL, *turn)
    return play


def leave(play: Play, way: str) -> None:
    if way == "command":
        play.type("/quit")
        play.press("enter")
    for key in WAYS[way] if way != "command" else ():
        play.press(key, after=0.5)


def sheet(play: Play) -> str:
    shown = play.view.overlay
    assert shown is not None
    about = " ".join(words(line) for line in shown.lines)
    asked = words(shown.asked)
    return f"{shown.title}: {asked} {about} {' '.join(option.label for option in shown.options)}"


def saved(play: Play, problem: str = "") -> None:
    play.feed(answer_event("saved", "saved", {"problem": problem}, session="s"))


def test_the_header_says_that_not_all_is_saved_and_for_how_long() -> None:
    play = unsaved()
    assert "not saved" in words(play.view.header.right_spans)
    play.feed(FREE)
    assert "not saved" not in words(play.view.header.right_spans)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_out_asks_first(way: str) -> None:
    play = unsaved()
    leave(play, way)
    assert not play.takes(Quit)
    said = sheet(play)
    assert "No space left on device" in said and "the prompt is not on disk" in said
    assert "Try again" in said and "Write it elsewhere" in said and "Leave" in said


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_asked_where_all_is_saved(way: str) -> None:
    play = unsaved()
    play.feed(FREE)
    leave(play, way)
    assert play.takes(Quit) and play.model.overlay is None


def test_to_leave_all_the_same_and_to_stay() -> None:
    play = unsaved()
    leave(play, "command")
    play.press("escape")
    assert play.model.overlay is None and not play.takes(Quit)
    leave(play, "command")
    play.press("down", "down", "enter")
    assert not play.takes(Quit) and "Leave and lose what is not saved?" in sheet(play)
    play.press("escape")
    assert "Try again" in sheet(play) and "lose what" not in sheet(play)
    play.press("enter", after=2.0)
    play.press("enter", after=2.0)
    assert play.takes(Quit)


def test_what_is_lost_takes_a_second_look_whatever_brought_the_cursor_there() -> None:
    for keys in (("l", "e", "a"), ("3",), ("up",), ("end",)):
        play = unsaved()
        leave(play, "command")
        play.press(*keys, "enter")
        assert not play.takes(Quit), keys
        play.press("enter", after=0.2)
        assert not play.takes(Quit), "of a row of Enters"


def test_trying_again_leaves_once_all_is_saved() -> None:
    play = unsaved()
    leave(play, "command")
    play.press("enter")
    assert play.take()[-1] == Save()
    saved(play, "No space left on device")
    assert (
        "still not saved: No space left" in play.toast
        and "Try again" in sheet(play)
        and not play.takes(Quit)
    )
    play.press("enter")
    play.feed(FREE)
    saved(play)
    assert play.takes(Quit)


def test_it_is_written_elsewhere_and_left_then() -> None:
    play = unsaved()
    leave(play, "command")
    play.press("down", "enter")
    assert play.model.composer.draft == "/home/ada/work/" and play.model.composer.asks("save")
    play.type("mine.jsonl")
    play.press("enter")
    assert play.take()[-1] == Save("/home/ada/work/mine.jsonl")
    play.feed(SavingChanged(elsewhere="/home/ada/work/mine.jsonl", session="s"))
    saved(play)
    assert play.takes(Quit)


def test_nothing_is_asked_of_an_empty_session_but_a_draft_counts() -> None:
    play = Play()
    play.feed(FULL)
    leave(play, "command")
    assert play.takes(Quit), "there is nothing to lose"
    play = Play()
    play.feed(FULL)
    play.type("a draft that is not on disk")
    leave(play, "Ctrl+D")
    assert not play.takes(Quit)
