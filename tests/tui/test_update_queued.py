"""The queue panel: every key of it, as values; an edited prompt keeps its place and is not taken."""

from __future__ import annotations

import pytest

from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    ApprovalAsked,
    DraftSaved,
    QueueChanged,
    SessionStarted,
    TurnEnded,
    fold,
)
from agent_tui.protocol.ops import (
    Answer,
    Cancel,
    Op,
    QueueEdit,
    RunShell,
    SaveDraft,
    Steer,
    Submit,
)
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import Remember, Send
from agent_tui.tui.core.msg import DraftChanged, KeyPressed, OptionClicked, Resized
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.prompt import composer
from agent_tui.tui.sheets.draw import FIRM
from tests.tui.play import Play, words


def _queue(*texts: str, paused: bool = False, steer: tuple[str, ...] = ()) -> QueueChanged:
    items = tuple(Queued(f"id-{text}", text, text in steer) for text in texts)
    return QueueChanged(items=items, paused=paused, session="s")


def _panel(
    *texts: str, running: bool = True, paused: bool = False, steer: tuple[str, ...] = ()
) -> Play:
    play = Play()
    if running:
        play.begin()
    play.feed(_queue(*texts, paused=paused, steer=steer))
    play.press("alt+q")
    play.effects.clear()
    return play


def _cursor(play: Play) -> str:
    shown = play.view.overlay
    assert shown is not None
    return shown.options[shown.selected].label


def test_what_the_model_reads_first_stands_first() -> None:
    play = _panel("one", "two", "now", steer=("now",))
    shown = play.view.overlay
    assert shown is not None and [option.label for option in shown.options] == ["now", "one", "two"]


@pytest.mark.parametrize("typed", ["alt+q", "/queue"])
def test_it_opens_by_key_and_by_name_and_names_every_state(typed: str) -> None:
    play = Play()
    play.begin()
    play.feed(_queue("on its way", "one", "two", steer=("on its way",)))
    if typed.startswith("/"):
        play.type(typed)
        play.press("escape", "enter")
    else:
        play.press(typed)
    shown = play.view.overlay
    assert shown is not None and shown.title == "Queued prompts (2), 1 at the next step"
    assert [(option.key, option.label, option.detail) for option in shown.options] == [
        ("1", "on its way", "at the next step"),
        ("2", "one", "next"),
        ("3", "two", "waits"),
    ]
    said = " ".join(map(words, shown.lines)).replace(FIRM, " ")
    assert "Enter" not in said and ("Enter", "edit") in play.view.footer.keys
    for word in (
        "when this turn ends",
        "s steer",
        "i stop and send",
        "d remove",
        "p pause",
    ):
        assert word in said
    play.press("alt+q")
    assert play.view.overlay is None


@pytest.mark.parametrize("steer", [(), ("one",), ("one", "two")])
def test_the_strip_and_the_panel_count_the_same(steer: tuple[str, ...]) -> None:
    play = Play()
    play.begin()
    play.feed(_queue("one", "two", "three", steer=steer))
    left = 3 - len(steer)
    strip = play.view.queue
    assert strip is not None and (len(strip.items), len(strip.steers)) == (left, len(steer))
    play.press("alt+q")
    shown = play.view.overlay
    assert shown is not None and shown.title.startswith(f"Queued prompts ({left})")
    assert len(shown.options) == 3


def test_the_footer_names_no_key_for_a_queue_that_only_steers() -> None:
    play = Play()
    play.begin()
    play.feed(_queue("one", steer=("one",)))
    assert "Enter" not in dict(play.view.footer.keys)


def test_resuming_the_queue_goes_to_the_end_of_the_transcript() -> None:
    for key in ("enter", "alt+q"):
        play = Play()
        play.begin()
        play.feed(TurnEnded("completed", session="s"), _queue("one", "two", paused=True))
        before = play.model.reading.jump
        play.press(key, *(("p", "enter") if key == "alt+q" else ()))
        assert QueueEdit("resume") in play.ops and play.model.reading.jump == before + 1


def test_an_empty_queue_is_said_and_not_opened() -> None:
    play = Play()
    play.press("alt+q")
    assert play.view.overlay is None and play.toast == "the queue is empty"


def test_the_state_is_in_front_where_there_is_no_room_behind() -> None:
    play = _panel("one", paused=True, running=False)
    play.say(Resized(40, 20))
    shown = play.view.overlay
    assert shown is not None and shown.title.endswith("paused")
    assert [(option.label, option.detail) for option in shown.options] == [("waits: one", "")]


