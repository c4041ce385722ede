"""What the hints around the prompt promise is what their keys do at that moment."""

from __future__ import annotations

from agent_tui.protocol.events import ApprovalAnswered, ApprovalAsked, QueueChanged
from agent_tui.protocol.ops import Answer, Cancel, RunShell, Steer
from agent_tui.protocol.transcript import Queued
from agent_tui.tui.core.msg import VimMoved
from tests.answers import answer_event
from tests.tui.play import Play, words


def _queued() -> Play:
    play = Play()
    play.begin()
    play.feed(QueueChanged((Queued("1", "next"),), False, session="s"))
    return play


def _ask(play: Play) -> None:
    play.feed(ApprovalAsked(id="a", call_id="c", tool="t", label="$ make", session="s"))


def _hint(play: Play) -> str:
    assert play.view.queue is not None
    return play.view.queue.hint


def _status(play: Play) -> str:
    assert play.view.status is not None
    return words(play.view.status.spans)


def test_enter_is_never_named_for_the_queue_while_it_answers() -> None:
    play = _queued()
    assert play.view.footer.keys[:4] == (
        ("Enter", "steer"),
        ("Alt+Q", "show queue"),
        ("↑", "edit the last"),
        ("Ctrl+X", "stop and clear"),
    )
    assert _hint(play) == "", "its keys are in the footer alone"
    _ask(play)
    assert play.view.footer.keys == (
        ("Enter", "yes"),
        ("↑↓", "choose"),
        ("Tab", "add words"),
    )
    play.press("enter")
    assert play.take() == [Answer("a", "once")]


def test_with_words_in_the_prompt_enter_queues_them() -> None:
    play = _queued()
    play.type("and this")
    assert ("Enter", "queue") in play.view.footer.keys
    assert ("Alt+Q", "show queue") in play.view.footer.keys
    assert "↑" not in dict(play.view.footer.keys), "it goes to the line above, not to the queue"
    play.text = ""
    play.type("")
    play.press("enter")
    assert Steer(queue_id="1") in play.ops


def test_a_sheet_takes_the_keys_of_the_queue_and_the_one_that_stops() -> None:
    play = _queued()
    assert _status(play).endswith("Esc stop and pause")
    play.press("f1")
    assert "Ctrl+X" not in dict(play.view.footer.keys)
    assert "Esc" not in _status(play), "Esc closes the sheet"
    play.press("escape")
    _ask(play)
    play.press("alt+m", "enter")
    assert "Esc" not in _status(play), "Esc goes back"
    assert ("Esc", "back") in play.view.footer.keys


def test_in_vims_insert_mode_escape_is_not_said_to_stop() -> None:
    play = _queued()
    play.type("/vim on")
    play.press("enter")
    play.say(VimMoved("insert"))
    assert "Esc" not in _status(play)
    assert ("Esc", "normal mode") in play.view.footer.keys
    play.say(VimMoved("normal"))
    assert _status(play).endswith("Esc stop and pause")


def test_escape_is_not_said_to_leave_vims_insert_mode_where_something_else_has_it() -> None:
    play = _queued()
    play.type("/vim on")
    play.press("enter")
    play.say(VimMoved("insert"))
    play.press("f1")
    assert ("Esc", "normal mode") not in play.view.footer.keys
    play.press("escape")
    _ask(play)
    assert ("Esc", "normal mode") not in play.view.footer.keys
    play.press("alt+m", "enter", after=2.0)
    assert ("Esc", "back") in play.view.footer.keys
    assert ("Esc", "normal mode") not in play.view.footer.keys


def test_at_a_question_escape_leaves_vims_insert_mode_only_where_words_are_written() -> None:
    play = _queued()
    play.type("/vim on")
    play.press("enter")
    play.say(VimMoved("insert"))
    _ask(play)
    assert _status(play).endswith("Esc stop and pause")
    play.type("words")
    assert ("Esc", "normal mode") in play.view.footer.keys and "Esc" not in _status(play)
    play.press("escape")
    assert play.take() == []
    play.say(VimMoved("normal"))
    assert ("Esc", "normal mode") not in play.view.footer.keys and _status(play).endswith(
        "Esc stop and pause"
    )
    play.press("escape")
    assert play.take() == [Cancel()]


def test_enter_right_after_words_on_the_first_screen_keeps_them_and_takes_no_row() -> None:
    play = Play(model="")
    play.feed(answer_event("start", "models", {"tried": [], "offered": []}, session="s"))
    assert ("Enter", "take") in play.view.footer.keys
    play.press(*"fix", "space", *"it")
    assert ("Enter", "keep the prompt") in play.view.footer.keys
    play.press("enter")
    assert (play.toast, play.text) == ("kept until there is a model", "fix it")
    assert play.view.overlay is not None and play.view.prompt.label == ""
    play.press("down")
    assert ("Enter", "take") in play.view.footer.keys
    play.press("enter")
    assert "Address" in play.view.prompt.label


def test_a_shell_command_is_said_to_run_where_enter_runs_it() -> None:
    for typed in ("!make", "!!make"):
        play = Play()
        play.begin()
        play.type(typed)
        assert "answer" not in play.view.prompt.label
        _ask(play)
        assert "answer the question first" in play.view.prompt.label
        play.press("enter")
        assert play.take() == [] and play.model.composer.draft == typed
        play.feed(ApprovalAnswered(id="a", choice="no", session="s"))
        assert "answer" not in play.view.prompt.label
        play.press("enter")
        assert play.take() == [RunShell("make", typed.startswith("!!"))]
