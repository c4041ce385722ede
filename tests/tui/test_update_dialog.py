"""Approvals and questions: what answers them, and what never does."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QuestionAsked, TurnEnded
from agent_tui.protocol.ops import Answer, Cancel
from agent_tui.tui.effects import Type
from agent_tui.tui.msg import KeyPressed, Resized
from tests.tui.play import Play


def _asked(*, hard: bool = False, always: str = "exactly this command", draft: str = "", command: str = "make") -> Play:
    play = Play()
    play.begin()
    if draft:
        play.type(draft)
    asked = ApprovalAsked(
        id="a1", call_id="c1", tool="run_shell_command", label="$ make", reason="auto mode asks", always=always,
        hard=hard, display=CommandDisplay(command), session="s",
    )  # fmt: skip
    play.feed(asked)
    play.effects.clear()
    return play


@pytest.mark.parametrize(
    ("key", "choice"),
    [("y", "once"), ("1", "once"), ("enter", "once"), ("a", "always"), ("2", "always"), ("n", "no"), ("3", "no")],
)
def test_a_key_answers(key: str, choice: str) -> None:
    play = _asked()
    play.press(key)
    assert play.take() == [Answer("a1", choice)]  # type: ignore[arg-type]


def test_always_is_only_there_where_it_is_offered() -> None:
    play = _asked(always="")
    assert play.view.dialog is not None
    assert [option.key for option in play.view.dialog.options] == ["y", "n", "m"]
    play.press("2")
    assert play.take() == []


def test_arrows_choose() -> None:
    play = _asked()
    play.press("down", "down", "enter")
    assert play.take() == [Answer("a1", "no")]
    play = _asked()
    play.press("up", "enter")
    assert play.view.prompt.label == "Tell the model what to do instead"


@pytest.mark.parametrize("key", ["m", "4"])
def test_a_no_with_a_message_keeps_the_draft(key: str) -> None:
    play = _asked(draft="half a thought")
    play.press(key)
    assert play.text == ""
    assert play.view.dialog is not None and play.view.dialog.options == ()
    play.type("use ninja")
    play.press("enter")
    assert play.take() == [Answer("a1", "no", "use ninja")]
    assert play.text == "half a thought"


def test_escape_leaves_the_message_and_the_question_stays() -> None:
    play = _asked(draft="half a thought")
    play.press("m")
    play.type("use")
    play.press("escape")
    assert play.take() == []
    assert play.text == "half a thought"
    assert play.view.dialog is not None and play.view.dialog.options


def test_a_question_that_is_gone_takes_its_message_along() -> None:
    play = _asked(draft="half a thought")
    play.press("m")
    play.feed(ApprovalAnswered(id="a1", choice="no", session="s"))
    assert play.view.prompt.label == ""
    assert play.text == "half a thought"
    assert play.view.dialog is None


@pytest.mark.parametrize("key", ["y", "1", "a", "n", "enter"])
def test_a_key_right_after_the_dialog_appeared_does_not_answer(key: str) -> None:
    play = _asked(draft="so ")
    play.press(key, after=0.29)
    assert play.take() == []
    assert play.text == ("so " if key == "enter" else f"so {key}")


def test_a_burst_of_typing_never_answers() -> None:
    play = _asked()
    play.press("x", after=5.0)
    play.press(*"yany", "enter", after=0.2)
    assert play.take() == []
    assert play.text == "xyany"
    play.press("y", after=0.31)
    assert play.take() == [Answer("a1", "once")]


def test_typing_before_the_dialog_counts_as_the_burst() -> None:
    play = _asked()
    play.press("z", after=1.0)
    play.press("y", after=0.1)
    assert play.take() == []
    assert play.text == "zy"


def test_other_keys_edit_the_prompt() -> None:
    play = _asked(draft="so")
    play.press("backspace", "h")
    assert Type("", "backspace") in play.effects
    assert Type("h", "h") in play.effects


def test_the_message_is_typed_even_where_a_key_means_something_on_an_empty_prompt() -> None:
    play = _asked()
    play.press("m", "question_mark", "f1", "ctrl+l")
    assert play.text == "?"
    assert play.model.overlay is None


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_escape_and_ctrl_c_always_stop(key: str) -> None:
    play = _asked()
    play.press("x", key, after=0.01)
    assert play.take() == [Cancel()]


@pytest.mark.parametrize("key", ["y", "a", "enter"])
def test_nothing_is_allowed_where_it_cannot_be_read(key: str) -> None:
    play = _asked()
    play.say(Resized(12, 24))
    play.press(key)
    assert "too narrow" in play.toast
    assert play.take() == []
    play.press("n")
    assert play.take() == [Answer("a1", "no")]


def test_what_cannot_be_taken_back_is_never_one_enter_away() -> None:
    play = _asked(hard=True, always="")
    assert play.view.dialog is not None
    assert play.view.dialog.warning
    assert "cannot be taken back" in play.view.dialog.title
    assert play.view.dialog.options[play.view.dialog.selected].label == "no"
    play.press("enter")
    assert play.take() == [Answer("a1", "no")]
    play = _asked(hard=True, always="")
    play.press("up", "enter")
    assert play.toast == "press y to allow this one"
    assert play.take() == []
    play.press("y")
    assert play.take() == [Answer("a1", "once")]


def test_long_text_scrolls_and_the_transcript_beside_it() -> None:
    play = _asked(command="echo\n" * 25)

    def scroll(*keys: str) -> int:
        for key in keys:
            play.say(KeyPressed(key, asked=(10, 26)))
        assert play.view.dialog is not None
        return play.view.dialog.scroll

    assert scroll("pagedown") == 10
    assert scroll("pagedown", "pagedown", "pagedown") == 16, "the last line is the last one shown"
    assert scroll("pageup") == 6
    assert scroll("pageup", "pageup") == 0
    play.press("ctrl+end")
    assert [type(effect).__name__ for effect in play.effects] == ["Scroll"]
    play = _asked()
    play.say(KeyPressed("pageup", asked=(2, 2)))
    assert [type(effect).__name__ for effect in play.effects] == ["Scroll"]


def test_escape_and_a_letter_that_came_as_one_key_do_not_answer() -> None:
    play = _asked()
    play.say(KeyPressed("alt+y", "y"))
    assert play.take() == []


def test_a_key_from_before_the_question_could_be_seen_types() -> None:
    play = _asked()
    play.say(KeyPressed("y", "y", "", blind=True))
    assert (play.take(), play.text) == ([], "y")
    play.say(KeyPressed("enter", "", play.text, blind=True))
    assert play.take() == []


def test_one_question_at_a_time() -> None:
    play = _asked()
    play.feed(ApprovalAsked(id="a2", call_id="c2", tool="edit_file", label="edit b", session="s"))
    assert play.view.dialog is not None
    assert (play.view.dialog.title, play.view.dialog.position) == ("Allow this? $ make", "1 of 2")
    play.press("y")
    play.feed(ApprovalAnswered(id="a1", choice="once", session="s"))
    assert play.view.dialog is not None
    assert (play.view.dialog.title, play.view.dialog.position) == ("Allow this? edit b", "")
    play.take()
    play.press("y", after=0.1)
    assert play.take() == []


def test_a_question_closes_an_overlay_and_guards_against_its_keys() -> None:
    play = Play()
    play.begin()
    play.press("f1")
    play.feed(ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", session="s"))
    assert play.view.overlay is None
    assert play.view.dialog is not None


def _stuck() -> Play:
    play = Play()
    play.begin()
    options = ("stop", "continue", "say")
    play.feed(QuestionAsked(id="q", kind="stuck", text="Three times the same.", options=options, session="s"))
    return play


@pytest.mark.parametrize(("key", "choice"), [("s", "stop"), ("enter", "stop"), ("c", "continue")])
def test_the_stuck_question(key: str, choice: str) -> None:
    play = _stuck()
    play.press(key)
    assert play.take() == [Answer("q", choice)]  # type: ignore[arg-type]


def test_saying_something_to_a_stuck_turn() -> None:
    play = _stuck()
    play.press("m")
    play.press("enter")
    assert play.toast == "type an answer, or press Esc"
    assert play.take() == []
    play.type("look in src")
    play.press("enter")
    assert play.take() == [Answer("q", "say", "look in src")]


def test_the_end_of_the_turn_closes_the_dialog() -> None:
    play = _stuck()
    play.feed(TurnEnded(state="cancelled", session="s"))
    assert play.view.dialog is None
    assert not play.view.grab_all


def test_enter_behind_words_allows_nothing() -> None:
    play = _asked()
    play.type("no, use pytest instead")
    play.press("enter")
    assert play.toast.startswith("Enter does not answer while the prompt holds words: y, ")
    assert play.take() == []
    assert play.text == "no, use pytest instead"
    play.press("down", "enter")  # the cursor was meant: it was moved
    assert [type(op) for op in play.take()] == [Answer]