@pytest.mark.parametrize(
    ("keys", "ops"),
    [
        (("d", "enter"), [QueueEdit("remove", id="id-one")]),
        (("delete",), [QueueEdit("remove", id="id-one")]),
        (("down", "d", "enter"), [QueueEdit("remove", id="id-two")]),
        (("j", "j", "d", "enter"), [QueueEdit("remove", id="id-three")]),
        (("up", "d", "enter"), [QueueEdit("remove", id="id-three")]),
        (("3", "d", "enter"), [QueueEdit("remove", id="id-three")]),
        (("end", "K"), [QueueEdit("up", id="id-three")]),
        (("alt+down", "alt+down"), [QueueEdit("down", id="id-one")] * 2),
        (("2", "alt+up"), [QueueEdit("up", id="id-two")]),
        (("J",), [QueueEdit("down", id="id-one")]),
        (("p", "enter"), [QueueEdit("pause")]),
        (("2", "s", "enter"), [Steer(queue_id="id-two")]),
        (("2", "i", "enter"), [Cancel(), Submit("two", queue_id="id-two"), QueueEdit("resume")]),
        (("x", "7", "home", "pagedown"), []),
    ],
)
def test_keys_while_a_turn_runs(keys: tuple[str, ...], ops: list[Op]) -> None:
    play = _panel("one", "two", "three")
    play.press(*keys)
    assert play.take() == ops


@pytest.mark.parametrize("key", ["s", "i"])
def test_a_prompt_is_sent_now_although_the_queue_is_paused(key: str) -> None:
    play = _panel("one", "two", running=False, paused=True)
    play.press("2", key, "enter")
    assert play.take() == [Submit("two", queue_id="id-two")]
    play.feed(_queue("one", "two", paused=True))
    play.begin("two", "id-two")
    play.end()
    assert play.take() == []


def test_p_resumes_a_paused_queue() -> None:
    play = _panel("one", running=False, paused=True)
    play.press("p", "enter")
    assert play.take() == [QueueEdit("resume")]


def test_slash_queue_pauses_and_resumes() -> None:
    play = _panel("one")
    play.press("escape")
    for word in ("pause", "resume"):
        play.type(f"/queue {word}")
        play.press("enter")
        assert play.take() == [QueueEdit(word)]


def test_what_is_removed_is_in_the_history() -> None:
    play = _panel("one")
    play.press("d", "enter")
    assert Remember("one") in play.effects and "removed" in play.toast
    assert play.view.overlay is not None and "The queue is empty" in words(
        play.view.overlay.lines[0]
    )
    play.press("escape", "up")
    assert play.text == "one"


def test_the_cursor_stays_on_its_prompt_and_never_acts_on_another() -> None:
    play = _panel("one", "two", "three")
    play.press("down")
    play.feed(_queue("two", "one", "three"))
    assert _cursor(play) == "two"
    play.feed(_queue("one", "three"))
    play.press("d")
    assert "was just sent" in play.toast
    assert play.take() == []
    assert _cursor(play) == "one", "what stood behind it"
    play.press("d", "enter")
    assert play.take() == [QueueEdit("remove", id="id-one")]


def test_words_for_the_running_turn_can_only_be_taken_back() -> None:
    play = _panel("now", steer=("now",))
    for keys in (("e", "enter"), ("s", "enter"), ("i", "enter"), ("K",)):
        play.press(*keys)
        assert "d cancels" in play.toast
        assert play.take() == []
    play.press("d", "enter")
    assert play.take() == [QueueEdit("remove", id="id-now")]


# -- editing


@pytest.mark.parametrize("keys", [("enter",), ("e", "enter")])
def test_an_edit_goes_back_to_its_place_and_the_draft_is_kept(
    keys: tuple[str, ...],
) -> None:
    play = Play()
    play.begin()
    play.feed(_queue("one", "two"))
    play.type("my draft")
    play.press("alt+q", *keys)
    assert (play.text, play.view.overlay) == ("one", None)
    assert [what for _, what in play.view.footer.keys] == ["save", "steer", "cancel"]
    play.say(DraftChanged("one, but better", 3))
    play.text = "one, but better"
    play.press("enter")
    assert play.take() == [QueueEdit("edit", id="id-one", text="one, but better")]
    assert play.text == "my draft"
    shown = play.view.queue
    assert shown is not None and shown.items == (
        "one, but better",
        "two",
    )  # also before the engine has said so


