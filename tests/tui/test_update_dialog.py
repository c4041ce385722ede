"""Approvals and questions: what answers them, and what never does."""

from __future__ import annotations

import pytest

from agent_tui.protocol.display import CommandDisplay
from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QuestionAsked, TurnEnded
from agent_tui.protocol.ops import Answer, Cancel, Choice, QueueEdit, Steer
from agent_tui.tui.core.effects import Type, Yield
from agent_tui.tui.core.msg import AskedShown, DraftChanged, KeyPressed, Resized, TerminalReturned
from tests.tui.play import Play


def _asked(
    *,
    hard: bool = False,
    always: str = "exactly this command",
    draft: str = "",
    command: str = "make",
    prefix: str = "",
) -> Play:
    play = Play()
    play.begin()
    if draft:
        play.type(draft)
    asked = ApprovalAsked(
        id="a1",
        call_id="c1",
        tool="run_shell_command",
        label="$ make",
        reason="auto mode asks",
        always=always,
        hard=hard,
        display=CommandDisplay(command),
        prefix=prefix,
        session="s",
    )
    play.feed(asked)
    play.effects.clear()
    return play


@pytest.mark.parametrize(
    ("keys", "choice"),
    [("y", "once"), ("1", "once"), ("a", "always"), ("2", "always"), ("n", "no"), ("3", "no")],
)
@pytest.mark.parametrize("alt", ["", "alt+"])
def test_a_letter_chooses_and_only_enter_answers(keys: str, choice: Choice, alt: str) -> None:
    draft = "half a thought" if alt else ""
    play = _asked(draft=draft)
    play.press(alt + keys)
    assert play.toast == "press Enter to answer"
    assert play.view.footer.keys[0] == ("Enter", {"once": "yes"}.get(choice, choice))
    play.tick(3_600.0)
    assert (play.take(), play.text) == ([], draft), "however long nothing follows"
    play.press("enter")
    assert (play.take(), play.text) == ([Answer("a1", choice)], draft)


def test_a_beginning_is_an_answer_of_its_own_where_it_is_offered() -> None:
    play = _asked(prefix="make test …")
    play.press("p")
    assert play.view.footer.keys[0] == ("Enter", "always")
    play.press("enter")
    assert play.take() == [Answer("a1", "prefix")]
    play = _asked()
    play.press("p", "enter")
    assert (play.toast, play.take(), play.text) == ("not offered here: p", [], "p")


def test_enter_alone_takes_the_first_answer() -> None:
    play = _asked()
    play.press("enter")
    assert play.take() == [Answer("a1", "once")]


def test_enter_right_behind_a_letter_answers_but_not_in_a_paste_and_says_so() -> None:
    play = _asked()
    play.press("a")
    play.press("enter", after=0.02)
    assert (play.toast, play.take()) == ("not answered: pause, then press Enter", [])
    play.press("enter", after=0.15)
    assert play.take() == [Answer("a1", "always")]
    play = _asked()
    play.press("a", after=0.35)
    play.press("enter", after=0.15)
    assert (play.toast, play.take()) == ("not answered: pause, then press Enter", [])


def test_who_reads_on_has_still_chosen() -> None:
    play = _asked(command="echo\n" * 25, hard=True, always="")
    play.asked = (10, 26)
    play.press("y")
    assert play.toast == "PgDn: read to the end first"
    for _ in range(3):
        play.say(KeyPressed("pagedown", asked=(10, 26)))
    play.press("enter")
    assert play.take() == [Answer("a1", "once")]


@pytest.mark.parametrize("gap", [0.1, 0.35, 0.7, 1.2])
@pytest.mark.parametrize("hard", [True, False])
def test_a_word_typed_however_slowly_allows_nothing_that_lasts(gap: float, hard: bool) -> None:
    for words in ("also", "add tests", "yes but look" if hard else "2 of them"):
        play = _asked(hard=hard, always="" if hard else "exactly this command")
        play.press(words[0], rests=False)
        play.press(*("space" if one == " " else one for one in words[1:]), after=gap, rests=False)
        assert (play.take(), play.text) == ([], words)
        assert play.view.toast is None, "no row is chosen any more"
        play.press("enter", after=gap)
        assert play.take() == [QueueEdit("add", text=words)]


