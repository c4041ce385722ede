"""What a person says in so many words, not with keys: line mode, and front ends without a keyboard.

The guards of `dialog` and `keys` are about keys, which may have been meant for something else. What
comes here is sure.
"""

from __future__ import annotations

from dataclasses import replace

from agent_tui.protocol.ops import Answer
from agent_tui.tui import commands
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import CommandCalled, QuestionAnswered
from agent_tui.tui.core.prompt_state import Completion
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.dialog import answer_keys, answering, typed_words
from agent_tui.tui.dialog.offers import GRANTS, Offer
from agent_tui.tui.prompt import composer
from agent_tui.tui.prompt.queue import ANSWER_FIRST

STOPS = frozenset(("stop", "interrupt"))


def call(model: Model, msg: CommandCalled) -> Step:
    """Run a command, where it can run now."""
    if msg.draft != model.composer.draft:
        model = composer.change_text(model, msg.draft, len(msg.draft))
    model = replace(model, completion=Completion(closed_for=msg.draft))  # nobody chooses from it
    if msg.name in STOPS and model.recall is not None:
        return composer.dismiss(model)
    if model.is_asking and msg.name not in commands.THROUGH:
        return _beside_question(model, msg.name)
    if model.is_covered and msg.name not in commands.ASKED:
        return model, ()
    if model.composer.purpose is not None and msg.name not in commands.ASKED:
        return model, ()
    command = commands.find(msg.name)
    return command.run(model.with_used(f"command:{msg.name}") if command.slash else model, "")


def _beside_question(model: Model, name: str) -> Step:
    """A command while a question waits."""
    if name == "stop":
        return answering.leave_question(model)
    if name in typed_words.SENDS:
        return typed_words.send_words(model, name) if model.composer.draft.strip() else (model, ())
    return toast(model, ANSWER_FIRST)


def answer(model: Model, msg: QuestionAnswered) -> Step:
    """Give the open question its answer, if that is one of those that it offers."""
    question = model.question
    if question is None or question.id != msg.id:
        return model, ()
    gives = Answer(msg.id, msg.choice, msg.text, by=msg.by, picks=msg.picks)
    if msg.choice == answering.put_off(question):
        return send(model, gives)
    offer = next((one for one in answer_keys.ways(model) if _is_meant(one, msg)), None)
    if offer is None:
        return toast(model, "this question has no such answer", "warning")
    if msg.asks:
        return typed_words.ask_words(model, question, offer), ()
    before: Step = commands.find("mode").run(model, offer.mode) if offer.mode else (model, ())
    others = (Answer(id, msg.choice, by=msg.by) for id in offer.also)
    return then(before, send(before[0], gives, *others))


def _is_meant(offer: Offer, msg: QuestionAnswered) -> bool:
    if (offer.choice, offer.mode, bool(offer.also)) != (msg.choice, msg.mode, msg.together):
        return False
    if offer.picks != msg.picks[:1]:
        return False
    if msg.asks or msg.text:
        return bool(offer.purpose) or (offer.choice in GRANTS and bool(offer.says))
    return not offer.purpose