def test_escape_leaves_it_as_it_was_and_stops_nothing() -> None:
    play = _panel("one")
    play.press("e", "enter")
    play.type(" changed")
    play.press("escape")
    assert play.take() == [] and play.text == ""
    play.press("up")
    assert play.text == "one"
    play.press("up")
    assert play.text == "one changed"  # the history keeps what was typed
    play.press("escape", "escape")
    assert play.take() == [Cancel()]


def test_nothing_is_taken_past_the_one_that_is_edited() -> None:
    play = _panel("one", "two")
    play.press("e", "enter")
    play.end()
    assert play.take() == []
    play.press("enter")
    assert play.take() == [Submit("one", queue_id="id-one")]


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
@pytest.mark.parametrize("words", ["", "one", "one changed"])
def test_leaving_an_edit_sends_nothing_where_no_turn_runs(key: str, words: str) -> None:
    play = _panel("one", "two")
    play.press("e", "enter")
    play.end()
    play.text = words
    play.say(DraftChanged(words))
    play.press(key)
    assert play.take() == [QueueEdit("pause")]
    assert [item.text for item in play.model.queue] == ["one", "two"]


def test_alt_s_sends_the_edited_words_into_the_running_turn() -> None:
    play = _panel("one")
    play.press("e", "enter")
    play.type("!")
    play.press("alt+s")
    assert play.take() == [QueueEdit("edit", id="id-one", text="one!"), Steer(queue_id="id-one")]


def test_an_empty_edit_puts_nothing_back() -> None:
    play = _panel("one")
    play.press("e", "enter")
    play.text = ""
    play.say(DraftChanged(""))
    play.press("enter")
    assert "Esc cancels" in play.toast
    assert play.take() == []
    play.press("escape")
    assert [item.text for item in play.model.queue] == ["one"]


@pytest.mark.parametrize("key", ["enter", "alt+s"])
def test_a_command_cannot_wait_in_the_queue(key: str) -> None:
    play = _panel("one")
    play.press("e", "enter")
    play.text = "/quit"
    play.say(DraftChanged("/quit"))
    play.press("escape", key)  # the first closes the list under the slash
    assert "cannot be queued" in play.toast and play.take() == []
    play.press("escape")
    assert [item.text for item in play.model.queue] == ["one"]


def test_an_edit_outlives_a_question_and_a_prompt_that_has_gone_gives_its_words_to_the_history() -> (
    None
):
    play = _panel("one")
    play.press("e", "enter")
    play.type(" more")
    play.feed(ApprovalAsked(id="q", call_id="c", tool="t", label="l", session="s"))
    assert play.view.prompt.label == "Editing a queued prompt"
    play.press("alt+y", "enter")
    assert play.take() == [Answer("q", "once")] and play.text == "one more"
    play.feed(_queue(), TurnEnded(state="completed", session="s"))
    assert play.text == "" and "was already sent" in play.toast
    assert Remember("one more") in play.effects


@pytest.mark.parametrize(("draft", "kept"), [("", "one more"), ("mine", "one more\n\nmine")])
def test_new_words_of_a_queued_prompt_and_the_draft_beside_it_are_on_record(
    draft: str, kept: str
) -> None:
    play = Play()
    play.begin()
    play.feed(_queue("one"))
    play.type(draft)
    play.press("alt+q", "enter")
    assert play.model.composer.saved == draft, "the queue has the words that it had"
    play.type(" more")
    assert play.model.composer.saved == kept
    play.type("\n!!")
    assert play.model.composer.saved.startswith("one more\n!!")
    play.press("enter")
    assert play.model.composer.saved == draft == play.text


@pytest.mark.parametrize("purpose", ["", "question"])
def test_an_edit_is_one_again_when_the_session_goes_on(purpose: str) -> None:
    play = Play()
    play.begin()
    play.feed(_queue("one", "two"))
    play.type("mine")
    play.press("alt+q", "enter")
    play.type(" more")
    if purpose:
        asked = Purpose("say", "What shall it do?", "q")
        play.model = composer.ask(play.model, asked)
        play.say(DraftChanged("no, other"))
    sent = [effect.op for effect in play.effects if isinstance(effect, Send)]
    [*_, saved] = [op for op in sent if isinstance(op, SaveDraft)]
    assert saved.edited is not None
    told = [SessionStarted(session="s"), _queue("one", "two", paused=True)]
    record = DraftSaved(saved.text, edited=saved.edited, session="s")
    again = Play(started=False)
    again.feed(Restored(fold([*told, record])))
    assert again.text == "one more" and again.model.composer.editing is not None
    assert again.model.composer.editing.stash == ("no, other\n\nmine" if purpose else "mine")
    again.press("enter")
    assert QueueEdit("edit", "id-one", "one more") in again.ops and "mine" in again.text
    gone = Play(started=False)
    gone.feed(Restored(fold([told[0], record])))
    assert gone.text == saved.text and gone.model.composer.editing is None, "nothing is lost"