def test_a_marked_row_is_taken_with_words_in_the_prompt_too_and_left_by_any_other_key() -> None:
    play = _asked(draft="half a thought")
    play.press("alt+a", "enter")
    assert (play.take(), play.text) == ([Answer("a1", "always")], "half a thought")
    play = _asked(draft="half a thought")
    play.press("alt+a", "backspace", "enter")
    assert play.take() == [QueueEdit("add", text="half a though")]
    play = _asked()
    play.press("a", "up", "enter")
    assert (play.take(), play.text) == ([Answer("a1", "once")], "")
    play = _asked()
    play.press("a", "escape")
    assert (play.take(), play.text) == ([Cancel()], "")


@pytest.mark.parametrize(
    ("after", "answers"), [(0.1, False), (0.31, False), (0.59, False), (0.61, True)]
)
def test_enter_takes_as_long_as_a_letter_from_when_the_question_can_be_seen(
    after: float, answers: bool
) -> None:
    play = _asked()
    play.say(AskedShown("a1", 1, 1), after=0.2)
    play.press("enter", after=after)
    assert answers or play.toast == "not answered: press y or ↑↓ first"
    assert play.take() == ([Answer("a1", "once")] if answers else [])


@pytest.mark.parametrize(
    ("after", "answers"), [(0.03, False), (0.12, False), (0.29, False), (0.31, True)]
)
def test_enter_takes_no_row_that_the_cursor_has_just_reached(after: float, answers: bool) -> None:
    play = _asked()
    play.press("down")
    play.press("enter", after=after)
    assert play.take() == ([Answer("a1", "always")] if answers else [])
    play.press("enter", after=0.51)
    assert answers or play.take() == [Answer("a1", "always")]


@pytest.mark.parametrize("opener", ["ctrl+p", "ctrl+r", "ctrl+f", "f1"])
@pytest.mark.parametrize("key", ["enter", "y", "alt+y"])
@pytest.mark.parametrize("after", [0.35, 0.5, 0.7, 1.0, 1.4])
def test_a_key_meant_for_the_list_that_a_question_took_away_answers_nothing(
    opener: str, key: str, after: float
) -> None:
    play = Play()
    play.begin()
    play.press(opener, *"theme", "down")
    play.take()
    play.feed(
        ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", always="this", session="s"),
        after=0.01,
    )
    play.press(key, after=after)
    assert play.take() == [] and play.model.held is None, "it has not chosen either"
    typed = play.text
    play.press("enter", after=2.0)
    assert play.text == typed
    assert not typed or play.toast == "not sent: Alt+Y answers yes", "one letter is no prompt"
    assert play.take() == [], "a key that was to choose, and did not, is a no to Enter"
    if not typed:
        play.press("y", "enter")
        assert play.take() == [Answer("a1", "once")]


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
    assert play.view.prompt.label == "Tell the model why not"


@pytest.mark.parametrize("key", ["alt+m", "alt+4"])
def test_a_no_with_a_message_keeps_the_draft(key: str) -> None:
    play = _asked(draft="half a thought")
    play.press(key, "enter")
    assert play.text == ""
    assert play.view.dialog is not None and play.view.dialog.options == ()
    play.type("use ninja")
    play.press("enter")
    assert play.take() == [Answer("a1", "no", "use ninja")]
    assert play.text == "half a thought"


def test_escape_leaves_the_message_and_the_question_stays() -> None:
    play = _asked(draft="half a thought")
    play.press("alt+m", "enter")
    play.type("use")
    play.press("escape")
    assert play.take() == []
    assert play.text == "half a thought"
    assert play.view.dialog is not None and play.view.dialog.options


def test_a_question_that_is_gone_takes_its_message_along() -> None:
    play = _asked(draft="half a thought")
    play.press("alt+m", "enter")
    play.feed(ApprovalAnswered(id="a1", choice="no", session="s"))
    assert play.view.prompt.label == ""
    assert play.text == "half a thought"
    assert play.view.dialog is None


