"""The prompt queue: nothing is lost, nothing is sent twice, and Esc never fires it."""

from __future__ import annotations

from dataclasses import replace

from agent_tui.protocol.events import (
    ModelChanged,
    QueueChanged,
    TurnEnded,
    TurnStarted,
)
from agent_tui.protocol.ops import Cancel, QueueEdit, SaveDraft, Steer, Submit
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.effects import Send
from tests.tui.play import Play, words


def _queue(*texts: str, paused: bool = False) -> QueueChanged:
    return QueueChanged(
        items=tuple(Queued(f"id-{text}", text) for text in texts), paused=paused, session="s"
    )


def _running(*texts: str) -> Play:
    play = Play()
    play.begin()
    play.feed(_queue(*texts))
    play.effects.clear()
    return play


def test_the_oldest_goes_out_when_the_turn_is_over_and_only_once() -> None:
    play = _running("one", "two")
    play.end()
    assert play.take() == [Submit("one", queue_id="id-one")]
    play.feed(_queue("one", "two"))
    play.tick()
    assert play.take() == []
    assert [item.text for item in play.model.queue] == ["two"]
    play.begin("one", "id-one")
    play.end()
    assert play.take() == [Submit("two", queue_id="id-two")]


def test_a_paused_queue_waits_and_enter_on_an_empty_prompt_resumes_it() -> None:
    play = _running("one")
    play.press("escape")
    assert play.take() == [Cancel()]
    play.feed(_queue("one", paused=True))
    play.end("cancelled")
    assert play.take() == []
    assert play.text == "work"
    play.press("ctrl+c", "enter")
    assert play.take() == [QueueEdit("resume")]
    play.feed(_queue("one"))
    assert play.take() == [Submit("one", queue_id="id-one")]


def test_the_draft_is_known_as_spent_before_the_prompt_that_spends_it_goes_out() -> None:
    for running, sent in ((False, Submit("third")), (True, QueueEdit("add", text="third"))):
        play = Play()
        if running:
            play.begin()
        play.type("third")
        play.effects.clear()
        play.press("enter")
        ops = [effect.op for effect in play.effects if isinstance(effect, Send)]
        assert ops == [SaveDraft(""), sent], "a turn may fail before a draft would be told later"


def test_a_failed_prompt_that_the_engine_has_queued_is_not_in_the_prompt_too() -> None:
    play = Play()
    play.begin("third")
    play.feed(_queue("third", paused=True))
    play.end("error")
    assert play.text == "" and [item.text for item in play.model.queue] == ["third"]


def test_enter_on_an_empty_prompt_steers_with_the_oldest() -> None:
    play = _running("one", "two")
    play.press("enter", "enter")
    assert play.take() == [Steer(queue_id="id-one"), Steer(queue_id="id-two")]
    assert play.view.queue is None


def test_alt_s_on_an_empty_prompt_does_the_same() -> None:
    play = _running("one")
    play.press("alt+s")
    assert play.take() == [Steer(queue_id="id-one")]


def test_up_on_an_empty_prompt_edits_the_last_one_in_its_place() -> None:
    play = _running("one", "two")
    play.press("up")
    assert play.take() == []
    assert play.text == "two"
    assert play.view.prompt.label and play.view.queue is not None
    assert play.view.queue.items == ("one", "being edited: two")
    play.end()
    assert play.take() == [Submit("one", queue_id="id-one")]
    play.begin("one", "id-one")
    play.end()
    assert play.take() == []  # the agent does not take what is being edited
    play.type(" more")
    play.press("enter")
    edited = QueueEdit("edit", id="id-two", text="two more")
    assert play.take() == [edited, Submit("two more", queue_id="id-two")]
    assert play.text == ""


def test_up_and_down_go_through_the_queue_while_nothing_is_changed() -> None:
    play = _running("one", "two", "three")
    for key, text in (
        ("up", "three"),
        ("up", "two"),
        ("up", "one"),
        ("down", "two"),
        ("down", "three"),
        ("down", ""),
    ):
        play.press(key)
        assert play.text == text
    play.press("up", "up")
    play.type(" more")
    play.press("enter")
    assert play.take() == [QueueEdit("edit", id="id-two", text="two more")]
    shown = play.view.queue
    assert shown is not None and shown.items == ("one", "two more", "three") and play.text == ""


def test_the_draft_waits_below_the_queue() -> None:
    play = _running("one", "two")
    play.press("alt+q", "down", "enter")
    play.press("up")
    shown = play.view.queue
    assert shown is not None and shown.items == ("being edited: one", "two") and play.text == "one"
    play.press("down", "down")
    assert play.text == "" and play.view.prompt.label == "" and play.take() == []


def test_ctrl_x_interrupts_and_clears() -> None:
    play = _running("one")
    play.press("ctrl+x")
    assert play.toast == "removed 1 queued prompt: ↑ brings it back"
    assert play.take() == [Cancel(clear_queue=True)]
    play.press("up")
    assert play.text == "one"


def test_ctrl_x_with_nothing_running_clears_the_queue() -> None:
    play = Play()
    play.feed(_queue("one", "two", paused=True))
    play.press("ctrl+x")
    assert play.toast == "removed 2 queued prompts: ↑ brings them back"
    assert play.take() == [QueueEdit("clear")]
    play.press("up", "up")
    assert play.text == "one"


def test_a_new_prompt_goes_before_a_paused_queue() -> None:
    play = Play()
    play.feed(_queue("one", paused=True))
    play.type("now")
    play.press("enter")
    assert play.take() == [Submit("now")]


def test_what_waits_is_said_above_the_prompt_alone() -> None:
    play = _running("one", "two\nlines")
    assert play.view.queue is not None
    assert play.view.queue.items == ("one", "two ⏎ lines")
    play.feed(_queue("one", paused=True))
    assert play.view.queue is not None and play.view.queue.paused
    assert words(play.view.header.right_spans).startswith("auto"), "the header says none of it"


def test_the_header_counts_the_queue_if_it_is_asked_to() -> None:
    play = _running("one", "two")
    play.model = replace(play.model, look=replace(play.model.look, status=(">", "queue")))
    assert words(play.view.header.right_spans).startswith("queued (2)")
    play.feed(_queue("one", paused=True))
    assert "queued (1) paused" in words(play.view.header.right_spans)


def test_without_a_model_the_queue_waits() -> None:
    play = Play(model="")
    play.feed(_queue("one"))
    assert play.take() == []
    play.feed(ModelChanged("fake/model", session="s"))
    assert play.take() == [Submit("one", queue_id="id-one")]


def test_words_for_the_running_turn_are_shown_apart_and_are_no_prompt_of_their_own() -> None:
    play = Play()
    play.feed(
        TurnStarted(prompt="go", turn=1), QueueChanged(items=(Queued("1", "and this", steer=True),))
    )
    assert play.view.queue is not None
    assert (play.view.queue.items, play.view.queue.steers) == ((), ("and this",))
    play.feed(TurnEnded(state="completed"))
    assert not any(isinstance(op, Submit) for op in play.take())
    play.feed(QueueChanged(items=(Queued("2", "and this"),)))
    assert [op for op in play.take() if isinstance(op, Submit)] == [
        Submit("and this", queue_id="2")
    ]


def test_what_waits_for_the_start_is_not_copied_out_of_the_history() -> None:
    play = Play(started=False)
    play.type("build it")
    play.press("enter")
    for key in ("up", "alt+q"):
        play.press(key)
        assert (play.toast, play.text) == ("starting: wait to edit the queue", "")
