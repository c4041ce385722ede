"""What is said in so many words, not with keys: answers, commands and prompts of line mode and
other front ends."""

from __future__ import annotations

import pytest

from agent_tui.protocol.events import ApprovalAsked, QuestionAsked
from agent_tui.protocol.ops import Answer, Cancel, QueueEdit, SetMode, Steer, Submit
from agent_tui.tui.core.history_search import Past
from agent_tui.tui.core.msg import CommandCalled, HistoryRead, PromptRecalled, QuestionAnswered
from tests.tui.play import Play


def asking(**more: object) -> Play:
    play = Play()
    play.begin()
    asked = {
        "id": "a1",
        "call_id": "c1",
        "tool": "create_file",
        "label": "Create a",
        "reason": "auto mode asks",
    }
    play.feed(ApprovalAsked(**{**asked, "session": "s", **more}))  # type: ignore[arg-type]
    play.effects.clear()
    return play


def stuck(kind: str = "stuck") -> Play:
    play = Play()
    play.begin()
    options = ("", "") if kind == "confirm" else ()
    play.feed(QuestionAsked(id="q1", kind=kind, text="?", options=options, session="s"))  # type: ignore[arg-type]
    play.effects.clear()
    return play


@pytest.mark.parametrize(
    "answer",
    [
        QuestionAnswered("a1", "once"),
        QuestionAnswered("a1", "no"),
        QuestionAnswered("a1", "no", text="other name"),
        QuestionAnswered("a1", "no", by="nobody"),
    ],
    ids=str,
)
def test_an_answer_is_sent_at_once_however_soon_and_whatever_was_typed(
    answer: QuestionAnswered,
) -> None:
    play = asking()
    play.type("some words")
    play.effects.clear()
    play.say(answer, after=0.0)
    assert play.take() == [Answer("a1", answer.choice, answer.text, by=answer.by)]
    assert play.text == "some words"


def test_an_answer_that_is_not_offered_is_refused() -> None:
    play = asking(hard=True)
    for answer in (
        QuestionAnswered("a1", "always"),
        QuestionAnswered("a1", "yes"),
        QuestionAnswered("a1", "once", mode="accept-edits"),
        QuestionAnswered("a1", "once", text="words"),
    ):
        play.say(answer)
        assert (play.toast, play.take()) == ("this question has no such answer", [])


def test_an_answer_to_another_question_is_none() -> None:
    play = asking()
    play.say(QuestionAnswered("a0", "once"))
    assert play.take() == []


def test_a_yes_with_a_mode_sets_the_mode_first() -> None:
    play = asking(mode="accept-edits")
    play.say(QuestionAnswered("a1", "once", mode="accept-edits"))
    assert play.take() == [SetMode("accept-edits"), Answer("a1", "once")]


def test_words_can_be_asked_for_first() -> None:
    play = asking()
    play.say(QuestionAnswered("a1", "no", asks=True))
    assert play.take() == [] and play.model.composer.asks("deny")
    play.say(CommandCalled("send", "call it b"))
    assert play.take() == [Answer("a1", "no", "call it b")]


@pytest.mark.parametrize(
    ("kind", "choice"), [("confirm", "later"), ("skill_argument", "no"), ("skill", "no")]
)
def test_a_question_from_before_a_turn_can_be_put_off(kind: str, choice: str) -> None:
    play = stuck(kind)
    play.say(QuestionAnswered("q1", choice))  # type: ignore[arg-type]
    assert play.take() == [Answer("q1", choice)]  # type: ignore[arg-type]


def test_commands_beside_a_question() -> None:
    play = asking()
    play.say(CommandCalled("send", "and then"))
    assert play.take() == [QueueEdit("add", text="and then")]
    play.say(CommandCalled("steer", "look there"))
    assert play.take() == [Steer("look there")]
    play.say(CommandCalled("rewind"))
    assert (play.toast, play.model.overlay) == ("answer the question first", None)
    play.say(CommandCalled("stop"))
    assert play.take() == [Cancel()]


def test_a_prompt_is_sent_with_its_text() -> None:
    play = Play()
    play.say(CommandCalled("send", "/tmp/x is full"))
    assert play.take() == [Submit("/tmp/x is full")]
    play.say(CommandCalled("help"))
    assert play.model.overlay is not None and play.model.overlay.kind == "help"


def test_an_earlier_prompt_is_taken_by_its_place() -> None:
    play = Play()
    play.say(CommandCalled("history"))
    assert play.model.recall is not None
    pasts = tuple(Past(f"prompt {number}", here=True) for number in range(300))
    play.say(HistoryRead(play.model.recall.number, pasts, done=True))
    play.say(PromptRecalled(300))
    assert play.model.recall is not None, "there is none"
    play.say(PromptRecalled(250))
    assert (play.text, play.model.recall) == ("prompt 250", None)