@pytest.mark.parametrize("key", ["y", "1", "a", "n", "enter"])
def test_a_key_right_after_the_dialog_appeared_does_not_answer(key: str) -> None:
    play = _asked(draft="so ")
    play.press(key, after=0.29)
    if key == "enter":
        assert play.take() == [QueueEdit("add", text="so ")], "it sends what was typed"
    else:
        assert (play.take(), play.text) == ([], f"so {key}")


def test_a_burst_of_typing_never_answers() -> None:
    play = _asked()
    play.press("x", after=5.0)
    play.press(*"yany", after=0.2)
    assert play.take() == []
    assert play.text == "xyany"
    play.press("y", after=0.31)
    assert play.take() == [] and play.text == "xyanyy", "behind words it is one more letter"
    play.press("alt+y", after=0.31)
    play.press("enter", after=0.31)
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
    play.press("m", "enter", "question_mark", "f1", "ctrl+l")
    assert play.text == "?"
    assert play.model.overlay is None


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_escape_and_ctrl_c_stop_at_once(key: str) -> None:
    play = _asked()
    play.press(key, after=0.01)
    assert play.take() == [Cancel()]


def test_ctrl_c_clears_the_words_before_it_stops_the_turn() -> None:
    play = _asked(draft="half a thought")
    assert ("Ctrl+C", "clear") in play.view.footer.keys
    play.press("ctrl+c")
    assert play.toast == "cleared: it is in the history; Ctrl+C again stops"
    assert (play.text, play.take()) == ("", [])
    play.press("ctrl+c")
    assert play.take() == [Cancel()]


@pytest.mark.parametrize("key", ["y", "a", "enter"])
def test_nothing_is_allowed_where_it_cannot_be_read(key: str) -> None:
    play = _asked()
    play.say(Resized(12, 24))
    for pressed in (key, "enter"):
        play.press(pressed)
        assert "too narrow" in play.toast
        assert play.take() == []
    play.press("n", "enter", after=2.0)
    assert play.take() == [Answer("a1", "no")]


def test_what_cannot_be_taken_back_is_never_one_enter_away() -> None:
    play = _asked(hard=True, always="")
    assert play.view.dialog is not None
    assert play.view.dialog.warning
    assert "Run it? This cannot be undone" in play.view.dialog.title
    assert play.view.dialog.selected < 0, "no answer is chosen"
    assert play.view.footer.keys[0] == ("n", "no")
    play.press("enter", "enter")
    assert (play.toast, play.take()) == ("not answered: press n or ↑↓ first", [])
    play.press("n", "enter", after=2.0)
    assert play.take() == [Answer("a1", "no")]
    play = _asked(hard=True, always="")
    play.press("up")
    assert play.view.footer.keys[0] == ("Enter", "no, say why")
    play.press("down", "enter")
    assert play.toast == "press y, then Enter, to allow this"
    assert play.take() == []
    play.press("y")
    assert (play.toast, play.take()) == ("press Enter to answer", [])
    assert play.view.footer.keys[0] == ("Enter", "yes")
    play.press("enter")
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


@pytest.mark.parametrize("gap", [0.2, 0.65, 0.9])
def test_escape_and_a_letter_that_came_as_one_key_do_not_answer_where_words_follow(
    gap: float,
) -> None:
    play = _asked(draft="but ")
    play.press("alt+y", rests=False)
    play.press(*"es", after=gap, rests=False)
    assert play.toast == "not answered: another key followed"
    assert play.take() == [] and play.text == "but yes"
    play = _asked(draft="but ")
    play.press("alt+n", rests=False)
    play.press("up", after=gap)
    assert play.take() == [] and play.text == "but ", "no word follows"


