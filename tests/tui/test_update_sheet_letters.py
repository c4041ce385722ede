"""Words that are typed into a sheet where letters act: they go to the prompt, and do nothing."""

from __future__ import annotations

import pytest

from agent_tui.protocol.ops import QueueEdit, Submit
from agent_tui.tui.core.effects import Copy, WriteSetting
from tests.tui.test_update_copying import NEW, OLD
from tests.tui.test_update_copying import opened as copies
from tests.tui.test_update_going_back import FREE, answer, command, worked
from tests.tui.test_update_queued import _panel
from tests.tui.test_update_settings import opened as settings


@pytest.mark.parametrize("words", ["fix it", "all of it", "wow", "quick", "just do it"])
@pytest.mark.parametrize("gap", [0.05, 0.15, 0.25, 0.4, 0.7, 1.5, 4.0])
def test_words_in_the_undo_sheet_stand_in_the_prompt(words: str, gap: float) -> None:
    play = worked()
    command(play, "undo")
    answer(play, "undo", FREE)
    play.take()
    for letter in words:
        play.press("space" if letter == " " else letter, after=gap, rests=False)
    assert play.view.overlay is None and play.model.going_back is None
    assert play.text == words or words.startswith("j")  # j moves at once
    play.press("enter", after=gap)
    assert [op for op in play.take() if not isinstance(op, Submit)] == []


@pytest.mark.parametrize("words", ["write it", "which 1", "wow"])
def test_words_in_the_copy_sheet_write_no_file(words: str) -> None:
    play = copies(OLD, NEW)
    for number, letter in enumerate(words):
        play.press("space" if letter == " " else letter, after=0.2 if number else 1.0, rests=False)
    assert play.take() == [] and play.text == words


SLOW = (0.2, 0.4, 0.7, 1.5, 4.0)


@pytest.mark.parametrize("words", ["dispatch", "is it done?", "ssh", "pipes", "e2e"])
@pytest.mark.parametrize("gap", SLOW)
def test_words_in_the_queue_panel_do_nothing_however_slow(words: str, gap: float) -> None:
    play = _panel("one", "two", "three")
    for letter in words:
        play.press("space" if letter == " " else letter, after=gap)
    assert (play.take(), play.text, play.view.overlay) == ([], words, None)
    assert len(play.model.queue) == 3


@pytest.mark.parametrize("words", ["write", "hash", "apply", "1a"])
@pytest.mark.parametrize("gap", SLOW)
def test_words_in_the_copy_sheet_copy_nothing_however_slow(words: str, gap: float) -> None:
    play = copies(OLD, NEW)
    for letter in words:
        play.press(letter, after=gap)
    assert (play.takes(Copy), play.text, play.view.overlay) == ([], words, None)


@pytest.mark.parametrize("key", "dsipe")
@pytest.mark.parametrize("gaps", [(0.15,), (1.0,), (0.03,), (0.5, *[0.033] * 40)])
def test_a_letter_twice_or_held_is_words_in_the_queue_panel(
    key: str, gaps: tuple[float, ...]
) -> None:
    play = _panel("one", "two", "three")
    play.press(key)
    for gap in gaps:
        play.press(key, after=gap)
    words = key * (len(gaps) + 1)
    assert (play.take(), play.text) == ([], words)
    play.press("enter", after=0.3)
    assert play.take() == [QueueEdit("add", text=words)]


@pytest.mark.parametrize("delay", [0.25, 0.5, 0.66])
@pytest.mark.parametrize("key", ["delete", "backspace"])
def test_a_key_that_a_finger_rests_on_removes_one_prompt(key: str, delay: float) -> None:
    play = _panel("one", "two", "three")
    for gap in (1.0, delay, *[0.033] * 40):
        play.press(key, after=gap)
    assert play.take() == [QueueEdit("remove", id="id-one")]
    play.press(key, after=1.5)
    assert play.take() == [QueueEdit("remove", id="id-two")]


def test_a_letter_may_follow_at_once_behind_the_enter_that_took_one() -> None:
    play = _panel("one", "two")
    play.press("d", "enter", "p", "enter", after=0.2)
    assert play.take() == [QueueEdit("remove", id="id-one"), QueueEdit("pause")]


def test_backspace_takes_back_a_letter_and_is_for_words_where_there_are_some() -> None:
    play = _panel("one")
    play.press("d", "backspace")
    assert (play.take(), play.text, play.toast) == ([], "", "")
    play.press("escape")
    play.type("mine")
    play.press("alt+q", "backspace")
    assert play.take() == [] and play.view.overlay is not None


def test_what_a_letter_has_marked_is_said_until_another_key_comes() -> None:
    play = _panel("one", "two")
    play.press("d")
    assert play.toast == "press Enter to remove"
    assert play.view.footer.keys[0] == ("Enter", "remove")
    play.press("down")
    assert play.toast == "" and play.view.footer.keys[0] == ("Enter", "edit")
    play.press("enter")
    assert play.text == "two" and play.take() == []


def test_a_doubled_enter_saves_no_setting() -> None:
    play, files = settings("model")
    for _ in range(2):
        play.press("enter", after=0.2 if play.model.composer.purpose else 1.0)
    assert play.model.composer.purpose is not None and play.takes(WriteSetting) == []
    files_before = files
    play, files = settings("prompt.vim")
    play.press("enter")
    play.press("enter", after=0.25)
    assert len(play.takes(WriteSetting)) == 1 and files is not files_before


def test_an_unchanged_value_is_not_saved() -> None:
    play, _ = settings("prompt.paste_lines")
    play.press("enter", "enter")
    assert play.takes(WriteSetting) == [] and play.model.composer.purpose is None


def test_esc_clears_the_search_before_it_closes_and_what_is_found_is_counted() -> None:
    play, _ = settings("paste")
    shown = play.view.overlay
    assert shown is not None and shown.note == "1 of 9", "in one place"
    assert "9" not in "".join(span.text for span in shown.lines[1])
    assert dict(play.view.footer.keys)["Esc"] == "clear the search"
    play.press("escape")
    assert play.model.overlay is not None and play.model.overlay.picker is not None
    assert play.model.overlay.picker.query == "" and dict(play.view.footer.keys)["Esc"] == "close"
    play.press("escape")
    assert play.view.overlay is None