def test_a_private_command_is_never_on_record() -> None:
    play = Play()
    play.begin()
    play.feed(_queue("one"))
    play.type("mine")
    play.press("alt+q", "enter")
    play.say(DraftChanged("!!secret", 8))
    assert play.model.composer.saved == "mine"


def test_a_prompt_that_came_to_nothing_waits_behind_the_edit() -> None:
    play = _panel("one")
    play.press("e", "enter")
    play.feed(TurnEnded(state="cancelled", session="s"))
    assert play.text == "one"
    play.press("escape")
    assert play.text == "work"


@pytest.mark.parametrize("key", ["d", "delete", "enter", "e", "s", "i", "J"])
def test_the_first_key_is_not_for_the_prompt_that_slid_up(key: str) -> None:
    """No arrow was pressed: the cursor is on the prompt that the person saw, which was sent just
    now."""
    play = _panel("first", "second", "third")
    play.feed(_queue("second", "third"))
    play.effects.clear()
    play.press(key, after=0.05)
    assert play.ops == [] and "just sent" in play.toast


def test_a_paused_queue_says_so_in_its_title_and_rows_and_nowhere_else() -> None:
    shown = _panel("one", paused=True, running=False).view.overlay
    assert shown is not None and shown.title.endswith("paused")
    assert not any("aused" in words(line) for line in shown.lines)
    waits = _panel("one").view.overlay
    assert waits is not None and words(waits.lines[0]).startswith("The next is")


@pytest.mark.parametrize("key", ["d", "s", "i", "e", "enter", "delete"])
@pytest.mark.parametrize("refreshes", [0, 1, 3])
def test_what_was_chosen_for_a_prompt_that_was_sent_is_done_to_no_other(
    key: str, refreshes: int
) -> None:
    play = _panel("one", "two", "three")
    armed = len(key) == 1
    if armed:
        play.press(key)
        assert play.toast.startswith("press Enter to ")
    play.feed(_queue("two", "three"))
    for _ in range(refreshes):  # what else the engine tells makes the rows anew
        play.feed(_queue("two", "three", paused=True), _queue("two", "three"))
    assert play.model.held is None
    assert not armed or play.toast == "that prompt was just sent"
    play.press("enter" if armed else key)
    assert play.toast == "that prompt was just sent" and play.text == "" and play.take() == []


@pytest.mark.parametrize("how", ["click", "wheel"])
def test_the_mouse_moves_no_choice_to_another_prompt(how: str) -> None:
    play = _panel("one", "two", "three")
    play.press("d")
    if how == "click":
        play.say(OptionClicked(1))
    else:
        play.say(KeyPressed("wheeldown"))
    assert play.model.held is None and play.toast == ""
    play.press("enter")
    assert not [op for op in play.take() if isinstance(op, QueueEdit)]


def test_a_letter_that_means_another_thing_by_now_does_nothing() -> None:
    play = _panel("one", "two")
    play.press("p")
    assert play.toast == "press Enter to pause"
    play.feed(_queue("one", "two", paused=True))
    assert (
        play.model.held is None and play.toast == "nothing done: that key means another thing now"
    )
    play = _panel("one", "two", paused=True)
    play.press("s")
    assert play.toast == "press Enter to steer"
    play.feed(TurnEnded("completed", session="s"))
    play.press("enter")
    assert play.take() == []


def test_a_prompt_that_the_person_sent_is_not_missed() -> None:
    play = _panel("one", "two", "three")
    play.press("s", "enter")
    assert play.take() == [Steer(queue_id="id-one")]
    play.press("d", "enter")
    assert play.take() == [QueueEdit("remove", id="id-two")]


@pytest.mark.parametrize("line", ["!!echo hunter22", "!make"])
def test_a_command_is_never_steered(line: str) -> None:
    play = Play()
    play.begin()
    play.type(line)
    play.press("alt+s")
    assert play.take() == [RunShell(line.lstrip("!"), line.startswith("!!"))]
    assert play.text == ""


def test_a_queued_prompt_does_not_become_a_command() -> None:
    play = Play()
    play.begin()
    play.feed(QueueChanged(items=(Queued("q1", "one"),), session="s"))
    play.press("up")
    play.text = "!!echo hunter22"
    play.effects.clear()
    play.press("enter")
    assert "cannot be queued" in play.toast and play.take() == []
