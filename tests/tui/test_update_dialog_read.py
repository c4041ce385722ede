"""What an approval says of its answers, a command that is longer than its place, and a yes that
changes the mode."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import CommandDisplay, DiffDisplay, Display, Hunk
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QuestionAsked
from agent_tui.protocol.ops import Answer, SetMode
from agent_tui.tui.core.msg import KeyPressed, QuestionAnswered, Resized
from agent_tui.tui.dialog.unread import unread as is_unread
from tests.tui.play import Play

COMMAND = CommandDisplay("make\n" * 39 + "rm -rf build")
DIFF = DiffDisplay("a.py", (Hunk(1, 1, ("-one", "+two")),), 1, 1)
READ_ON = "PgDn: read to the end first"


def asking(
    display: Display | None = COMMAND,
    mode: str = "",
    hard: bool = False,
    asked: tuple[int, int] = (10, 40),
) -> Play:
    play = Play()
    play.begin()
    play.asked = asked
    always = "" if hard else "exactly this"
    question = ApprovalAsked(
        id="a1",
        call_id="c1",
        tool="t",
        label="it",
        always=always,
        hard=hard,
        display=display,
        mode=mode,
        session="s",
    )
    play.feed(question)
    play.effects.clear()
    return play


def unread(play: Play) -> bool:
    question = play.model.question
    return question is not None and is_unread(play.model, question.id)


def footer(play: Play) -> tuple[str, str]:
    return play.view.footer.keys[0]


@pytest.mark.parametrize("keys", ["y enter", "1 enter", "a enter", "2 enter", "enter"])
def test_a_command_whose_end_was_never_in_view_is_not_allowed(keys: str) -> None:
    play = asking()
    play.press(*keys.split())
    assert (play.toast, play.take()) == (READ_ON, [])
    play.press("pagedown", "pagedown", *keys.split())
    assert (play.toast, play.take()) == (READ_ON, []), "the last ten lines are missing"
    play.press("pagedown", *keys.split())
    assert play.take() == [Answer("a1", "always" if keys[0] in "a2" else "once")]


def test_what_keeps_it_from_being_allowed_is_said_no_longer_than_it_does() -> None:
    play = asking(asked=(30, 40))
    play.press("y")
    assert play.toast == READ_ON
    play.press("pagedown")
    assert play.model.toast is None


@pytest.mark.parametrize("key", ["n", "3"])
def test_a_no_needs_no_reading(key: str) -> None:
    play = asking()
    play.press(key, "enter")
    assert play.take() == [Answer("a1", "no")]


def test_a_disaster_that_nobody_has_read_is_not_allowed_either() -> None:
    play = asking(hard=True)
    play.press("y")
    assert (play.toast, play.take()) == (READ_ON, [])
    play.press("pagedown", "pagedown", "pagedown", "y")
    assert (footer(play), play.take()) == (("Enter", "yes"), [])
    play.press("enter")
    assert play.take() == [Answer("a1", "once")]


def test_what_was_in_view_once_is_read_wherever_it_is_scrolled_and_however_small_the_screen_becomes() -> (
    None
):
    play = asking()
    play.press("pagedown", "pagedown", "pagedown", "pageup", "pageup", "pageup")
    play.say(Resized(60, 16))
    play.asked = (3, 70)
    play.press("y", "enter")
    assert play.take() == [Answer("a1", "once")]


def test_a_short_command_that_a_long_draft_pushes_together_was_read() -> None:
    play = asking(asked=(5, 5))
    play.press("x", "x")
    play.asked = (2, 5)
    play.press("alt+y", "enter")
    assert play.take() == [Answer("a1", "once")]


@pytest.mark.parametrize(
    "pressed", [KeyPressed("y", "y"), KeyPressed("enter"), KeyPressed("y", "y", asked=(0, 0))]
)
def test_where_nothing_is_known_of_what_is_in_view_nothing_is_allowed(pressed: KeyPressed) -> None:
    play = asking()
    play.say(pressed)
    assert (play.toast, play.take()) == (READ_ON, [])


def test_a_key_from_before_the_question_was_painted_tells_nothing_of_it() -> None:
    play = asking()
    play.say(KeyPressed("x", "x", asked=(3, 3), blind=True))
    play.press("alt+y")
    assert (play.toast, play.take(), play.text) == (READ_ON, [], "x")


def test_a_line_of_its_own_answers_for_all_of_it_was_said() -> None:
    play = asking()
    play.say(QuestionAnswered("a1", "once"))
    assert play.take() == [Answer("a1", "once")]


def test_of_a_change_only_as_much_is_read_as_one_likes() -> None:
    play = asking(DIFF)
    play.press("y", "enter")
    assert play.take() == [Answer("a1", "once")]


def test_the_footer_says_what_enter_does() -> None:
    play = asking(DIFF, mode="accept-edits")
    assert footer(play) == ("Enter", "yes")
    said = []
    for _ in range(4):
        play.press("down")
        said.append(footer(play))
    assert said == [
        ("Enter", words) for words in ("always", "yes, accept edits", "no", "no, say why")
    ]
    play = asking(DIFF)
    play.type("first look")
    assert footer(play) == ("Alt+Y", "yes"), "Enter does not answer while the prompt holds words"
    play = asking(hard=True)
    assert footer(play) == ("n", "no")
    play.press("down")
    play.asked = (40, 40)
    play.press("left")
    assert footer(play) == ("y", "yes"), "Enter never allows it"
    play = Play()
    play.begin()
    play.feed(
        QuestionAsked(
            id="q", kind="stuck", text="Thrice.", options=("stop", "continue", "say"), session="s"
        )
    )
    assert footer(play) == ("Enter", "stop")


def test_the_footer_and_the_question_say_that_there_is_more_to_read() -> None:
    play = asking()
    assert unread(play)
    play.press("pagedown")
    assert footer(play) == ("PgDn", "read to the end first")
    play.press("pagedown", "pagedown")
    assert footer(play) == ("Enter", "yes")
    assert not unread(play)


def test_a_narrow_footer_names_the_way_that_is_left() -> None:
    play = asking(asked=(1, 2))
    play.say(Resized(24, 8))
    assert play.view.footer.keys[1] == ("↑↓", "choose")
    play.press("pagedown")
    assert play.view.footer.keys[1] == ("PgUp", "scroll")
    play.press("pageup")
    assert ("PgDn", "scroll") not in play.view.footer.keys, "all of it is in view"


def test_both_keys_of_an_answer_are_shown_in_its_order() -> None:
    play = asking(DIFF, mode="accept-edits")
    assert play.view.dialog is not None
    assert [(one.key, one.also) for one in play.view.dialog.options] == [
        ("y", "1"),
        ("a", "2"),
        ("e", ""),
        ("n", "3"),
        ("m", "4"),
    ]


@pytest.mark.parametrize("keys", [("e", "enter"), ("down", "down", "enter")])
def test_a_yes_may_hold_for_all_edits_from_then_on(keys: tuple[str, ...]) -> None:
    play = asking(DIFF, mode="accept-edits")
    play.press(*keys)
    assert play.toast == "accept-edits: edits files; asks before most commands"
    assert play.take() == [SetMode("accept-edits"), Answer("a1", "once")], (
        "it holds for the calls behind this one"
    )
    play.feed(ApprovalAnswered(id="a1", choice="once", session="s"))
    assert play.model.toast is not None, "what was chosen is said longer than it is asked"


@pytest.mark.parametrize(("display", "hard"), [(COMMAND, False), (DIFF, True), (COMMAND, True)])
def test_it_is_offered_neither_for_a_command_nor_for_what_cannot_be_taken_back(
    display: Display, hard: bool
) -> None:
    play = asking(display, mode="accept-edits", hard=hard, asked=(1, 1))
    assert play.view.dialog is not None
    assert "e" not in [one.key for one in play.view.dialog.options]
    play.press("e")
    assert (play.take(), play.text) == ([], "e")


def test_where_it_is_not_offered_its_letter_is_text() -> None:
    play = asking(DIFF)
    play.press("e")
    assert (play.take(), play.text) == ([], "e")
