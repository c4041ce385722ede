"""Words typed over a sheet that is only read are the prompt's: none is lost, and none of their
letters is a command."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.events import AsideDelta, AsideEnded
from agent_tui.protocol.ops import CancelAside
from agent_tui.tui.core.effects import Copy
from agent_tui.tui.core.msg import Pasted
from tests.answers import answer_event
from tests.tui.play import Play

PRIVATE = answer_event(
    "c", "private", {"command": "cat key", "said": "exit code 0", "output": "s3cret"}
)
FAST = 0.1
"""Seconds between two keys of somebody who writes words."""


def _aside(ended: bool = True) -> Play:
    play = Play()
    play.begin()
    play.type("/btw what is a monad?")
    play.press("enter")
    play.feed(AsideDelta("aside-1", "A monoid"))
    if ended:
        play.feed(AsideEnded("aside-1", "what is a monad?", "A monoid."))
    play.take()
    return play


@pytest.mark.parametrize("words", ["next words", "quick, continue", "can it?", "quit", "cqs"])
@pytest.mark.parametrize("ended", [True, False])
def test_words_leave_the_answer_and_are_the_prompt(words: str, ended: bool) -> None:
    play = _aside(ended)
    play.press(*words, after=FAST, rests=False)
    assert play.text == words and play.view.overlay is None
    assert play.take() == [] and not play.takes(Copy)
    if not ended:
        play.feed(AsideEnded("aside-1", "what is a monad?", "A monoid."))
        assert "/btw shows it" in play.toast  # it was not given up


def test_a_letter_alone_answers() -> None:
    play = _aside()
    play.press("c")
    assert play.toast == "press Enter to copy" and not play.takes(Copy)
    play.press("enter")
    assert play.takes(Copy) == [Copy("A monoid.")]
    assert play.press("q").overlay is None and play.text == ""
    play = _aside(ended=False)
    play.press("q")
    assert play.take() == [CancelAside()] and play.view.overlay is None


def test_enter_closes_an_answer_that_is_whole() -> None:
    for ended in (False, True):
        play = _aside(ended)
        play.press("enter")
        assert (play.view.overlay is None) is ended


def test_a_letter_where_there_is_nothing_to_copy_is_text() -> None:
    play = Play()
    play.type("/btw why?")
    play.press("enter", "c")
    assert play.text == "c"


def test_words_over_a_private_output_leave_it_there() -> None:
    play = Play()
    play.feed(PRIVATE)
    play.press(*"quick one", after=FAST, rests=False)
    assert play.text == "quick one" and "s3cret" in repr(play.view.overlay)
    shown = play.press("enter")
    assert play.text == "quick one" and shown.overlay is None
    assert play.take() == []  # Enter left the sheet; the next one sends
    play.press("enter")
    assert len(play.take()) == 1


def test_a_letter_alone_closes_a_private_output() -> None:
    play = Play()
    play.feed(PRIVATE)
    assert play.press("q").overlay is None and play.text == ""


def test_words_over_a_folded_text_go_behind_it() -> None:
    play = Play()
    play.say(Pasted("line\n" * 40))
    label = play.text
    play.press("f4")
    play.press("a", "b", after=FAST)
    assert play.text == f"{label}ab" and play.view.overlay is None


def test_keys_of_vim_are_no_words() -> None:
    play = _aside()
    play.model = replace(play.model, vim="normal")
    play.press("j", "x")
    assert play.text == "" and play.view.overlay is not None