def test_alt_and_a_letter_pressed_twice_or_held_choose_and_answer_nothing() -> None:
    """They are the beginning of no word."""
    play = _asked(draft="half a thought")
    play.press("alt+y")
    play.press(*["alt+y"] * 40, after=0.03)
    play.tick(9.0)
    assert play.take() == [] and play.view.footer.keys[0] == ("Enter", "yes")
    play.press("enter")
    assert play.take() == [Answer("a1", "once")]


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("gap", [0.03, 0.15, 0.5, 1.0])
@pytest.mark.parametrize("word", ["11", "22", "yy", "aa", "nn", "1111", "y" * 40])
def test_one_letter_twice_or_held_is_a_word_and_no_answer(
    word: str, gap: float, hard: bool
) -> None:
    play = _asked(hard=hard)
    play.press(word[0], after=2.0)
    play.press(*word[1:], after=gap)
    assert (play.take(), play.text, play.model.held) == ([], word, None)
    play.press("enter", after=0.3)
    if len(word) <= 3:
        assert play.toast.startswith("not sent: ") and play.take() == []
    else:
        assert play.take() == [QueueEdit("add", text=word)], "words are queued, and answer nothing"


def test_a_letter_once_more_after_reading_on_is_the_same_choice() -> None:
    play = _asked()
    play.press("y")
    play.say(KeyPressed("pagedown", asked=(2, 4)), 1.0)
    play.press("y", "enter")
    assert play.take() == [Answer("a1", "once")] and play.text == ""


def test_a_word_that_begins_with_one_letter_twice_is_whole() -> None:
    play = _asked()
    play.press(*"11", "space", *"tests")
    assert (play.take(), play.text) == ([], "11 tests")
    play.press("enter")
    assert play.take() == [QueueEdit("add", text="11 tests")]


@pytest.mark.parametrize("key", ["alt+y", "alt+a", "alt+n", "alt+1"])
def test_escape_and_a_word_that_came_as_alt_and_a_letter_answer_nothing(key: str) -> None:
    """In tmux, Esc and a key up to half a second later come as one: the Esc was for the turn."""
    play = _asked()
    assert _keys(play) == ["y", "a", "n", "m"]
    play.press(key, after=2.0)
    play.tick(60.0)
    assert play.take() == []
    play.press(*"es", after=0.2)
    assert (play.take(), play.text) == ([], f"{key[-1]}es")
    play.press("enter")
    assert play.take() == [QueueEdit("add", text=f"{key[-1]}es")]


@pytest.mark.parametrize("gap", [0.35, 0.65, 0.9])
@pytest.mark.parametrize("words", ["you also", "1. first", "no wait", "make it short"])
def test_the_first_letter_of_slow_words_answers_nothing(words: str, gap: float) -> None:
    play = _asked()
    first, *rest = ("space" if one == " " else one for one in words)
    play.press(first, after=2.0, rests=False)
    play.press(*rest, after=gap, rests=False)
    assert play.take() == [] and play.text == words


@pytest.mark.parametrize("period", [0.6, 0.8, 1.0, 1.1])
def test_enter_in_a_row_that_began_before_the_question_answers_nothing(period: float) -> None:
    """Who steers with it, once a second, has not read what came meanwhile."""
    play = Play()
    play.begin()
    play.type("one")
    play.press("enter")
    play.press("enter", after=period)
    play.effects.clear()
    play.feed(
        ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", session="s"), after=period / 4
    )
    play.press("enter", after=period * 3 / 4)
    assert Answer("a1", "once") not in play.take()


@pytest.mark.parametrize(("key", "answer"), [("alt+y", "once"), ("alt+n", "no"), ("alt+1", "once")])
def test_alt_and_a_letter_choose_whatever_the_prompt_holds(key: str, answer: Choice) -> None:
    draft = "half a thought"
    play = _asked(draft=draft)
    play.press(key, after=0.2)
    assert play.model.held is None, "the question has only just appeared"
    play.press(key, "enter")
    assert play.take() == [Answer("a1", answer)] and play.text == draft
    play = _asked()
    play.press("w", "backspace")
    play.press(key, "enter", after=2.0)
    assert play.take() == [Answer("a1", answer)], "letters choose no more: Alt and they do"


def test_letters_choose_no_more_once_something_was_typed_and_deleted() -> None:
    play = _asked()
    play.press("w", "h", "backspace", "backspace")
    assert play.text == "" and _keys(play) == ["Alt+Y", "Alt+A", "Alt+N", "Alt+M"]
    play.press("y", after=5.0)
    assert (play.take(), play.text) == ([], "y")


