"""A key that was to choose an answer, and does not, is never followed by a yes; arrows, lists and
secrets that a question meets keep what is theirs."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import DiffDisplay, Hunk
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QuestionAsked, ToolStarted
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.tui.core.msg import OptionClicked, Resized
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.prompt import composer
from tests.tui.play import Play
from tests.tui.test_update_files import searched, told


def asked(play: Play, after: float = 1.0, id: str = "a1") -> Play:
    play.feed(
        ApprovalAsked(id=id, call_id=id, tool="t", label="t", always="this", session="s"),
        after=after,
    )
    return play


def playing() -> Play:
    play = Play()
    play.begin()
    play.take()
    return play


def answers(play: Play) -> list[Answer]:
    return [op for op in play.take() if isinstance(op, Answer)]


@pytest.mark.parametrize("key", ["alt+n", "alt+m", "alt+a"])
@pytest.mark.parametrize("after", [0.1, 0.4, 0.8, 1.4])
def test_a_chooser_behind_a_refused_key_keeps_enter_from_answering(key: str, after: float) -> None:
    play = asked(playing())
    play.press("ctrl+p", after=3.0)
    play.press(key, after=after)
    assert play.toast == f"not answered: pause, then press {key.title()}"
    play.press("enter", after=1.5)
    assert answers(play) == []
    play.press("alt+n", after=2.0)
    play.press("enter", after=1.0)
    assert answers(play) == [Answer("a1", "no")]


@pytest.mark.parametrize("key", ["alt+n", "down"])
def test_a_chooser_right_after_the_question_keeps_enter_from_answering(key: str) -> None:
    play = asked(playing())
    play.press(key, after=0.2)
    play.press("enter", after=0.8)
    assert answers(play) == []


def test_a_letter_dropped_with_a_search_keeps_enter_from_answering() -> None:
    play = playing()
    play.press("ctrl+r")
    asked(play, 0.2)
    play.press("n", after=1.0)
    play.press("enter", after=1.8)
    assert answers(play) == []


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_arrows_through_the_history_go_on_there(rows: int) -> None:
    play = playing()
    play.model = composer.on_history_loaded(play.model, ("first", "second", "third", "fourth"))
    play.press(*["up"] * rows, after=0.6)
    asked(play, 0.3)
    play.press("up", "down", after=0.6)
    play.press("enter", after=0.7)
    assert answers(play) == []


def test_arrows_in_a_list_that_a_question_takes_away_choose_nothing() -> None:
    play = playing()
    play.press("f1")
    play.press("down", "down", after=0.6)
    asked(play, 0.3)
    play.press("down", "down", "down", after=0.6)
    play.press("enter", after=0.9)
    assert answers(play) == []
    play.press("down", after=2.0)
    play.press("enter", after=1.0)
    assert answers(play) == [Answer("a1", "always")], "after a rest they choose"


@pytest.mark.parametrize("draft", ["one\ntwo", "a line that is longer than the prompt " * 3])
def test_arrows_in_words_of_several_rows_move_the_caret(draft: str) -> None:
    play = playing()
    play.type(draft)
    asked(play, 3.0)
    play.press("down", after=3.0)
    play.press("enter", after=0.7)
    assert answers(play) == []


def test_arrows_beside_words_of_one_row_choose() -> None:
    play = playing()
    play.type("one")
    asked(play, 3.0)
    play.press("down", after=3.0)
    play.press("enter", after=0.7)
    assert answers(play) == [Answer("a1", "always")]


@pytest.mark.parametrize("after", [0.25, 0.7, 1.4])
def test_enter_for_a_list_of_files_sends_no_half_of_a_prompt(after: float) -> None:
    play = playing()
    play.feed(told("src/app.py", "alpha.py"))
    play.type("delete @al")
    assert searched(play)
    asked(play, 0.4)
    play.press("enter", after=after)
    assert (play.toast, play.text) == ("not sent: press Enter again", "delete @al")
    assert [op for op in play.take() if isinstance(op, Submit | Answer)] == []
    play.press("enter", after=1.0)
    assert play.toast.startswith("queued")


def secret_field(play: Play) -> Play:
    play.model = composer.ask(play.model, Purpose("sheet", "Key", "openai.api_key", secret=True))
    return play


def test_a_question_waits_while_a_secret_is_typed() -> None:
    play = asked(secret_field(playing()))
    assert play.view.dialog is None and play.view.prompt.secret
    assert play.toast == "a question waits: finish here first"
    asked(play, id="a2")
    play.press("escape", after=0.5)
    assert play.view.dialog is not None and not play.view.prompt.secret
    play.press("enter", after=0.3)
    assert answers(play) == []
    play.press("y", "enter", after=2.0)
    assert answers(play) == [Answer("a1", "once")]


@pytest.mark.parametrize("height", [1, 2, 4])
def test_what_is_out_of_sight_is_not_allowed(height: int) -> None:
    play = asked(playing())
    play.say(Resized(100, height))
    play.press("y", "enter", after=2.0)
    assert play.toast == "too low to show what is asked" and answers(play) == []
    play.press("n", "enter", after=2.0)
    assert answers(play) == [Answer("a1", "no")]


@pytest.mark.parametrize(
    ("keys", "gap"), [("2 xy", 0.6), ("3x", 0.55), ("2 xy", 1.0), ("12x", 0.9)]
)
def test_slow_words_mark_no_row(keys: str, gap: float) -> None:
    play = playing()
    ask = QuestionAsked("b", "ask", "Which?", ("a", "b", "c"), "c", multi=True, session="s")
    play.feed(ToolStarted("c", "ask_user", "Ask", session="s", turn=1), ask)
    play.tick(3.0)
    play.press(*("space" if key == " " else key for key in keys), after=gap, rests=False)
    assert play.text == keys
    assert play.model.dialog is not None and play.model.dialog.marked == ()


def test_a_row_that_may_be_marked_is_called_so() -> None:
    play = playing()
    ask = QuestionAsked("b", "ask", "Which?", ("a", "b"), "c", multi=True, session="s")
    play.feed(ToolStarted("c", "ask_user", "Ask", session="s", turn=1), ask)
    play.type("words")
    play.tick(3.0)
    assert ("Alt+1", "mark") in play.view.footer.keys


def test_the_cursor_stays_on_its_answer_where_others_come_above_it() -> None:
    play = playing()
    edit = DiffDisplay("a.py", (Hunk(1, 1, ("-one", "+two")),), 1, 1)
    one, two = (
        ApprovalAsked(
            id=name, call_id=name, tool="edit_file", label=name, display=edit, session="s"
        )
        for name in ("a1", "a2")
    )
    play.feed(one)
    play.press("down", after=2.0)
    assert play.view.dialog is not None
    assert play.view.dialog.options[play.view.dialog.selected].key == "n"
    play.feed(two, after=0.5)
    assert [option.key for option in play.view.dialog.options] == ["y", "t", "n", "m"]
    assert play.view.dialog.options[play.view.dialog.selected].key == "n"
    play.press("enter", after=1.0)
    assert answers(play) == [Answer("a1", "no")]


@pytest.mark.parametrize("keys", [("down", "down"), ("alt+n",), ("m", "enter")])
def test_a_question_that_is_asked_anew_takes_no_enter_that_was_for_the_old_one(
    keys: tuple[str, ...],
) -> None:
    play = asked(playing())
    play.press(*keys, after=2.0)
    play.take()
    play.feed(ApprovalAnswered(id="a1", choice="no", by="changed", session="s"), after=0.3)
    asked(play, 0.01, "a2")
    play.press("enter", after=0.7)
    play.press("enter", after=1.7)
    assert answers(play) == []


@pytest.mark.parametrize("arrow", ["left", "right"])
def test_a_no_stays_one_when_the_others_were_looked_at(arrow: str) -> None:
    play = asked(asked(playing()), id="a2")
    play.press("n", after=2.0)
    play.press(arrow, arrow, "enter", after=1.2)
    assert answers(play) in ([], [Answer("a1", "no")])


def test_a_refused_no_leaves_tab_no_yes_to_open() -> None:
    play = asked(playing())
    play.press("alt+n", after=0.2)
    play.press("tab", after=1.0)
    assert play.view.prompt.label != "Yes, and tell the model"
    play.press("enter", after=1.0)
    assert answers(play) == []


def test_a_key_that_edits_words_chooses_nothing() -> None:
    play = playing()
    play.type("also fix the tests")
    lasting = ApprovalAsked(
        id="a1", call_id="a1", tool="t", label="t", folder="make …", session="s"
    )
    play.feed(lasting, after=3.0)
    play.press("alt+f", "alt+f", "enter", after=1.0)
    assert answers(play) == []


def test_arrows_of_the_settings_go_on_in_no_question() -> None:
    play = playing()
    play.press("f1")
    play.press("right", "right", after=0.9)
    asked(play, 0.35)
    play.press("right", "enter", after=0.9)
    assert answers(play) == []


def test_a_plan_out_of_sight_is_not_accepted() -> None:
    play = playing()
    ways = ("start", "start, and accept edits")
    plan = QuestionAsked("p", "plan", "Start with this plan?", ways, "c", session="s")
    play.feed(ToolStarted("c", "propose_plan", "Plan", session="s", turn=1), plan)
    play.say(Resized(60, 3), after=3.0)
    play.press("enter", after=3.0)
    assert answers(play) == []


@pytest.mark.parametrize("letter", ["f", "t", "e", "3x"])
def test_a_letter_that_answers_elsewhere_is_no_prompt(letter: str) -> None:
    play = asked(playing())
    play.type(letter, after=2.0)
    play.press("enter", after=2.0)
    queued = letter == "3x"
    assert play.toast.startswith("queued" if queued else f"not offered here: {letter}")
    assert play.text == ("" if queued else letter) and answers(play) == []


def edits(*names: str) -> list[ApprovalAsked]:
    change = DiffDisplay("a.py", (Hunk(1, 1, ("-one", "+two")),), 1, 1)
    return [
        ApprovalAsked(
            id=name, call_id=name, tool="edit_file", label=name, display=change,
            always="this file", folder="that", session="s",
        )
        for name in names
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["t", "down"])
def test_an_answer_for_both_comes_back_as_none_that_lasts(key: str) -> None:
    play = playing()
    play.feed(*edits("a1", "a2"))
    play.press(key, after=2.0)
    play.press("right", after=1.0)
    play.press("n", "enter", after=1.5)
    assert answers(play) == [Answer("a2", "no")]
    play.feed(ApprovalAnswered(id="a2", choice="no", session="s"), after=0.1)
    play.press("enter", after=2.0)
    assert answers(play) in ([], [Answer("a1", "no")])


@pytest.mark.parametrize("keys", [("t",), ("down",)])
def test_an_answer_for_both_does_not_grow_to_three(keys: tuple[str, ...]) -> None:
    play = playing()
    play.feed(*edits("a1", "a2"))
    play.press(*keys, after=2.0)
    play.feed(*edits("a3"), after=1.0)
    play.press("enter", after=0.7)
    assert answers(play) == []
    play.press("t", "enter", after=2.0)
    assert [op.id for op in answers(play)] == ["a1", "a2", "a3"], "chosen anew, for all"


@pytest.mark.parametrize("keys", [("t",), ("down",)])
def test_nor_while_another_question_is_looked_at(keys: tuple[str, ...]) -> None:
    play = playing()
    play.feed(*edits("a1", "a2"))
    play.press(*keys, after=2.0)
    play.press("right", after=1.5)
    play.feed(*edits("a3"), after=1.0)
    play.press("left", after=1.5)
    play.press("enter", after=2.0)
    assert answers(play) == []
    for _ in "ab":  # nor where the person looks at others once more
        play.press("right", "left", after=1.5)
    play.press("enter", after=2.0)
    assert answers(play) == []
    play.press("t", "enter", after=2.0)
    assert [op.id for op in answers(play)] == ["a1", "a2", "a3"], "chosen anew, for all"


@pytest.mark.parametrize("pause", [0.6, 0.8, 1.2])
def test_an_arrow_among_slow_words_chooses_nothing(pause: float) -> None:
    play = playing()
    play.press("w", "w", after=pause)
    asked(play, 0.1)
    play.press("x", "x", after=pause)
    play.press("down", after=pause)
    play.press("enter", after=0.9)
    assert answers(play) == []


def test_an_arrow_behind_words_that_rest_chooses() -> None:
    play = playing()
    play.press("w", after=1.0)
    asked(play, 0.1)
    play.press("down", after=2.0)
    play.press("enter", after=0.9)
    assert [op.choice for op in answers(play)] == ["always"]


def row_of(play: Play, key: str) -> int:
    dialog = play.view.dialog
    assert dialog is not None
    return next(n for n, one in enumerate(dialog.options) if one.key == key)


def test_a_click_goes_to_an_answer_which_only_enter_takes() -> None:
    play = asked(playing())
    for _ in "ab":  # a double click too
        play.say(OptionClicked(row_of(play, "n")), after=1.5)
        assert answers(play) == []
    play.press("enter", after=1.5)
    assert answers(play) == [Answer("a1", "no")]


def test_a_click_as_the_question_appears_is_not_for_it_and_keeps_enter_from_answering() -> None:
    play = asked(playing())
    play.say(OptionClicked(row_of(play, "a")), after=0.5)
    assert play.toast.startswith("not answered: press a")
    play.press("enter", after=1.5)
    assert answers(play) == []


def test_a_click_takes_back_an_enter_that_waits() -> None:
    play = asked(playing())
    play.press("enter", after=2.0, rests=False)
    play.say(OptionClicked(row_of(play, "n")), after=0.05)
    play.tick(1.0)
    assert answers(play) == [] and play.model.held is None


def test_words_with_a_yes_are_not_sent_from_a_screen_that_shows_nothing() -> None:
    play = asked(playing())
    play.press("tab", after=2.0)
    assert play.view.prompt.label == "Yes, and tell the model"
    play.say(Resized(100, 3))
    play.type("carefully")
    play.press("enter", after=2.0)
    assert play.toast == "too low to show what is asked"
    assert answers(play) == [] and play.text == "carefully"


def test_a_mark_behind_a_refused_key_is_a_choice() -> None:
    play = playing()
    ask = QuestionAsked("b", "ask", "Which?", ("a", "b"), "c", multi=True, session="s")
    play.feed(ToolStarted("c", "ask_user", "Ask", session="s", turn=1), ask)
    play.press("alt+n", after=3.0)
    play.press("alt+1", after=2.0)
    play.press("enter", after=2.0)
    assert answers(play) == [Answer("b", "choose", picks=(0,))]
