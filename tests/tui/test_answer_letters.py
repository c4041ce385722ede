"""Letters of answers in the prompt while a question is open: they are no prompt, and the footer names
the keys that answer."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAsked, QuestionAsked, QueueChanged
from agent_tui.protocol.ops import Answer, QueueEdit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.msg import Resized, Submitted
from agent_tui.tui.widgets.regions import Footer
from tests.tui.play import Play


def asked(hard: bool = False) -> Play:
    play = Play()
    play.begin()
    play.feed(
        ApprovalAsked(
            id="a1",
            call_id="c1",
            tool="run_shell_command",
            label="$ make",
            always="" if hard else "exactly this",
            hard=hard,
            display=CommandDisplay("make"),
            session="s",
        )
    )
    play.effects.clear()
    return play


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("yn", "not sent: Alt+N answers no"),
        ("ny", "not sent: Alt+Y answers yes"),
        ("nnn", "not sent: Alt+N answers no"),
        ("y2", "not sent: Alt+A answers always"),
    ],
)
@pytest.mark.parametrize("key", ["enter", "alt+s"])
def test_a_few_letters_of_answers_are_no_prompt(typed: str, said: str, key: str) -> None:
    play = asked()
    play.press(*("space" if one == " " else one for one in typed))
    play.press(key, after=2.0)
    assert (play.toast, play.text, play.take()) == (said, typed, [])


def test_who_typed_a_letter_too_many_answers_with_the_key_that_is_named() -> None:
    play = asked()
    play.press("y", "n", "enter", "alt+n", "enter", after=2.0)
    assert play.take() == [Answer("a1", "no")]


@pytest.mark.parametrize("words", ["nyan", "yes", "a y", "1 2 3 4"])
def test_words_are_queued(words: str) -> None:
    play = asked()
    play.type(words)
    play.press("enter", after=2.0)
    assert play.take() == [QueueEdit("add", text=words)]


def test_letters_of_options_are_no_prompt_either() -> None:
    play = Play()
    play.begin()
    play.feed(
        QuestionAsked(
            id="q", kind="ask", text="Which?", options=("Left", "Right"), call_id="c", session="s"
        )
    )
    play.type("12")
    play.press("enter", after=2.0)
    assert play.toast == "not sent: press Alt+2 to answer"


@pytest.mark.parametrize(
    ("hard", "keys"),
    [
        (False, [("Alt+Y", "yes"), ("Alt+N", "no"), ("Enter", "queue")]),
        (True, [("Alt+N", "no"), ("Enter", "queue")]),
    ],
    ids=["plain", "hard"],
)
def test_beside_words_the_footer_names_the_no(hard: bool, keys: list[tuple[str, str]]) -> None:
    play = asked(hard)
    play.type("some words")
    play.say(Resized(80, 24))
    assert [*play.view.footer.keys[: len(keys)]] == keys
    footer = Footer()
    footer.value = play.view.footer
    for width in (36, 76):
        shown = "".join(segment.text for segment in footer.lines(width)[0])
        assert "Alt+N no" in shown
    play.press("down", after=2.0)
    play.press("alt+n", after=2.0)
    names = [name for _, name in play.view.footer.keys]
    assert names.count("no") == 1, "the cursor is on it"


def test_the_footer_says_that_a_letter_has_marked_the_row_where_the_cursor_was_anyway() -> None:
    play = asked()
    back = ("Backspace", "take it back")
    assert play.view.footer.keys[0] == ("Enter", "yes") and back not in play.view.footer.keys
    play.press("y", after=2.0)
    assert play.view.footer.keys[0] == ("Enter", "yes") and back in play.view.footer.keys
    play.tick(60.0)
    assert back in play.view.footer.keys, "as long as the letter counts"
    play.press("backspace", after=2.0)
    assert back not in play.view.footer.keys


NAMELESS = "type a command after the /, such as /help"


@pytest.mark.parametrize("typed", ["/", "/ ", " /"])
@pytest.mark.parametrize("key", ["enter", "alt+s"])
def test_a_slash_alone_is_no_prompt_at_a_question(typed: str, key: str) -> None:
    play = asked()
    play.type(typed)
    assert "queue" not in dict(play.view.footer.keys).values()
    play.press(key, after=2.0)
    assert (play.toast, play.text, play.take()) == (NAMELESS, typed, [])


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("typed", ["/", "/ "])
def test_a_slash_alone_is_no_prompt_elsewhere(typed: str, runs: bool) -> None:
    play = Play()
    if runs:
        play.begin()
    play.type(typed)
    play.press("escape")  # no list is open
    play.effects.clear()
    play.press("enter")
    assert (play.toast, play.model.composer.draft, play.take()) == (NAMELESS, typed, [])


def test_a_slash_alone_takes_the_place_of_no_queued_prompt() -> None:
    play = Play()
    play.begin()
    play.feed(QueueChanged(items=(Queued("q1", "later"),), session="s"))
    play.press("up")
    assert play.model.composer.editing is not None
    play.text = ""
    play.type("/ ")
    play.effects.clear()
    play.say(Submitted("/ "))
    assert (play.toast, play.take()) == (NAMELESS, [])