REFUSED = ("ctrl+p", "ctrl+r", "ctrl+f", "ctrl+l", "ctrl+t", "alt+q", "f1", "ctrl+d")


@pytest.mark.parametrize("gap", [0.05, 0.25, 0.4, 1.0])
@pytest.mark.parametrize("key", REFUSED)
def test_words_after_a_key_that_opens_nothing_while_something_is_asked_answer_nothing(
    key: str, gap: float
) -> None:
    play = _asked()
    play.press(key, after=2.0)
    assert play.toast == "answer the question first"
    assert _keys(play) == ["Alt+Y", "Alt+A", "Alt+N", "Alt+M"]
    play.tick(0.7)
    for letter in "yes":
        play.press(letter, after=gap)
    assert (play.take(), play.text) == ([], "yes")


@pytest.mark.parametrize("keys", [("alt+n", "enter"), ("down", "down", "enter")])
def test_after_such_a_key_the_arrows_and_alt_and_a_letter_choose(keys: tuple[str, ...]) -> None:
    play = _asked()
    play.press("ctrl+p", after=2.0)
    play.press("y", after=9.0)
    assert (play.take(), play.text) == ([], "y")
    play.press("backspace")
    play.press(*keys, after=2.0)
    assert play.take() == [Answer("a1", "no")]


def test_letters_choose_an_answer_of_the_next_question_again() -> None:
    play = _asked()
    play.press("ctrl+p", after=2.0)
    play.feed(ApprovalAnswered(id="a1", choice="no", session="s"))
    play.feed(ApprovalAsked(id="a2", call_id="c2", tool="t", label="t", session="s"))
    play.press("n", "enter", after=3.0)
    assert play.take() == [Answer("a2", "no")]


@pytest.mark.parametrize("key", ["ctrl+d", "home", "end", "shift+up"])
def test_a_key_that_is_a_command_on_an_empty_prompt_edits_the_words_at_a_question(key: str) -> None:
    play = _asked(draft="half a thought")
    play.press(key)
    assert [effect for effect in play.effects if isinstance(effect, Type)] == [Type("", key)]
    assert play.toast == ""


def _keys(play: Play) -> list[str]:
    assert play.view.dialog is not None
    return [option.key for option in play.view.dialog.options]


def test_words_that_were_there_before_leave_the_letters_to_the_prompt_until_it_is_empty() -> None:
    play = _asked(draft="so")
    assert _keys(play) == ["Alt+Y", "Alt+A", "Alt+N", "Alt+M"]
    play.press("backspace", "backspace", "y")
    assert play.take() == [], "so is typed, and deleted since"
    play = _asked()
    assert _keys(play) == ["y", "a", "n", "m"]


def test_words_that_a_question_interrupted_elsewhere_do_not_answer_it() -> None:
    play = Play()
    play.begin()
    play.press("f1", *"my")
    play.feed(
        ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", always="this", session="s"),
        after=0.01,
    )
    assert play.view.overlay is None and play.text == ""
    play.press(*"anyway", after=0.99)
    assert play.take() == [] and play.text == "anyway"


@pytest.mark.parametrize(
    "gap", [0.05, 0.12, 0.25, 0.4, 0.49, 0.7, 0.8, 1.0, 1.3, 1.5, 1.7, 2.0, 2.5, 4.0]
)
@pytest.mark.parametrize("row", ["y", "up", "down"])
def test_a_row_of_enters_that_began_before_the_question_never_answers_it(
    gap: float, row: str
) -> None:
    play = Play()
    play.begin()
    for _ in range(3):
        play.press("enter", after=gap)
    play.feed(
        ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", always="this", session="s"),
        after=gap / 2,
    )
    play.take()
    for number in range(40):
        play.press("enter", after=gap if number else gap / 2)
        assert play.take() == [], "they may have begun before the question appeared"
        said = play.view.toast
        assert said is not None and said.text == "not answered: press y or ↑↓ first"
        assert play.view.footer.keys[0] == ("y", "yes"), "it offers nothing that is refused"
    play.press("enter", after=60.0)
    assert play.take() == [], "however long they rest"
    play.press(row, "enter")
    assert [type(op) for op in play.take()] == ([Answer] if row != "up" else [])
    assert row != "up" or play.view.prompt.label == "Tell the model why not"


