"""The prompt: sending, history, drafts, and what it is used for besides."""

from __future__ import annotations

from typing import get_args

import pytest

from agent_tui.protocol.event import Restored
from agent_tui.protocol.events import (
    ApprovalAsked,
    AssistantReplied,
    ErrorRaised,
    QuestionAnswered,
    QuestionAsked,
    QueueChanged,
    SessionStarted,
    TurnEnded,
)
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit, SaveDraft, Steer, Submit
from agent_tui.protocol.transcript import Queued, Transcript
from agent_tui.tui.core.effects import CopySelection, Quit, Remember, Send
from agent_tui.tui.core.msg import DraftChanged, HistoryLoaded, KeyPressed, Started
from agent_tui.tui.core.prompt_state import Purpose, PurposeKind
from agent_tui.tui.prompt import composer
from agent_tui.tui.update import update
from tests.answers import answer_event
from tests.tui.play import Play


@pytest.mark.parametrize("key", ["enter", "ctrl+s"])
def test_a_sent_prompt_leaves_the_prompt_and_is_remembered(key: str) -> None:
    play = Play()
    play.type("fix it")
    play.press(key)
    assert play.ops == [Submit("fix it")]
    assert Remember("fix it") in play.effects
    assert play.text == ""
    assert play.view.transcript.jump == 1


def test_a_blank_prompt_is_not_sent() -> None:
    play = Play()
    play.type("  \n ")
    play.press("enter")
    assert play.ops == []
    assert play.text == "  \n "


def test_a_second_prompt_before_the_turn_began_is_queued() -> None:
    play = Play()
    play.type("one")
    play.press("enter", after=0.01)
    play.type("two", after=0.01)
    play.press("enter", after=0.01)
    assert play.ops == [Submit("one"), QueueEdit("add", text="two")]


def test_a_prompt_while_a_turn_runs_is_queued() -> None:
    play = Play()
    play.begin()
    play.type("later")
    play.press("ctrl+s")
    assert play.ops == [QueueEdit("add", text="later")]
    assert play.text == ""


def test_steering_with_the_draft() -> None:
    play = Play()
    play.begin()
    play.type("not that file")
    play.press("alt+s")
    assert play.ops == [Steer("not that file")]
    assert play.text == ""


def test_steering_with_nothing_running_sends() -> None:
    play = Play()
    play.type("go")
    play.press("alt+s")
    assert play.ops == [Submit("go")]


def test_a_prompt_sent_before_the_engine_is_ready_goes_out_at_once() -> None:
    play = Play(started=False)
    play.type("early")
    play.press("enter")
    assert play.ops == [Submit("early")]
    play.feed(SessionStarted(session="s", model="fake/model"), answer_event("start", "models", {}))
    assert play.text == ""
    assert len(play.ops) == 1


def test_the_prompt_of_the_command_line_is_sent() -> None:
    play = Play(started=False)
    play.say(Started(80, 24, prompt="explain this"))
    assert play.ops == [Submit("explain this")]


def test_an_early_prompt_without_a_model_comes_back() -> None:
    play = Play(started=False)
    play.type("early")
    play.press("enter")
    play.feed(SessionStarted(session="s", model=""), answer_event("start", "models", {"tried": []}))
    assert play.text == "early"
    assert play.view.overlay is not None
    assert play.model.in_flight is None


def test_history_goes_up_and_comes_back_to_the_draft() -> None:
    play = Play()
    play.say(HistoryLoaded(("first", "second")))
    play.type("draft")
    play.press("up")
    assert play.text == "second"
    play.press("up", "up")
    assert play.text == "first"
    play.press("down", "down")
    assert play.text == "draft"
    play.press("down")
    assert play.text == "draft"


def test_what_was_sent_is_the_newest_of_the_history() -> None:
    play = Play()
    play.type("once")
    play.press("enter")
    play.say(HistoryLoaded(("older",)))
    play.press("up")
    assert play.text == "once"
    play.press("up")
    assert play.text == "older"


def test_an_edited_history_entry_is_a_draft_of_its_own() -> None:
    play = Play()
    play.say(HistoryLoaded(("first", "second")))
    play.press("up")
    play.type("!")
    play.press("up")
    assert play.text == "second"
    play.press("down")
    assert play.text == "second!"


def test_drafts_are_saved_when_they_change_and_when_they_are_used() -> None:
    play = Play()
    play.type("a")
    play.type("b")
    play.press("enter")
    saved = [e.op.text for e in play.effects if isinstance(e, Send) and isinstance(e.op, SaveDraft)]
    assert saved == ["a", "ab", ""]


def _saved(play: Play) -> list[str]:
    return [e.op.text for e in play.effects if isinstance(e, Send) and isinstance(e.op, SaveDraft)]


