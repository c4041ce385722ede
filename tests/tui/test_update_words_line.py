"""What is typed or pasted around a question and was not meant for it: words beside an answer, what
a search or a field was typed for, and what the footer says of Enter meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAsked
from agent_tui.protocol.ops import Answer, QueueEdit
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.prompt import composer
from tests.tui.play import Play


def begun() -> Play:
    play = Play()
    play.begin()
    return play


def ask(play: Play) -> Play:
    asked = ApprovalAsked(
        id="a1", call_id="c1", tool="run_shell_command", label="$ make", reason="auto mode asks",
        always="exactly this command", display=CommandDisplay("make"), session="s",
    )  # fmt: skip
    play.feed(asked)
    play.effects.clear()
    return play


def press_all(play: Play, keys: str, after: float) -> None:
    """Press each of `keys` as a terminal tells it, without a rest behind it."""
    names = {"\t": "tab", "\r": "enter", " ": "space"}
    for key in keys:
        play.press(names.get(key, key), after=after, rests=False)


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.12, 0.2])
def test_a_paste_that_begins_with_a_tab_answers_nothing(gap: float) -> None:
    play = ask(begun())
    play.tick(3.0)
    press_all(play, "\tif x:", gap)
    assert (play.take(), play.text) == ([], "if x:")
    press_all(play, "\r", gap)
    play.tick(5.0)
    assert play.take() == [QueueEdit("add", text="if x:")]


@pytest.mark.parametrize("gap", [0.0, 0.15])
def test_a_tab_and_enter_at_once_answer_nothing(gap: float) -> None:
    play = ask(begun())
    play.tick(3.0)
    press_all(play, "\t\r", gap)
    play.tick(5.0)
    assert (play.take(), play.text) == ([], "")
    assert play.model.composer.purpose is None


def test_behind_tab_the_letter_that_marked_a_row_is_undone_by_text() -> None:
    play = ask(begun())
    play.press("a")
    press_all(play, "\t", 1.0)
    press_all(play, "yes", 0.05)
    assert (play.text, play.model.dialog and play.model.dialog.selected) == ("yes", 0)


def test_a_tab_alone_opens_the_line_and_a_rest_before_and_behind_enter_sends_it() -> None:
    play = ask(begun())
    play.press("tab")
    assert play.model.composer.purpose is not None
    play.type("and test it", after=0.2)
    play.press("enter", after=0.2)
    assert play.take() == [Answer("a1", "once", "and test it")]


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.09])
def test_lines_that_are_pasted_into_it_send_nothing(gap: float) -> None:
    play = ask(begun())
    play.press("tab")
    for line in ("one", "two"):
        play.type(line, after=gap)
        press_all(play, "\r", gap)
    assert play.take() == []
    play.tick(5.0)
    assert play.take() == []
    assert play.text.split() == ["one", "two"]
    play.press("enter")
    assert play.take() == [Answer("a1", "once", "one\ntwo")]


def test_an_enter_with_a_key_right_behind_it_sends_nothing() -> None:
    play = ask(begun())
    play.press("tab")
    play.type("one")
    press_all(play, "\r", 0.5)
    press_all(play, "t", 0.05)
    play.tick(5.0)
    assert (play.take(), play.text) == ([], "one\nt")


def test_a_name_that_is_typed_when_a_question_comes_is_in_the_history() -> None:
    play = begun()
    play.model = composer.ask(play.model, Purpose("title", "New name", "other"))
    play.tick()
    play.type("a long new name")
    play.tick()
    ask(play)
    assert play.model.composer.purpose is None
    assert play.model.composer.history[-1] == "a long new name"


def test_a_name_is_typed_on_while_the_engine_tells_something() -> None:
    play = begun()
    play.model = composer.ask(play.model, Purpose("title", "New name", "other"))
    play.tick()
    play.type("a long new name")
    play.end()
    assert (play.model.composer.purpose is not None, play.text) == (True, "a long new name")


@pytest.mark.parametrize("gap", [0.1, 0.35, 1.2])
def test_what_was_typed_for_a_search_goes_nowhere_until_a_rest(gap: float) -> None:
    play = begun()
    play.type("my draft")
    play.press("ctrl+r")
    play.type("refac")
    play.feed(after=0.1)
    asked = ask(play)
    press_all(asked, "tor y\r", gap)
    assert (play.take(), play.text) == ([], "my draft")
    play.press("x", after=2.0)
    assert play.text == "my draftx"


def test_the_footer_names_no_enter_that_does_nothing_after_a_sheet_was_closed() -> None:
    play = begun()
    play.press("f1")
    assert play.model.overlay is not None
    ask(play)
    assert all(key != "Enter" for key, _ in play.view.footer.keys)
    play.press("enter", after=0.8)
    assert play.take() == []
    play.model = replace(play.model, at=play.at + 10.0)
    play.press("y", after=10.0)
    assert play.view.footer.keys[0] == ("Enter", "yes")