@pytest.mark.parametrize("gap", [0.0, 0.005, 0.09])
@pytest.mark.parametrize("second", ["l", "enter", "y", "down", "paste"])
def test_an_enter_with_something_right_behind_it_is_no_answer(second: str, gap: float) -> None:
    """The first line end of a paste that the terminal does not mark, or a key that bounces."""
    play = _asked()
    play.press("enter", rests=False, after=3.0)
    if second == "paste":
        play.type("ls -la", after=gap)
    else:
        play.press(second, after=gap)
    assert play.take() == []
    play.tick(5.0)
    assert play.take() == [] and play.model.held is None
    play.text = ""
    play.say(DraftChanged("", 0))
    play.press("enter", after=3.0)
    assert play.take() == [], "it was one of several"
    play.press("down", "up", "enter")
    assert play.take() == [Answer("a1", "once")]


@pytest.mark.parametrize("after", [0.05, 0.7, 3.0])
def test_behind_the_return_from_a_shell_no_enter_answers_what_was_asked(after: float) -> None:
    """Stopped from outside: the Enter behind `fg` may be one too many."""
    play = _asked()
    play.press("down", after=5.0)
    play.say(TerminalReturned(), after=20.0)
    play.press("enter", after=after)
    assert play.take() == []
    play.press("up", "enter", after=1.0)
    assert play.take() == [Answer("a1", "once")]


def test_the_footer_is_drawn_again_when_enter_answers() -> None:
    play = _asked()
    play.type("w")
    play.effects.clear()
    play.press("backspace", after=0.2)
    play.text = ""
    play.say(DraftChanged("", 0), after=0.0)
    rests = [effect.seconds for effect in play.takes(Yield) if isinstance(effect, Yield)]
    assert rests and 1.49 < rests[-1] < 1.51


def test_keys_in_a_row_that_began_before_move_and_answer_nothing() -> None:
    play = _asked()
    play.press("enter", after=0.1)
    for key in ["up", "down", "enter"] * 20:
        play.press(key, after=0.4)
    assert play.take() == []


def test_a_finger_that_rests_on_enter_answers_nothing() -> None:
    play = _asked()
    play.press("down", "down", *["enter"] * 40, after=0.03)
    assert play.take() == [], "a finger rests on it"
    play.press("down", "up", "enter")
    assert play.take() == [Answer("a1", "once")]


def test_a_key_from_before_the_question_could_be_seen_types() -> None:
    play = _asked()
    play.say(KeyPressed("y", "y", "", blind=True))
    assert (play.take(), play.text) == ([], "y")
    play.say(KeyPressed("enter", "", play.text, blind=True))
    assert (play.toast, play.text, play.take()) == ("not sent: Alt+Y answers yes", "y", [])
    play.say(KeyPressed("enter", "", play.text, blind=True), after=3.0)
    assert play.take() == []


def test_one_question_at_a_time() -> None:
    play = _asked()
    play.feed(ApprovalAsked(id="a2", call_id="c2", tool="edit_file", label="edit b", session="s"))
    assert play.view.dialog is not None
    assert (play.view.dialog.title, play.view.dialog.position) == ("Allow this command?", "1 of 2")
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
    play.feed(
        QuestionAsked(
            id="q", kind="stuck", text="Three times the same.", options=options, session="s"
        )
    )
    return play


@pytest.mark.parametrize(
    ("keys", "choice"),
    [(("s", "enter"), "stop"), (("enter",), "stop"), (("c", "enter"), "continue")],
)
def test_the_stuck_question(keys: tuple[str, ...], choice: Choice) -> None:
    play = _stuck()
    play.press(*keys)
    assert play.take() == [Answer("q", choice)]


def test_saying_something_to_a_stuck_turn() -> None:
    play = _stuck()
    play.press("m", "enter")
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