@pytest.mark.parametrize("draft", ["", "half a thought", "!!cat key"])
def test_what_is_typed_to_the_model_at_a_question_is_a_draft_until_it_is_sent(draft: str) -> None:
    words = "use ninja"
    play = Play()
    play.begin()
    play.type(draft)
    play.feed(ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", session="s"))
    play.press("alt+m", "enter", after=3.0)
    play.effects.clear()
    play.type(words)
    kept = "" if draft.startswith("!!") else draft
    assert _saved(play) == [f"{words}\n\n{kept}" if kept else words]
    play.press("enter")
    assert play.ops == [Answer("a1", "no", words)]
    assert _saved(play)[-1] == kept


def test_the_words_for_a_stuck_turn_are_a_draft_too() -> None:
    play = Play()
    play.begin()
    play.feed(QuestionAsked(id="q", text="The same three times", kind="stuck", session="s"))
    play.press("m", "enter", after=3.0)
    play.type("look at main.py")
    assert _saved(play) == ["look at main.py"]


def test_what_is_typed_for_something_else_than_the_model_is_no_draft() -> None:
    play = Play()
    play.type("half a thought")
    play.effects.clear()
    for kind in get_args(PurposeKind):
        if kind in ("say", "deny", "allow", "argument", "title"):
            continue
        asking = composer.ask(play.model, Purpose(kind, "?"))
        step = update(asking, DraftChanged("sk-secret", 9, at=2_000.0))
        assert [e for e in step[1] if isinstance(e, Send) and isinstance(e.op, SaveDraft)] == [], (
            kind
        )


@pytest.mark.parametrize("draft", ["", "half a thought"])
def test_words_for_a_command_survive_a_kill_as_that_command(draft: str) -> None:
    """Behind a draft they are no command that would take the draft along."""
    play = Play()
    play.type(draft)
    play.effects.clear()

    def saved(effects: tuple[object, ...]) -> list[str]:
        ops = (one.op for one in effects if isinstance(one, Send))
        return [op.text for op in ops if isinstance(op, SaveDraft)]

    asking = composer.ask(play.model, Purpose("title", "Name"))
    named, effects = update(asking, DraftChanged("the new parser", 14, at=2_000.0))
    assert saved(effects) == [f"{draft}\n\n/rename the new parser".strip()]
    argument = composer.ask(play.model, Purpose("action", "/btw QUESTION", "btw"))
    assert saved(update(argument, DraftChanged("why so", 6, at=2_000.0))[1]) == [
        f"{draft}\n\n/btw why so".strip()
    ]
    over, effects = update(named, KeyPressed("escape", draft="the new parser", at=2_001.0))
    assert saved(effects) == [draft]
    assert over.composer.draft == draft


@pytest.mark.parametrize("draft", ["", "half a thought"])
def test_a_question_takes_no_words_of_a_field(draft: str) -> None:
    """They go on as the command that asked for them, which Enter does not send to the model."""
    play = Play()
    play.begin()
    play.type(draft)
    play.model = composer.ask(play.model, Purpose("title", "Name"))
    play.say(DraftChanged("release notes for the big cus", 29))
    play.feed(ApprovalAsked(id="a1", call_id="c1", tool="t", label="t", session="s"))
    play.type("tomer")
    assert play.text == "/rename release notes for the big customer"
    assert (Remember(draft) in play.effects) == bool(draft)
    play.effects.clear()
    play.press("enter", after=0.5)
    assert play.ops == [] and "answer first" in play.toast
    play.model = composer.ask(Play().model, Purpose("save", "Where"))
    play.say(DraftChanged("notes.md", 8))
    play.feed(ApprovalAsked(id="a2", call_id="c2", tool="t", label="t", session="s"))
    assert Remember("notes.md") in play.effects
    play.effects.clear()
    play.model = composer.ask(Play().model, Purpose("sheet", "Key", secret=True))
    play.say(DraftChanged("1", 1))
    play.feed(ApprovalAsked(id="a3", call_id="c3", tool="t", label="t", session="s"))
    assert not play.takes(Remember)


def test_a_restored_draft_is_in_the_prompt() -> None:
    play = Play(started=False)
    play.feed(Restored(Transcript(session="s", draft="half a thought")))
    assert play.text == "half a thought"


def test_what_was_typed_wins_over_a_restored_draft_which_the_history_keeps() -> None:
    play = Play(started=False)
    play.type("typed")
    play.feed(Restored(Transcript(session="s", draft="restored")))
    assert play.text == "typed"
    assert Remember("restored") in play.effects
    play.press("up")
    assert play.text == "restored"


def test_ctrl_c_copies_then_interrupts_then_clears_then_quits() -> None:
    play = Play()
    play.begin()
    play.type("words")
    play.press("ctrl+c", selection=True)
    assert play.takes(CopySelection) == [CopySelection()]
    play.press("ctrl+c")
    assert play.take() == [Cancel()]
    play.end("cancelled")
    play.effects.clear()
    play.press("ctrl+c")
    assert play.text == ""
    assert Remember("words") in play.effects
    assert "↑" in play.toast
    play.press("ctrl+c")
    assert play.toast == "press Ctrl+C again to quit"
    play.press("ctrl+c", after=2.5)
    assert play.takes(Quit) == []
    play.press("ctrl+c", after=1.9)
    assert play.takes(Quit) == [Quit()]


def test_ctrl_d_quits_only_with_an_empty_prompt() -> None:
    play = Play()
    play.type("x")
    play.press("ctrl+d")
    assert play.takes(Quit) == []
    play.press("ctrl+c", "ctrl+d")
    assert play.takes(Quit) == [Quit()]


@pytest.mark.parametrize("state", ["cancelled", "error"])
def test_a_prompt_without_any_answer_returns_to_an_empty_prompt(state: str) -> None:
    play = Play()
    play.type("fix it")
    play.press("enter")
    play.begin("fix it")
    play.feed(ErrorRaised("connection refused", session="s"), TurnEnded(state=state, session="s"))  # type: ignore[arg-type]
    assert play.text == "fix it" and not play.view.prompt.selected


def test_it_does_not_replace_what_was_typed_since() -> None:
    play = Play()
    play.begin("fix it")
    play.type("something else")
    play.end("cancelled")
    assert play.text == "something else"


def test_an_answered_prompt_does_not_return() -> None:
    play = Play()
    play.begin("fix it")
    play.feed(AssistantReplied(text="done", session="s"))
    play.end("cancelled")
    assert play.text == ""


def test_a_failure_before_the_turn_gives_the_prompt_back() -> None:
    play = Play()
    play.type("fix it")
    play.press("enter")
    play.feed(ErrorRaised("no", session="s"))
    assert play.text == "fix it" and not play.model.is_running


def _asked_for_argument() -> Play:
    play = Play()
    play.type("/review")
    play.press("escape", "enter")
    assert play.take() == [Submit("/review")]
    play.type("meanwhile")
    play.feed(
        QuestionAsked(id="q", kind="skill_argument", text="/review needs <file>", session="s")
    )
    return play


def test_a_skill_asks_for_its_argument_in_the_prompt() -> None:
    play = _asked_for_argument()
    assert play.view.prompt.label == "/review needs <file>"
    assert play.view.dialog is None
    assert play.text == ""
    play.type("a.py")
    play.press("enter")
    assert play.take() == [Answer("q", "say", "a.py")]
    assert play.text == "meanwhile"
    assert play.view.prompt.label == ""


def test_an_argument_is_on_record_above_the_draft_until_it_is_sent() -> None:
    play = _asked_for_argument()
    play.effects.clear()
    play.type("main.py")
    assert _saved(play) == ["main.py\n\nmeanwhile"]
    play.press("enter")
    assert _saved(play)[-1] == "meanwhile"


def test_an_empty_argument_is_asked_for_again() -> None:
    play = _asked_for_argument()
    play.press("enter")
    assert play.take() == []
    assert play.view.prompt.label == "/review needs <file>"


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "ctrl+x"])
def test_a_skill_without_its_argument_is_a_draft_again(key: str) -> None:
    play = _asked_for_argument()
    play.press(key)
    assert play.take()[0] == Answer("q", "no")
    play.feed(QuestionAnswered(id="q", choice="no", idle=True, session="s"))
    assert play.text == "meanwhile"
    assert not play.model.is_running


def test_with_nothing_typed_meanwhile_the_line_itself_returns() -> None:
    play = Play()
    play.type("/review")
    play.press("escape", "enter")
    play.feed(
        QuestionAsked(id="q", kind="skill_argument", text="/review needs <file>", session="s")
    )
    play.press("escape")
    play.feed(QuestionAnswered(id="q", choice="no", idle=True, session="s"))
    assert play.text == "/review"


def test_a_queued_skill_line_stays_in_the_queue() -> None:
    play = Play()
    play.feed(QueueChanged(items=(Queued("q1", "/review"),), session="s"))
    assert play.take() == [Submit("/review", queue_id="q1")]
    play.feed(
        QuestionAsked(id="q", kind="skill_argument", text="/review needs <file>", session="s")
    )
    play.press("escape")
    play.feed(
        QuestionAnswered(id="q", choice="no", idle=True, session="s"),
        QueueChanged(items=(Queued("q1", "/review"),), paused=True, session="s"),
    )
    assert play.text == ""
    assert [item.text for item in play.model.queue] == ["/review"]
    assert play.take() == [Answer("q", "no")]
