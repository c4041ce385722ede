"""Words in the prompt while a question is open: they are sent as without it, or go with an
answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_tui.protocol.transcript import Approval, Question
from agent_tui.structures.visible import is_text
from agent_tui.tui import commands
from agent_tui.tui.core.effects import Type
from agent_tui.tui.core.model import Held, Model
from agent_tui.tui.core.msg import KeyPressed
from agent_tui.tui.core.prompt_state import Purpose, PurposeKind
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.dialog.answer_keys import (
    alt_key,
    lettered_answer,
    refuses,
    ways,
)
from agent_tui.tui.dialog.offers import Offer
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import key_guards
from agent_tui.tui.screen.key_guards import (
    ALT,
)

ANSWERS_BY: Final = "; ↑↓ or Alt+letter answers"


ANSWER_LETTERS: Final = frozenset("yn1234aeftpmosc")
"""Keys of answers to one question or another."""


SENDS: Final = {"send": "queued", "steer": "sent to the turn"}
"""Commands that send what is in the prompt, and what is said of it."""


def send_words(model: Model, command: str) -> Step:
    """Words in the prompt are no answer: they go where they would go without the question."""
    draft = model.composer.draft
    if command == "send" and draft[: model.composer.caret].endswith("\\"):
        return model, (Type("", "backspace"), Type("\n", "ctrl+j"))
    if is_command(draft):
        return toast(composer.keep_apart(model), "answer first; then Enter runs it", "warning")
    if (offer := lettered_answer(model, draft)) is not None:
        key = alt_key(offer, model.keys)
        to = offer.does if offer.choice in ("choose", "say") else ""
        do = f"press {key} to {to}" if to else f"{key} answers {offer.action_name}"
        return toast(model, f"not sent: {do}", "warning")
    if command == "send" and draft.strip().lower() in ANSWER_LETTERS:
        return toast(
            model, f"not offered here: {draft.strip()}", "warning"
        )  # no prompt is one letter
    sent = commands.find(command).run(model, "")
    if sent[0].composer.draft.strip():
        return sent
    return then(sent, toast(sent[0], f"{SENDS[command]}{ANSWERS_BY}"))


def is_command(words: str) -> bool:
    """Whether they call something that waits for the answer."""
    first = words.split()[0]
    return first.startswith("!") or (
        first.startswith("/") and commands.by_slash(first[1:]) is not None
    )


def begin_reason(model: Model, held: Held, msg: KeyPressed) -> Step | None:
    """Text that follows Alt and the letter of a no that takes words is those words. None: it is
    not for such a row."""
    question = model.question
    named = (offer for offer in ways(model) if held.key.removeprefix(ALT) in offer.keys)
    offer = next(named, None)
    words = held.key.startswith(ALT) and is_text(msg.character) and not msg.key.startswith(ALT)
    if (
        not (held.on and words)
        or question is None
        or offer is None
        or not (offer.purpose and refuses(offer))
    ):
        return None
    opened = ask_words(replace(key_guards.without_hint(model), held=None), question, offer)
    return replace(opened, typed_at=model.at), (Type(msg.character, msg.key),)


def ask_words(model: Model, question: Approval | Question, offer: Offer) -> Model:
    """The prompt is for the words that go with `offer`; those that were begun since the question
    appeared are some."""
    kind: PurposeKind = "say" if offer.choice == "say" else "deny" if refuses(offer) else "allow"
    label = offer.purpose or offer.says
    purpose = Purpose(kind, label, question.id, choice=offer.choice)
    begun = "" if model.dialog is None or model.dialog.drafted else model.composer.draft
    model = composer.ask(composer.write(model, "") if begun else model, purpose)
    return composer.write(model, begun) if begun else model