@pytest.mark.parametrize("gap", [0.05, 0.2, 0.5, 1.2])
@pytest.mark.parametrize("key", ["enter", "ctrl+s"])
def test_prompts_typed_at_a_question_are_queued_in_their_order_and_answer_nothing(
    key: str, gap: float
) -> None:
    play = _asked()
    for words in ("zwei", "yes do", "a b"):
        play.press(*("space" if one == " " else one for one in words), key, after=gap, rests=False)
    assert play.toast == "queued; ↑↓ or Alt+letter answers"
    assert play.take() == [QueueEdit("add", text=words) for words in ("zwei", "yes do", "a b")]
    play.press("enter", after=gap)
    assert play.take() == [] and play.text == ""
    play.press("down", "up", "enter", after=1.6)
    assert play.take() == [Answer("a1", "once")]


def test_a_command_waits_for_the_answer_and_a_backslash_breaks_the_line() -> None:
    play = _asked()
    for command in ("/clear", "!make"):
        play.type(command)
        play.press("enter")
        assert (play.toast, play.text) == ("answer first; then Enter runs it", command)
        play.text = ""
    play.effects.clear()
    play.type("one\\")
    play.press("enter")
    assert (play.take(), play.text) == ([], "one\n")


def test_what_was_said_of_a_question_goes_with_it() -> None:
    play = _asked()
    play.type("!make")
    play.press("enter")
    assert play.toast == "answer first; then Enter runs it"
    play.feed(ApprovalAnswered(id="a1", choice="no", session="s"))
    assert play.model.dialog is None and play.model.toast is None


@pytest.mark.parametrize(
    ("words", "queues"),
    [
        ("/quit", False),
        ("!ls", False),
        ("n", False),
        ("/nosuch word", False),
        ("/review a.py", True),
        ("/tmp/a", True),
        ("so", True),
    ],
)
def test_the_footer_says_that_enter_queues_only_where_it_does(words: str, queues: bool) -> None:
    play = _asked()
    play.type(words)
    play.tick(3.0)
    assert (("Enter", "queue") in play.view.footer.keys) == queues
    play.press("enter")
    assert play.take() == ([QueueEdit("add", text=words)] if queues else [])


def test_alt_and_s_steers_whatever_is_asked_and_the_question_names_another_key() -> None:
    play = _stuck()
    play.type("look in src")
    assert _keys(play) == ["Alt+1", "Alt+2", "Alt+M"]
    play.press("alt+s", after=2.0)
    assert play.take() == [Steer("look in src")]
    play.press("alt+s", after=2.0)
    assert play.take() == []
    play.press("alt+1", "enter", after=2.0)
    assert play.take() == [Answer("q", "stop")]


@pytest.mark.parametrize("words", ["look in src", "mlook"])
def test_a_message_begins_with_what_was_typed_at_the_question(words: str) -> None:
    play = _stuck()
    play.press(*("space" if one == " " else one for one in words), after=0.15, rests=False)
    assert (play.take(), play.text) == ([], words)
    play.press("alt+m", "enter")
    assert play.view.prompt.label == "Tell the model" and play.text == words
    play.press("escape")
    assert play.text == words, "no word is lost"
    play.press("alt+m", "enter", "enter", after=2.0)
    assert play.take() == [Answer("q", "say", words)] and play.text == ""


@pytest.mark.parametrize("draft", ["", "half a thought"])
def test_a_message_whose_question_is_gone_is_kept(draft: str) -> None:
    play = _asked(draft=draft)
    play.press("alt+m", "enter", *"use ninja".replace(" ", "_"))
    play.feed(ApprovalAnswered(id="a1", choice="no", session="s"))
    assert play.text == (draft or "use_ninja")
    assert play.model.composer.history[-1:] == (("use_ninja",) if draft else ())


def test_words_right_behind_alt_and_m_are_a_prompt() -> None:
    play = _stuck()
    play.press("alt+m")
    play.press(*"look", after=0.1)
    play.press("enter")
    assert play.take() == [QueueEdit("add", text="mlook")], "it may have been Esc and a word"


