"""Keys that act on the whole screen, and the Msgs that are no keys."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import ModeChanged
from agent_tui.protocol.ops import SetMode
from agent_tui.tui.core.effects import ExpireToast, Scroll, Type
from agent_tui.tui.core.msg import (
    Copied,
    EffectFailed,
    KeyPressed,
    Resized,
    Scrolled,
    ToastExpired,
    Toggled,
)
from agent_tui.tui.view import TOO_SMALL
from tests.tui.play import Play


def test_shift_tab_cycles_also_faster_than_the_engine_confirms() -> None:
    play = Play()
    play.press("shift+tab", "shift+tab")
    assert play.take() == [SetMode("accept-edits"), SetMode("plan")]
    play.feed(ModeChanged("accept-edits", session="s"), ModeChanged("plan", session="s"))
    play.press("shift+tab", "shift+tab")
    assert play.take() == [SetMode("manual"), SetMode("auto")]


def test_shift_tab_leaves_the_mode_that_runs_everything_and_never_gets_there() -> None:
    play = Play()
    play.feed(ModeChanged("accept-all", session="s"))
    play.press(*["shift+tab"] * 9)
    asked = play.take()
    assert asked[0] == SetMode("auto") and SetMode("accept-all") not in asked


@pytest.mark.parametrize(
    ("key", "where"),
    [
        ("pageup", "page_up"),
        ("pagedown", "page_down"),
        ("ctrl+home", "top"),
        ("ctrl+end", "end"),
        ("home", "top"),
    ],
)
def test_the_transcript_scrolls(key: str, where: str) -> None:
    play = Play()
    play.press(key)
    assert play.takes(Scroll) == [Scroll(where)]


def test_home_in_a_prompt_is_the_prompts() -> None:
    play = Play()
    play.type("x")
    play.press("home")
    assert play.takes(Type) == [Type("", "home")]


def test_expand_all_forgets_the_exceptions() -> None:
    play = Play()
    play.begin()
    play.say(Toggled(0))
    assert play.view.transcript.exceptions == {0}
    play.say(Toggled(0))
    assert play.view.transcript.exceptions == frozenset()
    play.say(Toggled(0))
    play.press("ctrl+o")
    assert play.view.transcript.expanded and not play.view.transcript.exceptions
    play.press("ctrl+o")
    assert not play.view.transcript.expanded


def test_a_row_that_is_not_there_cannot_be_opened() -> None:
    play = Play()
    play.say(Toggled(7))
    play.say(Toggled(-1))
    assert play.view.transcript.exceptions == frozenset()


def test_every_toast_ends_and_an_old_end_does_not_take_a_new_toast() -> None:
    play = Play()
    play.say(Copied(3))
    first = play.takes(ExpireToast)
    play.say(EffectFailed("no clipboard"))
    assert (
        play.toast == "Error: no clipboard"
    )  # in words, for a colour alone is not seen by everybody
    assert isinstance(first[0], ExpireToast)
    play.say(ToastExpired(first[0].number))
    assert play.toast == "Error: no clipboard"
    play.say(ToastExpired(first[0].number + 1))
    assert play.view.toast is None


def test_a_tiny_terminal_is_said() -> None:
    play = Play()
    assert play.say(Resized(19, 24)).too_small
    assert play.view.prompt.placeholder == TOO_SMALL
    assert play.say(Resized(20, 5)).too_small
    assert not play.say(Resized(20, 6)).too_small
    assert play.view.prompt.placeholder != TOO_SMALL


def test_scrolling_is_known() -> None:
    play = Play()
    play.say(Scrolled(False))
    assert not play.model.reading.following


def test_escape_with_nothing_open_or_running_does_nothing() -> None:
    play = Play()
    before = play.model.composer
    play.press("escape", "escape")
    assert play.effects == []
    assert play.model.composer is before


def test_a_letter_that_reached_the_core_by_mistake_is_typed() -> None:
    play = Play()
    play.say(KeyPressed("x", "x"))
    assert play.text == "x"