def test_enter_behind_words_allows_nothing() -> None:
    play = _asked()
    play.type("no, use pytest instead")
    assert play.view.footer.keys[:2] == (("Alt+Y", "yes"), ("Alt+N", "no"))
    play.press("down", "x", "enter")
    assert play.take() == [QueueEdit("add", text="no, use pytest insteadx")], (
        "that was the end of a word"
    )
    play.type("so")
    play.press("down", after=1.6)  # the words have come to an end
    play.press("down", "up", "enter")  # the cursor was meant: it was moved
    assert play.take() == [Answer("a1", "always")]


def test_no_answer_looks_as_if_enter_took_it_after_an_enter_that_was_refused() -> None:
    play = Play()
    play.begin()
    asked = ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", always="this", session="s")
    play.feed(asked, after=9.0)
    assert play.view.dialog is not None and play.view.dialog.selected == 0
    play.press("enter", after=0.1)
    assert play.view.dialog.selected == -1
    play.press("down", after=1.0)
    assert play.view.dialog.selected >= 0, "the arrows choose again"


@pytest.mark.parametrize("draft", ["", "half a thought"])
def test_words_behind_alt_and_the_letter_of_a_no_that_takes_some_are_its_reason(draft: str) -> None:
    play = _asked(draft=draft)
    play.press("alt+m", after=3.0)
    play.press(*"really", after=0.2)
    assert play.view.prompt.label == "Tell the model why not" and play.text == "really"
    assert play.take() == []
    play.press("enter")
    assert play.take() == [Answer("a1", "no", "really")] and play.text == draft


def test_a_word_so_close_behind_alt_and_m_that_it_was_esc_is_a_prompt() -> None:
    play = _asked()
    play.press("alt+m", after=3.0)
    play.press(*"aybe", after=0.03)
    assert play.view.prompt.label == "" and play.text == "maybe"


def test_after_ctrl_c_cleared_the_words_the_letters_answer_again() -> None:
    play = _asked()
    play.type("half a thought", after=3.0)
    play.press("ctrl+c")
    assert play.text == "" and play.take() == []
    play.press("y", after=1.4)
    assert play.text == "y", "it may be the first of other words"
    play.press("ctrl+c")
    play.tick(1.6)
    dialog = play.view.dialog
    assert dialog is not None and dialog.options[0].key == "y"
    play.press(*"yes", after=2.0)
    play.press("enter", after=3.0)
    assert play.take() == [QueueEdit("add", text="yes")], "words answer nothing"
    play.press("ctrl+c", after=3.0)
    play.press("y", "enter", after=3.0)
    assert Answer("a1", "once") not in play.take(), "the words were sent and not cleared"
    play.type("no")
    play.press("ctrl+c")
    play.press("y", "enter", after=3.0)
    assert play.take() == [Answer("a1", "once")]


def test_what_a_command_changed_stays_only_if_somebody_means_it() -> None:
    def asked(question: str) -> ApprovalAsked:
        return ApprovalAsked(
            id=question,
            call_id=f"c{question}",
            tool="run_shell_command",
            label="$ make",
            reason="protected names changed",
            display=CommandDisplay("make"),
            session="s",
            ran=question == "a1",
        )

    for keys, choice in ((("enter",), "no"), (("y", "enter"), "once"), (("1", "enter"), "once")):
        play = Play()
        play.begin()
        play.feed(asked("a1"))
        play.effects.clear()
        assert play.view.dialog is not None and play.view.dialog.title == "Keep these changes?"
        play.press(*keys)
        assert play.take() == [Answer("a1", choice)]
    play = Play()
    play.begin()
    play.feed(asked("a2"))
    play.feed(asked("a1"))
    assert play.view.dialog is not None
    assert not [one for one in play.view.dialog.options if "both" in one.label]


@pytest.mark.parametrize("key", ["enter", "alt+s"])
def test_a_command_behind_one_that_was_refused_is_not_sent(key: str) -> None:
    play = _asked()
    play.type("/map")
    play.press("enter", after=2.0)
    assert play.toast == "answer first; then Enter runs it"
    play.type("/mode")
    play.press(key, after=2.0)
    assert play.toast == "not sent: clear the prompt, then /mode"
    assert play.take() == [] and play.text == "/map/mode"
